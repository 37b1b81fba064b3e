#define _DEFAULT_SOURCE
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 16384 };

static enum err_code read_all(int fd, size_t limit, struct buf *out, struct err *reterr)
{
    size_t total = 0;
    for (;;) {
        ssize_t n = read(fd, buf_reserve(out, CHUNK), CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(reterr, MQ_CONFIG_UNREADABLE, "cannot be read: %s", strerror(errno));
        if (n == 0)
            return MQ_OK;
        total += (size_t)n;
        if (total > limit)
            return err_set(reterr, MQ_CONFIG_UNREADABLE, "is larger than %zu bytes", limit);
        buf_commit(out, (size_t)n);
    }
}

enum err_code file_read(const char *path, size_t limit, struct buf *out, struct err *reterr)
{
    /* Not to hang on a FIFO without a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set(reterr, MQ_CONFIG_UNREADABLE, "cannot be opened: %s", strerror(errno));
    struct stat st;
    enum err_code code = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
                             ? read_all(fd, limit, out, reterr)
                             : err_set(reterr, MQ_CONFIG_UNREADABLE, "is not a regular file");
    close(fd);
    return code;
}
