/* What an implementation of io provides. */
#ifndef MQ_PROXY_IO_INT_H
#define MQ_PROXY_IO_INT_H

#include "proxy/io.h"

struct io_ops {
    ssize_t (*read)(struct io *io, void *buffer, size_t size);
    ssize_t (*write)(struct io *io, const struct iovec *parts, int count);
    void (*watch)(struct io *io, unsigned events);
    bool (*peek_readable)(struct io *io);
    /* What the last error was, when errno cannot tell; NULL: it can. The member may be NULL. */
    const char *(*error_text)(const struct io *io);
    void (*destroy)(struct io *io);
};

struct io {
    const struct io_ops *ops;
    io_ready *ready;
    void *owner;
    unsigned watched;
};

#endif
