/* mqgate healthcheck: does a sidecar greet on its address? For container health checks. */
#define _GNU_SOURCE
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/settings.h"
#include "proxy/listener.h"
#include "wire/handshake.h"
#include "wire/packet.h"
#include "wire/proxy_header.h"

enum { WAIT_MS = 2000, GREETING_MAX = 512 };

static const char help[] =
    "usage: mqgate healthcheck [-c FILE] [--set PATH=VALUE]...\n"
    "\n"
    "Connects to the first listener of FILE and waits up to two seconds for its greeting.\n"
    "Exit status: 0 it greets, 1 it does not, 2 the command line is not understood.\n"
    "\n"
    "  HEALTHCHECK CMD [\"mqgate\", \"healthcheck\", \"-c\", \"/etc/mqgate.yaml\"]\n";

static int connect_socket(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* An unspecified address listens everywhere, also on loopback. */
static int connect_host(const struct address *address)
{
    char port[8];
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
    bool everywhere = strcmp(address->host, "0.0.0.0") == 0;
    snprintf(port, sizeof port, "%u", address->port);
    if (getaddrinfo(everywhere ? "127.0.0.1" : address->host, port, &hints, &found))
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) < 0) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static bool greets(int fd)
{
    uint8_t data[GREETING_MAX];
    size_t have = 0;
    struct packet p;
    struct greeting g;
    for (;;) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        if (have == sizeof data || poll(&ready, 1, WAIT_MS) <= 0)
            return false;
        ssize_t n = recv(fd, data + have, sizeof data - have, 0);
        if (n <= 0)
            return false;
        have += (size_t)n;
        struct buf scratch;
        buf_init(&scratch);
        enum packet_status status = packet_next(data, have, sizeof data, &scratch, &p, NULL);
        bool good = status == PACKET_COMPLETE && greeting_parse(p.payload, &g, NULL) == MQ_OK;
        buf_fini(&scratch);
        if (status != PACKET_INCOMPLETE)
            return good;
    }
}

/* A listener that expects a PROXY header from here gets one that says so. */
static bool announce(int fd, const struct network_list *proxies)
{
    struct sockaddr_storage own = { 0 };
    socklen_t len = sizeof own;
    uint16_t port;
    if (getsockname(fd, (struct sockaddr *)&own, &len) < 0)
        return false;
    struct ip ip = ip_of_sockaddr(&own, &port);
    if (!networks_have(proxies->items, proxies->count, &ip))
        return true;
    struct buf header;
    buf_init(&header);
    proxy_header_write_local(&header);
    bool sent = send(fd, buf_begin(&header), buf_len(&header), MSG_NOSIGNAL) > 0;
    buf_fini(&header);
    return sent;
}

static int check(const struct config *config)
{
    const struct listener_config *listener = &config->listeners[0];
    const struct address *address = &listener->address;
    int fd = address->socket ? connect_socket(address->socket) : connect_host(address);
    bool good = fd >= 0 && announce(fd, &listener->proxies) && greets(fd);
    if (fd >= 0)
        close(fd);
    if (!good)
        fprintf(stderr, "no greeting from %s\n", address->socket ? address->socket : address->host);
    return good ? EXIT_DONE : EXIT_FAULT;
}

int cmd_healthcheck(int argc, char **argv)
{
    struct settings settings;
    int status = settings_read(help, argc, argv, &settings);
    if (status >= 0)
        return status;
    struct config *config = settings_load(&settings);
    if (!config)
        return EXIT_FAULT;
    status = check(config);
    config_destroy(config);
    return status;
}
