/* io in memory: two queues of bytes, one for each direction. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "proxy/io_int.h"

struct io_memory {
    struct io io;
    struct io_memory *peer; /* NULL once it is destroyed */
    struct buf incoming;    /* what the peer wrote and we have not read */
    size_t capacity;
    bool closed;
};

static struct io_memory *memory_of(struct io *io)
{
    return (struct io_memory *)io;
}

static bool peer_is_gone(const struct io_memory *m)
{
    return !m->peer || m->peer->closed;
}

static ssize_t memory_read(struct io *io, void *buffer, size_t size)
{
    struct io_memory *m = memory_of(io);
    size_t n = buf_len(&m->incoming);
    if (n == 0)
        return peer_is_gone(m) ? 0 : -EAGAIN;
    if (n > size)
        n = size;
    memcpy(buffer, buf_begin(&m->incoming), n);
    buf_consume(&m->incoming, n);
    return (ssize_t)n;
}

static ssize_t memory_write(struct io *io, const struct iovec *parts, int count)
{
    struct io_memory *m = memory_of(io);
    if (peer_is_gone(m))
        return -EPIPE;
    ssize_t written = 0;
    for (int i = 0; i < count; i++) {
        size_t room = m->capacity - buf_len(&m->peer->incoming);
        size_t n = parts[i].iov_len < room ? parts[i].iov_len : room;
        buf_append(&m->peer->incoming, parts[i].iov_base, n);
        written += (ssize_t)n;
        if (n < parts[i].iov_len)
            return written ? written : -EAGAIN;
    }
    return written;
}

static void memory_watch(struct io *io, unsigned events)
{
    (void)io;
    (void)events;
}

static bool memory_peek_readable(struct io *io)
{
    struct io_memory *m = memory_of(io);
    return peer_is_gone(m) || buf_len(&m->incoming) > 0;
}

static void memory_destroy(struct io *io)
{
    struct io_memory *m = memory_of(io);
    if (m->peer)
        m->peer->peer = NULL;
    buf_fini(&m->incoming);
    mem_free(m);
}

static const struct io_ops memory_ops = {
    .read = memory_read,
    .write = memory_write,
    .watch = memory_watch,
    .peek_readable = memory_peek_readable,
    .destroy = memory_destroy,
};

void io_memory_pair(size_t capacity, struct io *ends[2])
{
    struct io_memory *a = mem_new(struct io_memory), *b = mem_new(struct io_memory);
    a->io.ops = b->io.ops = &memory_ops;
    a->peer = b;
    b->peer = a;
    a->capacity = b->capacity = capacity;
    ends[0] = &a->io;
    ends[1] = &b->io;
}

bool io_memory_pump(struct io *end)
{
    struct io_memory *m = memory_of(end);
    if (!m->peer)
        return false;
    struct io *other = &m->peer->io;
    bool readable = (other->watched & IO_READ) && memory_peek_readable(other);
    bool writable = (other->watched & IO_WRITE) &&
                    (m->closed || buf_len(&m->incoming) < m->capacity);
    if (readable || writable)
        other->ready(other->owner, readable ? IO_READ : IO_WRITE);
    return readable || writable;
}

void io_memory_close(struct io *end)
{
    memory_of(end)->closed = true;
}
