/* What vtgate says of an error: no crash on any bytes; what a client is told is a part of it.
 *
 * The input is the error's number, two bytes, and the message. */
#include <stdint.h>
#include <stdlib.h>

#include "routing/vitess_error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice told;
    if (size < 2)
        return 0;
    struct slice said = slice_of(data + 2, size - 2);
    (void)vitess_error(data[0] | (unsigned)data[1] << 8, said, &told);
    if (told.data < said.data || told.data + told.len > said.data + said.len)
        abort();
    return 0;
}
