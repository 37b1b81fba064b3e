#define _GNU_SOURCE
#include "proxy/listener.h"

#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "wire/packet.h"
#include "wire/response.h"

enum { BACKLOG = 1024, ACCEPTS_PER_TURN = 64 };

struct listener {
    struct fleet *fleet;
    size_t index;
    int fd;
    char *socket_path; /* removed on close */
    struct event *on_ready;
    const atomic_uint *max_connections;
    uint32_t next_worker;
};

/* Before the greeting an error has no SQLSTATE. */
static void refuse(int fd)
{
    struct buf packet;
    uint8_t seq = 0;
    struct err e;
    buf_init(&packet);
    err_set(&e, MQ_TOO_MANY_CONNECTIONS, "Too many connections");
    size_t mark = packet_open(&packet);
    err_write_catalogue(&packet, &e, 0);
    packet_close(&packet, mark, &seq);
    (void)!send(fd, buf_begin(&packet), buf_len(&packet), MSG_NOSIGNAL);
    buf_fini(&packet);
    close(fd);
}

struct ip ip_of_sockaddr(const struct sockaddr_storage *address, uint16_t *ret_port)
{
    const struct sockaddr_in *v4 = (const void *)address;
    const struct sockaddr_in6 *v6 = (const void *)address;
    bool is_v4 = address->ss_family == AF_INET, is_v6 = address->ss_family == AF_INET6;
    *ret_port = is_v4 ? ntohs(v4->sin_port) : is_v6 ? ntohs(v6->sin6_port) : 0;
    if (is_v4)
        return ip_of_bytes(&v4->sin_addr, 4);
    return is_v6 ? ip_of_bytes(&v6->sin6_addr, 16) : (struct ip){ 0 };
}

static void hand_over(struct listener *l, int fd, const struct sockaddr_storage *address)
{
    struct fleet *fleet = l->fleet;
    if (atomic_fetch_add(&fleet->connections, 1) >= atomic_load(l->max_connections)) {
        atomic_fetch_sub(&fleet->connections, 1);
        refuse(fd);
        return;
    }
    struct worker *w = &fleet->workers[l->next_worker++ % fleet->worker_count];
    struct arrival arrival = { .listener = l->index, .unix_socket = l->socket_path != NULL };
    arrival.address = ip_of_sockaddr(address, &arrival.port);
    worker_accept(w, fd, &arrival);
}

static void on_ready(evutil_socket_t listening, short what, void *context)
{
    (void)what;
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        struct sockaddr_storage address = { 0 };
        socklen_t len = sizeof address;
        int fd = accept4(listening, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            hand_over(context, fd, &address);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            log_error("listener", "accept: %s", strerror(errno));
            return;
        }
    }
}

/* A socket file that nobody listens on is left over from a crash. */
static void remove_stale(const char *path, const struct sockaddr_un *address)
{
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 &&
        errno == ECONNREFUSED)
        unlink(path);
    if (fd >= 0)
        close(fd);
}

static int open_socket_file(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    remove_stale(path, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    (void)chmod(path, 0777); /* as servers do: who may log in is the accounts' business */
    return fd;
}

static int open_first(const struct addrinfo *found)
{
    int fd = -1, on = 1;
    for (; found; found = found->ai_next) {
        fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, found->ai_addr, found->ai_addrlen) == 0)
            return fd;
        int saved = errno;
        close(fd);
        errno = saved;
        fd = -1;
    }
    return fd;
}

static int open_host(const struct address *address, struct err *reterr)
{
    char port[8];
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo *found;
    snprintf(port, sizeof port, "%u", address->port);
    int status = getaddrinfo(address->host, port, &hints, &found);
    if (status) {
        err_set(reterr, MQ_LISTEN_FAILED, "%s:%s: %s", address->host, port, gai_strerror(status));
        return -1;
    }
    int fd = open_first(found);
    if (fd < 0)
        err_set(reterr, MQ_LISTEN_FAILED, "%s:%s: %s", address->host, port, strerror(errno));
    freeaddrinfo(found);
    return fd;
}

enum err_code listener_open(struct event_base *base, struct fleet *fleet,
                            const struct listener_config *config, size_t index,
                            const atomic_uint *max_connections, struct listener **ret,
                            struct err *reterr)
{
    const char *path = config->address.socket;
    struct err failed = { 0 };
    int fd = path ? open_socket_file(path) : open_host(&config->address, &failed);
    if (fd < 0 && !failed.code)
        err_set(&failed, MQ_LISTEN_FAILED, "%s: %s", path, strerror(errno));
    if (fd >= 0 && listen(fd, BACKLOG) < 0) {
        err_set(&failed, MQ_LISTEN_FAILED, "listen: %s", strerror(errno));
        close(fd);
    }
    if (failed.code) {
        if (reterr)
            *reterr = failed;
        return failed.code;
    }
    struct listener *l = mem_new(struct listener);
    l->fleet = fleet;
    l->index = index;
    l->fd = fd;
    l->socket_path = mem_strdup(path);
    l->max_connections = max_connections;
    l->on_ready = event_new(base, fd, EV_READ | EV_PERSIST, on_ready, l);
    event_add(l->on_ready, NULL);
    *ret = l;
    return MQ_OK;
}

void listener_close(struct listener *l)
{
    if (!l)
        return;
    event_free(l->on_ready);
    close(l->fd);
    if (l->socket_path)
        unlink(l->socket_path);
    mem_free(l->socket_path);
    mem_free(l);
}
