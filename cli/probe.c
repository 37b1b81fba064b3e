#define _GNU_SOURCE
#include "cli/probe.h"

#include <errno.h>
#include <jansson.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "config/scalar.h"
#include "proxy/listener.h"
#include "wire/handshake.h"
#include "wire/packet.h"
#include "wire/proxy_header.h"
#include "wire/response.h"

enum { GREETING_MAX = 512, ASK_MS = 2000, PAUSE_MS = 100 };

struct probe {
    const struct listener_config *listener;
    const struct account_config *account; /* NULL: the greeting is enough */
};

/* ---- connecting ---- */

/* Without it, a peer that does not answer holds connect() for minutes. */
static int limit_time(int fd, uint64_t timeout_ms)
{
    struct timeval t = { .tv_sec = (time_t)(timeout_ms / 1000),
                         .tv_usec = (suseconds_t)(timeout_ms % 1000 * 1000 + 1) };
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

/* A connected socket, or -1 with the reason in errno. */
static int connect_to(const struct sockaddr *address, socklen_t len, uint64_t timeout_ms)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || (limit_time(fd, timeout_ms) == 0 && connect(fd, address, len) == 0))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static int connect_socket(const char *path, uint64_t timeout_ms)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    return connect_to((struct sockaddr *)&address, sizeof address, timeout_ms);
}

