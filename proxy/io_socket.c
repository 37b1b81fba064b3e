/* io over a non-blocking socket: one persistent libevent event for reading, one for writing
 * that is added only while a peer does not take what we have. */
#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "base/memory.h"
#include "proxy/io_int.h"

struct io_socket {
    struct io io;
    int fd;
    struct event on_read, on_write;
};

static struct io_socket *socket_of(struct io *io)
{
    return (struct io_socket *)io;
}

static ssize_t socket_read(struct io *io, void *buffer, size_t size)
{
    ssize_t n;
    do {
        n = recv(socket_of(io)->fd, buffer, size, 0);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* One part is the rule, and cheaper for the kernel to take. */
static ssize_t send_parts(int fd, const struct iovec *parts, int count)
{
    if (count == 1)
        return send(fd, parts->iov_base, parts->iov_len, MSG_NOSIGNAL);
    struct msghdr message = { .msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count };
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static ssize_t socket_write(struct io *io, const struct iovec *parts, int count)
{
    ssize_t n;
    do {
        n = send_parts(socket_of(io)->fd, parts, count);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

static void watch_one(struct event *event, bool now, bool want)
{
    if (now == want)
        return;
    if (want)
        event_add(event, NULL);
    else
        event_del(event);
}

static void socket_watch(struct io *io, unsigned events)
{
    watch_one(&socket_of(io)->on_read, io->watched & IO_READ, events & IO_READ);
    watch_one(&socket_of(io)->on_write, io->watched & IO_WRITE, events & IO_WRITE);
}

static bool socket_peek_readable(struct io *io)
{
    char byte;
    ssize_t n = recv(socket_of(io)->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void socket_destroy(struct io *io)
{
    struct io_socket *s = socket_of(io);
    io_watch(io, 0);
    close(s->fd);
    mem_free(s);
}

static const struct io_ops socket_ops = {
    .read = socket_read,
    .write = socket_write,
    .watch = socket_watch,
    .peek_readable = socket_peek_readable,
    .destroy = socket_destroy,
};

static void on_event(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    struct io *io = context;
    io->ready(io->owner, what & EV_READ ? IO_READ : IO_WRITE);
}

/* A peer that is gone without a word (a cut cable, a NAT that forgot) shows within a minute,
 * whether it owes us bytes or acknowledgements. Unix sockets have neither option; nor Nagle. */
static void watch_peer(int fd)
{
    static const struct {
        int level, option, value;
    } options[] = {
        { IPPROTO_TCP, TCP_NODELAY, 1 },    { SOL_SOCKET, SO_KEEPALIVE, 1 },
        { IPPROTO_TCP, TCP_KEEPIDLE, 30 },  { IPPROTO_TCP, TCP_KEEPINTVL, 10 },
        { IPPROTO_TCP, TCP_KEEPCNT, 3 },    { IPPROTO_TCP, TCP_USER_TIMEOUT, 60000 },
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        (void)setsockopt(fd, options[i].level, options[i].option, &options[i].value, sizeof(int));
}

struct io *io_of_socket(struct event_base *base, int fd)
{
    struct io_socket *s = mem_new(struct io_socket);
    s->io.ops = &socket_ops;
    s->fd = fd;
    event_assign(&s->on_read, base, fd, EV_READ | EV_PERSIST, on_event, s);
    event_assign(&s->on_write, base, fd, EV_WRITE | EV_PERSIST, on_event, s);
    watch_peer(fd);
    return &s->io;
}

struct io *io_connect(struct event_base *base, const struct sockaddr *address, socklen_t len)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    if (connect(fd, address, len) < 0 && errno != EINPROGRESS) {
        int saved = errno;
        close(fd);
        errno = saved;
        return NULL;
    }
    return io_of_socket(base, fd);
}

int io_connect_error(struct io *io)
{
    int error = 0;
    socklen_t len = sizeof error;
    if (io->ops != &socket_ops)
        return 0;
    if (getsockopt(socket_of(io)->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return errno;
    return error;
}
