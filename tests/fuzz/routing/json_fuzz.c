/* The JSON scanner: no crash on any bytes; whether a text is JSON does not depend on the path
 * that is looked for; what is found is UTF-8.
 *
 * The input is the path, a NUL, and the JSON text. */
#include <stdint.h>
#include <stdlib.h>

#include "routing/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    struct arena arena;
    struct slice found, ignored;
    if (!nul)
        return 0;
    struct slice path = slice_of(data, (size_t)(nul - data));
    struct slice json = slice_of(nul + 1, size - path.len - 1);
    arena_init(&arena);
    enum json_path result = json_find_string(json, path, &arena, &found);
    enum json_path other = json_find_string(json, SLICE_LIT("\x01"), &arena, &ignored);
    if ((result == PATH_MALFORMED) != (other == PATH_MALFORMED))
        abort();
    if (result == PATH_STRING && !slice_is_utf8(found, NULL))
        abort();
    arena_fini(&arena);
    return 0;
}