static int connect_host(const struct address *address, uint64_t timeout_ms)
{
    char port[8];
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
    snprintf(port, sizeof port, "%u", address->port);
    if (getaddrinfo(live_host(address), port, &hints, &found)) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int fd = connect_to(found->ai_addr, found->ai_addrlen, timeout_ms);
    freeaddrinfo(found);
    return fd;
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

/* ---- the greeting ---- */

/* One that has no room for another client is alive all the same. */
static bool is_greeting(struct slice payload)
{
    enum { ER_CON_COUNT_ERROR = 1040 };
    struct greeting g;
    struct err_packet e;
    if (payload.len && (uint8_t)payload.data[0] == 0xff)
        return err_parse(payload, &e) && e.code == ER_CON_COUNT_ERROR;
    return greeting_parse(payload, &g, NULL) == MQ_OK;
}

static bool wait_readable(int fd, uint64_t end)
{
    uint64_t now = clock_monotonic_ms();
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    return now < end && poll(&ready, 1, (int)(end - now)) > 0;
}

static bool greets(int fd, uint64_t end)
{
    uint8_t data[GREETING_MAX];
    size_t have = 0;
    for (;;) {
        ssize_t n = -1;
        if (have < sizeof data && wait_readable(fd, end))
            n = recv(fd, data + have, sizeof data - have, 0);
        if (n <= 0)
            return false;
        have += (size_t)n;
        struct buf scratch;
        struct packet p;
        buf_init(&scratch);
        enum packet_status status = packet_next(data, have, sizeof data, &scratch, &p, NULL);
        bool good = status == PACKET_COMPLETE && is_greeting(p.payload);
        buf_fini(&scratch);
        if (status != PACKET_INCOMPLETE)
            return good;
    }
}

static enum err_code unreachable(const struct address *address, const char *reason,
                                 struct err *reterr)
{
    struct buf where;
    buf_init(&where);
    address_print(address, &where);
    err_set(reterr, MQ_SHARD_DOWN, "%s: %s", buf_cstr(&where), reason);
    buf_fini(&where);
    return MQ_SHARD_DOWN;
}

static enum err_code ask_greeting(const struct probe *p, uint64_t timeout_ms, struct err *reterr)
{
    const struct address *address = &p->listener->address;
    uint64_t end = clock_monotonic_ms() + timeout_ms;
    int fd = address->socket ? connect_socket(address->socket, timeout_ms)
                             : connect_host(address, timeout_ms);
    if (fd < 0)
        return unreachable(address, errno == EINPROGRESS ? "no answer" : strerror(errno), reterr);
    bool good = announce(fd, &p->listener->proxies) && greets(fd, end);
    close(fd);
    return good ? MQ_OK : unreachable(address, "no greeting", reterr);
}

/* ---- the login ---- */

static enum err_code ask_login(const struct probe *p, uint64_t timeout_ms, struct err *reterr)
{
    MYSQL *mysql;
    const struct live_target target = { .address = &p->listener->address,
                                        .tls = p->listener->tls == TLS_REQUIRED,
                                        .user = p->account->user,
                                        .password = p->account->password,
                                        .timeout_s = (unsigned)((timeout_ms + 999) / 1000) };
    enum err_code code = live_connect(&target, &mysql, reterr);
    if (code)
        return code;
    if (mysql_ping(mysql) != 0)
        code = live_failed(&target, mysql, reterr);
    mysql_close(mysql);
    return code;
}

static enum err_code ask(const struct probe *p, uint64_t timeout_ms, struct err *reterr)
{
    return p->account ? ask_login(p, timeout_ms, reterr) : ask_greeting(p, timeout_ms, reterr);
}

/* Until it serves, or the time is over. */
static enum err_code ask_until(const struct probe *p, uint64_t timeout_ms, struct err *reterr)
{
    uint64_t end = clock_monotonic_ms() + timeout_ms;
    const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
    for (;;) {
        enum err_code code = ask(p, ASK_MS, reterr);
        if (!code || clock_monotonic_ms() + PAUSE_MS > end)
            return code;
        nanosleep(&pause, NULL);
    }
}

/* ---- the report ---- */

static void print_json(const char *address, uint64_t took_ms, const struct err *err)
{
    json_t *report = json_pack("{s:b, s:s, s:I}", "ok", !err, "address", address, "milliseconds",
                               (json_int_t)took_ms);
    if (err)
        json_object_set_new(report, "error", json_string(err->text));
    json_dumpf(report, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(report);
}

/* err is NULL when it serves. */
static void print_report(const struct probe_options *o, const struct probe *p, uint64_t took_ms,
                         const struct err *err)
{
    struct buf address;
    buf_init(&address);
    address_print(&p->listener->address, &address);
    if (o->json)
        print_json(buf_cstr(&address), took_ms, err);
    else if (err)
        fprintf(stderr, "%s\n", err->text);
    buf_fini(&address);
}

/* ---- the command ---- */

static const struct option_row option_rows[] = {
    OPTION_TEXT("login", 0, struct probe_options, login),
    OPTION_FLAG("json", 0, struct probe_options, json),
    OPTION_END,
};
static const struct option_row no_rows[] = { OPTION_END };

static int probe_config(const struct probe_options *o, const struct config *config,
                        const char *command)
{
    struct probe p = { .listener = &config->listeners[0] };
    struct err err;
    uint64_t begin = clock_monotonic_ms();
    if (o->login && !(p.account = config_account(config, slice_cstr(o->login))))
        return options_misused(command, "there is no account %s", o->login);
    if (o->login && !p.account->password)
        return options_misused(command, "of account %s only the hash is known", o->login);
    enum err_code code = ask_until(&p, o->timeout_ms, &err);
    print_report(o, &p, clock_monotonic_ms() - begin, code ? &err : NULL);
    return code ? EXIT_FAULT : EXIT_DONE;
}

int probe_command(const char *help, const struct option_row *own_rows, struct probe_options *o,
                  int argc, char **argv)
{
    const struct option_group groups[] = { { settings_option_rows, &o->settings },
                                           { option_rows, o },
                                           { own_rows ? own_rows : no_rows, o },
                                           { NULL, NULL } };
    struct arguments rest;
    int status = options_read(groups, help, argc, argv, &rest);
    if (status >= 0)
        return status;
    if (rest.count)
        return options_misused(argv[0], "unexpected argument %s", rest.items[0]);
    struct config *config = settings_load(&o->settings);
    if (!config)
        return EXIT_FAULT;
    status = probe_config(o, config, argv[0]);
    config_destroy(config);
    return status;
}
