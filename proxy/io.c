#include "proxy/io.h"

#include <errno.h>
#include <string.h>

#include "proxy/io_int.h"

ssize_t io_read(struct io *io, void *buffer, size_t size)
{
    return io->ops->read(io, buffer, size);
}

ssize_t io_write(struct io *io, const struct iovec *parts, int count)
{
    return io->ops->write(io, parts, count);
}

const char *io_error_text(const struct io *io, ssize_t error)
{
    const char *text = io->ops->error_text ? io->ops->error_text(io) : NULL;
    return text ? text : strerror((int)-error);
}

void io_watch(struct io *io, unsigned events)
{
    if (io->watched == events)
        return;
    io->ops->watch(io, events);
    io->watched = events;
}

unsigned io_watched(const struct io *io)
{
    return io->watched;
}

void io_set_owner(struct io *io, io_ready *ready, void *owner)
{
    io->ready = ready;
    io->owner = owner;
}

static void keep(struct buf *out, const struct iovec *parts, int count, size_t sent)
{
    for (int i = 0; i < count; i++) {
        if (sent >= parts[i].iov_len) {
            sent -= parts[i].iov_len;
            continue;
        }
        buf_append(out, (const char *)parts[i].iov_base + sent, parts[i].iov_len - sent);
        sent = 0;
    }
}

enum io_sent io_send(struct io *io, struct buf *out, const struct iovec *parts, int count)
{
    if (buf_len(out)) {
        keep(out, parts, count, 0);
        return IO_KEPT;
    }
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    ssize_t n = io_write(io, parts, count);
    if (n < 0 && n != -EAGAIN)
        return IO_LOST;
    if (n == (ssize_t)total)
        return IO_SENT;
    keep(out, parts, count, n < 0 ? 0 : (size_t)n);
    io_watch(io, io_watched(io) | IO_WRITE);
    return IO_KEPT;
}

enum io_sent io_flush(struct io *io, struct buf *out)
{
    struct iovec part = { buf_begin(out), buf_len(out) };
    ssize_t n = io_write(io, &part, 1);
    if (n < 0 && n != -EAGAIN)
        return IO_LOST;
    if (n > 0)
        buf_consume(out, (size_t)n);
    if (buf_len(out))
        return IO_KEPT;
    buf_release(out);
    io_watch(io, io_watched(io) & ~(unsigned)IO_WRITE);
    return IO_SENT;
}

bool io_peek_readable(struct io *io)
{
    return io->ops->peek_readable(io);
}

void io_destroy(struct io *io)
{
    if (io)
        io->ops->destroy(io);
}
