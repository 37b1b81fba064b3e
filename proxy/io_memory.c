/* io in memory: two queues of bytes, one for each direction. Within a loop an end is told of what
 * has become possible by an event that is made active for it; no system call is made. */
#include <errno.h>
#include <event2/event.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "proxy/io_int.h"

struct io_memory {
    struct io io;
    struct io_memory *peer; /* NULL once it is destroyed */
    struct buf incoming;    /* what the peer wrote and we have not read */
    struct event *wake;     /* tells of what has become possible; NULL: io_memory_pump() does */
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

static unsigned possible(const struct io_memory *m)
{
    bool readable = peer_is_gone(m) || buf_len(&m->incoming) > 0;
    bool writable = peer_is_gone(m) || buf_len(&m->peer->incoming) < m->capacity;
    return m->io.watched & ((readable ? IO_READ : 0) | (writable ? IO_WRITE : 0));
}

/* Something may have become possible for this end. */
static void stir(struct io_memory *m)
{
    if (m && m->wake && possible(m))
        event_active(m->wake, EV_TIMEOUT, 0);
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
    stir(m->peer);
    return (ssize_t)n;
}

static size_t count_bytes(const struct iovec *parts, int count)
{
    size_t n = 0;
    for (int i = 0; i < count; i++)
        n += parts[i].iov_len;
    return n;
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
            break;
    }
    if (written)
        stir(m->peer);
    return written || !count_bytes(parts, count) ? written : -EAGAIN;
}

static void memory_watch(struct io *io, unsigned events)
{
    struct io_memory *m = memory_of(io);
    m->io.watched = events;
    stir(m);
}

static bool memory_peek_readable(struct io *io)
{
    struct io_memory *m = memory_of(io);
    return peer_is_gone(m) || buf_len(&m->incoming) > 0;
}

static void memory_destroy(struct io *io)
{
    struct io_memory *m = memory_of(io);
    if (m->peer) {
        m->peer->peer = NULL;
        stir(m->peer);
    }
    if (m->wake)
        event_free(m->wake);
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

/* Once more while it is possible, as of a socket. */
static void on_wake(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct io_memory *m = context;
    unsigned events = possible(m);
    stir(m);
    if (events)
        m->io.ready(m->io.owner, events & IO_READ ? IO_READ : IO_WRITE);
}

void io_memory_pair_in(struct event_base *base, size_t capacity, struct io *ends[2])
{
    io_memory_pair(capacity, ends);
    for (int i = 0; i < 2; i++) {
        struct io_memory *m = memory_of(ends[i]);
        m->wake = event_new(base, -1, 0, on_wake, m);
    }
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
