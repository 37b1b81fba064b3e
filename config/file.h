/* Small files read whole: the configuration, secrets, lists of tenants, the VSchema. */
#ifndef MQ_CONFIG_FILE_H
#define MQ_CONFIG_FILE_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the content of a regular file of at most `limit` bytes. Fails with
 * MQ_CONFIG_UNREADABLE; the text names the reason but not the path. */
enum err_code file_read(const char *path, size_t limit, struct buf *out, struct err *reterr);

#endif
