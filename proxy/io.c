#include "proxy/io.h"

#include "proxy/io_int.h"

ssize_t io_read(struct io *io, void *buffer, size_t size)
{
    return io->ops->read(io, buffer, size);
}

ssize_t io_write(struct io *io, const struct iovec *parts, int count)
{
    return io->ops->write(io, parts, count);
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

bool io_peek_readable(struct io *io)
{
    return io->ops->peek_readable(io);
}

void io_destroy(struct io *io)
{
    if (io)
        io->ops->destroy(io);
}
