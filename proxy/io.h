/* A stream of bytes with readiness: a socket under libevent, TLS over another one (proxy/tls.h), or
 * two queues in memory, so that tests and fuzzers run whole sessions without a network. The data
 * path does its own reads and writes: one call each, and no FIONREAD, which libevent's buffers
 * would make. */
#ifndef MQ_PROXY_IO_H
#define MQ_PROXY_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/buf.h"

struct event_base;
struct io;

enum { IO_READ = 1, IO_WRITE = 2 };

/* events: IO_READ and IO_WRITE as they became possible. A closed peer shows as IO_READ. The
 * callee may destroy the io. */
typedef void io_ready(void *owner, unsigned events);

/* All may be called with nothing ready. Errors are negative errno values; -EAGAIN means
 * "later"; 0 from read means that the peer has closed. */
ssize_t io_read(struct io *io, void *buffer, size_t size);
ssize_t io_write(struct io *io, const struct iovec *parts, int count);
/* An error that one of the two has returned, in words. */
const char *io_error_text(const struct io *io, ssize_t error);
/* Which events to report from now on (a set of IO_READ, IO_WRITE). No system call when the
 * set does not change. */
void io_watch(struct io *io, unsigned events);
unsigned io_watched(const struct io *io);
enum io_sent {
    IO_SENT, /* everything is out */
    IO_KEPT, /* some of it is kept in `out`; IO_WRITE is watched until io_flush has sent it */
    IO_LOST, /* the connection is of no more use; nothing of these parts was sent */
};
/* Writes at once, behind what is kept already; waits for writability only when the socket is
 * full. */
enum io_sent io_send(struct io *io, struct buf *out, const struct iovec *parts, int count);
enum io_sent io_flush(struct io *io, struct buf *out);
void io_set_owner(struct io *io, io_ready *ready, void *owner);
/* True when the peer has closed or sent something unexpected: a look without taking. */
bool io_peek_readable(struct io *io);
/* Closes and frees; NULL is fine. */
void io_destroy(struct io *io);

/* Takes an open, non-blocking socket. */
struct io *io_of_socket(struct event_base *base, int fd);
/* Begins to connect; IO_WRITE tells the end, io_connect_error the result. NULL with errno set
 * when it failed at once. */
struct io *io_connect(struct event_base *base, const struct sockaddr *address, socklen_t len);
int io_connect_error(struct io *io);

/* Two ends of a pipe in memory: what one writes the other reads. capacity bounds what one
 * direction holds, so that back-pressure can be tested. io_memory_pump tells the other end one
 * thing that became possible for it; false when there is none, or that end is destroyed. */
void io_memory_pair(size_t capacity, struct io *ends[2]);
bool io_memory_pump(struct io *end);
/* The same within a loop, which tells both ends by itself. */
void io_memory_pair_in(struct event_base *base, size_t capacity, struct io *ends[2]);
/* The other end sees this one closed; io_destroy is still due. */
void io_memory_close(struct io *end);

#endif
