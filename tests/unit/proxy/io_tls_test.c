/* TLS over the pipe in memory: what arrives, however small the pipe, and who is refused. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "tests/unit/proxy/certificate.h"

#include <errno.h>
#include <event2/event.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy/tls_int.h"

static struct authority authority, stranger;
static struct certificate server_cert, expired_cert, client_cert, foreign_cert;
static struct event_base *base;

/* One end as sessions and backends are: reads when told, keeps what is not taken. */
struct end {
    struct io *io, *lower;
    struct buf in, out;
    size_t piece;    /* one read takes at most this much */
    ssize_t stopped; /* what ended it: 0 closed, or an error; 1: nothing yet */
    unsigned told;
    char why[128];
};

static void on_ready(void *owner, unsigned events)
{
    struct end *e = owner;
    e->told++;
    if (events & IO_WRITE) {
        assert_int_not_equal(io_flush(e->io, &e->out), IO_LOST);
        return;
    }
    ssize_t n = io_read(e->io, buf_reserve(&e->in, e->piece), e->piece);
    if (n > 0)
        buf_commit(&e->in, (size_t)n);
    if (n > 0 || n == -EAGAIN)
        return;
    e->stopped = n;
    if (n < 0)
        snprintf(e->why, sizeof e->why, "%s", io_error_text(e->io, n));
    io_watch(e->io, 0);
}

static void end_init(struct end *e, struct io *lower, struct tls_context *c, struct slice early)
{
    *e = (struct end){ .lower = lower, .piece = 65536, .stopped = 1 };
    io_set_owner(lower, on_ready, e);
    io_watch(lower, IO_READ);
    e->io = io_tls(c, base, lower, early);
}

static void end_fini(struct end *e)
{
    io_destroy(e->io);
    buf_fini(&e->in);
    buf_fini(&e->out);
}

static void run(struct end *a, struct end *b)
{
    bool moved;
    do {
        unsigned before = (a ? a->told : 0) + (b ? b->told : 0);
        event_base_loop(base, EVLOOP_NONBLOCK);
        moved = a && io_memory_pump(a->lower);
        moved |= b && io_memory_pump(b->lower);
        moved |= (a ? a->told : 0) + (b ? b->told : 0) != before;
    } while (moved);
}

static struct tls_context *clients(const struct client_tls_config *c)
{
    struct tls_context *context = NULL;
    struct err e = { 0 };
    if (tls_context_for_clients(c, &context, &e))
        fail_msg("%s", e.text);
    return context;
}

static struct tls_context *servers(const struct tls_config *c, char *host)
{
    struct tls_context *context = NULL;
    struct address address = { .host = host, .port = 1 };
    struct err e = { 0 };
    if (tls_context_for_server(c, &address, &context, &e))
        fail_msg("%s", e.text);
    return context;
}

struct connection {
    struct tls_context *contexts[2];
    struct end client, server;
};

/* Once more with the contexts that there are. */
static void connect_again(struct connection *c, size_t capacity)
{
    struct io *ends[2];
    io_memory_pair(capacity, ends);
    end_init(&c->client, ends[0], c->contexts[0], slice_of("", 0));
    end_init(&c->server, ends[1], c->contexts[1], slice_of("", 0));
}

static void connect_with(struct connection *c, size_t capacity,
                         const struct client_tls_config *accepting,
                         const struct tls_config *connecting)
{
    c->contexts[0] = servers(connecting, "db.test");
    c->contexts[1] = clients(accepting);
    connect_again(c, capacity);
}

static struct client_tls_config own(enum tls_version version)
{
    return (struct client_tls_config){ .mode = TLS_PREFERRED,
                                       .cert = server_cert.cert,
                                       .key = server_cert.key,
                                       .min_version = version };
}

static void connect_simply(struct connection *c, size_t capacity)
{
    struct client_tls_config accepting = own(TLS_1_2);
    connect_with(c, capacity, &accepting, &(struct tls_config){ .mode = TLS_REQUIRED });
}

static void send_text(struct end *e, const char *text)
{
    struct iovec part = { (void *)(uintptr_t)text, strlen(text) };
    assert_int_not_equal(io_send(e->io, &e->out, &part, 1), IO_LOST);
}

static void expect_text(struct end *e, const char *text)
{
    assert_slice(buf_slice(&e->in), slice_cstr(text), "what came");
    buf_clear(&e->in);
}

/* The handshake is over. */
static void connect_and_greet(struct connection *c)
{
    connect_simply(c, 1 << 20);
    send_text(&c->client, "hello");
    run(&c->client, &c->server);
    expect_text(&c->server, "hello");
}

static void connection_close(struct connection *c)
{
    end_fini(&c->client);
    end_fini(&c->server);
}

static void connection_fini(struct connection *c)
{
    connection_close(c);
    tls_context_destroy(c->contexts[0]);
    tls_context_destroy(c->contexts[1]);
}

/* ---- bytes ---- */

enum { MUCH = 300000 };

static void send_much(struct end *e, uint8_t *bytes)
{
    struct iovec parts[3] = { { bytes, 5 }, { bytes + 5, 0 }, { bytes + 5, MUCH - 5 } };
    for (size_t i = 0; i < MUCH; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 251);
    assert_int_not_equal(io_send(e->io, &e->out, parts, 3), IO_LOST);
}

static void expect_much(const struct end *e, const uint8_t *bytes)
{
    assert_int_equal(buf_len(&e->in), MUCH);
    assert_memory_equal(buf_begin(&e->in), bytes, MUCH);
}

static void bytes_pass_however_small_the_pipe(void **state)
{
    static const size_t capacities[] = { 1, 7, 4096, 16384 + 5, 1 << 20 };
    (void)state;
    uint8_t *bytes = mem_alloc(MUCH);
    for (size_t i = 0; i < COUNT(capacities); i++) {
        struct connection c;
        connect_simply(&c, capacities[i]);
        c.server.piece = i % 2 ? 100 : 65536;
        send_much(&c.client, bytes); /* before the handshake has begun */
        run(&c.client, &c.server);
        expect_much(&c.server, bytes);
        assert_int_equal(buf_len(&c.client.out), 0);
        assert_int_equal(io_watched(c.client.io), IO_READ);
        send_much(&c.server, bytes);
        run(&c.client, &c.server);
        expect_much(&c.client, bytes);
        assert_int_equal(c.client.stopped + c.server.stopped, 2);
        connection_fini(&c);
    }
    mem_free(bytes);
}

static void what_is_left_inside_is_told(void **state)
{
    (void)state;
    struct connection c;
    char byte;
    connect_and_greet(&c);
    io_watch(c.server.io, 0);
    send_text(&c.client, "three little words");
    run(&c.client, &c.server);
    assert_int_equal(buf_len(&c.server.in), 0);
    assert_true(io_peek_readable(c.server.io));
    assert_int_equal(io_read(c.server.io, &byte, 1), 1); /* the pipe is empty now */
    assert_false(io_peek_readable(c.server.lower));
    io_watch(c.server.io, IO_READ);
    c.server.piece = 4;
    run(&c.client, &c.server);
    expect_text(&c.server, "hree little words");
    unsigned told = c.server.told;
    run(&c.client, &c.server);
    assert_int_equal(c.server.told, told);
    connection_fini(&c);
}

static void note(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    *(unsigned *)context += 1;
}

/* However much is inside, others have their turn between two reads. */
static void what_is_left_inside_waits_its_turn(void **state)
{
    (void)state;
    struct connection c;
    int other[2];
    unsigned turns = 0;
    connect_and_greet(&c);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
    assert_int_equal(write(other[1], "x", 1), 1);
    struct event *e = event_new(base, other[0], EV_READ | EV_PERSIST, note, &turns);
    event_add(e, NULL);
    io_watch(c.server.io, 0);
    send_text(&c.client, "three little words");
    c.server.piece = 1;
    io_watch(c.server.io, IO_READ);
    io_memory_pump(c.client.lower);
    while (buf_len(&c.server.in) < 18) {
        size_t before = buf_len(&c.server.in);
        unsigned turns_before = turns;
        event_base_loop(base, EVLOOP_ONCE);
        assert_in_range(buf_len(&c.server.in), before, before + 1);
        assert_int_equal(turns, turns_before + 1);
    }
    event_free(e);
    close(other[0]);
    close(other[1]);
    connection_fini(&c);
}

static void many_small_writes_arrive_in_order(void **state)
{
    (void)state;
    struct connection c;
    struct buf want;
    buf_init(&want);
    connect_simply(&c, 50);
    for (int i = 0; i < 500; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d,", i);
        buf_append_cstr(&want, text);
        send_text(&c.client, text);
        if (i % 7 == 0)
            io_memory_pump(c.client.lower);
    }
    run(&c.client, &c.server);
    expect_text(&c.server, buf_cstr(&want));
    buf_fini(&want);
    connection_fini(&c);
}

/* A client need not wait between its SSLRequest and TLS, so both may come in one read. */
static void bytes_read_before_tls_belong_to_it(void **state)
{
    (void)state;
    for (size_t taken = 1; taken < 200; taken += 13) {
        struct connection c;
        struct io *ends[2];
        uint8_t early[200];
        struct client_tls_config accepting = own(TLS_1_2);
        io_memory_pair(1 << 20, ends);
        c.contexts[0] = servers(&(struct tls_config){ .mode = TLS_REQUIRED }, "db.test");
        c.contexts[1] = clients(&accepting);
        end_init(&c.client, ends[0], c.contexts[0], slice_of("", 0));
        send_text(&c.client, "hello");
        assert_int_equal(io_read(ends[1], early, taken), (ssize_t)taken);
        end_init(&c.server, ends[1], c.contexts[1], slice_of(early, taken));
        run(&c.client, &c.server);
        expect_text(&c.server, "hello");
        connection_fini(&c);
    }
}

/* ---- ends ---- */

static void a_close_is_told_behind_the_last_bytes(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        struct connection c;
        connect_and_greet(&c);
        send_text(&c.client, "bye");
        if (cut) {
            io_memory_close(c.client.lower);
        } else {
            io_destroy(c.client.io);
            c.client.io = NULL;
        }
        run(NULL, &c.server);
        while (c.server.stopped == 1 && io_peek_readable(c.server.io))
            on_ready(&c.server, IO_READ);
        expect_text(&c.server, "bye");
        assert_int_equal(c.server.stopped, 0);
        assert_int_equal(io_write(c.server.io, &(struct iovec){ "x", 1 }, 1), -EPIPE);
        connection_fini(&c);
    }
}

static void what_is_no_tls_is_an_error(void **state)
{
    (void)state;
    struct connection c;
    struct io *ends[2];
    struct client_tls_config accepting = own(TLS_1_2);
    io_memory_pair(1 << 20, ends);
    c.contexts[1] = clients(&accepting);
    end_init(&c.server, ends[1], c.contexts[1], SLICE_LIT("\5\0\0\2hello"));
    event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(c.server.stopped, -EPROTO);
    assert_true(begins(slice_cstr(c.server.why), "TLS: "));
    assert_int_equal(io_read(c.server.io, c.server.why, 1), -EPROTO);
    end_fini(&c.server);
    io_destroy(ends[0]);
    tls_context_destroy(c.contexts[1]);
}

/* A ticket of TLS 1.3 lies in the pipe: nothing that an idle connection has to be closed for. */
static void a_ticket_is_nothing_unexpected(void **state)
{
    (void)state;
    struct connection c;
    connect_simply(&c, 1 << 20);
    send_text(&c.client, "hello");
    io_memory_pump(c.client.lower); /* the server's flight */
    io_memory_pump(c.server.lower); /* the client is done, and reads no more */
    io_watch(c.client.io, IO_WRITE);
    run(&c.client, &c.server);
    expect_text(&c.server, "hello");
    assert_true(io_peek_readable(c.client.lower));
    assert_false(io_peek_readable(c.client.io));
    send_text(&c.server, "x");
    assert_true(io_peek_readable(c.client.io));
    connection_fini(&c);
}

/* ---- who is refused ---- */

static void certificates_are_looked_at_as_the_mode_says(void **state)
{
    static const struct {
        const char *why;
        enum tls_mode mode;
        const struct authority *ca;
        char *name;
        const struct certificate *shown;
        const char *want; /* NULL: it fits */
    } rows[] = {
        { "any will do", TLS_REQUIRED, NULL, NULL, &foreign_cert, NULL },
        { "an expired one, too", TLS_REQUIRED, NULL, NULL, &expired_cert, NULL },
        { "the right CA", TLS_VERIFY_CA, &authority, NULL, &server_cert, NULL },
        { "for another name", TLS_VERIFY_CA, &authority, "x.test", &server_cert, NULL },
        { "the right name", TLS_VERIFY_IDENTITY, &authority, NULL, &server_cert, NULL },
        { "named", TLS_VERIFY_IDENTITY, &authority, "db.test", &server_cert, NULL },
        { "wrong name", TLS_VERIFY_IDENTITY, &authority, "x.test", &server_cert,
          "TLS: hostname mismatch" },
        { "wrong address", TLS_VERIFY_IDENTITY, &authority, "127.0.0.1", &server_cert,
          "TLS: IP address mismatch" },
        { "wrong CA", TLS_VERIFY_CA, &stranger, NULL, &server_cert,
          "TLS: unable to get local issuer certificate" },
        { "expired", TLS_VERIFY_CA, &authority, NULL, &expired_cert,
          "TLS: certificate has expired" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct connection c;
        struct client_tls_config accepting = own(TLS_1_2);
        struct tls_config connecting = { .mode = rows[i].mode, .server_name = rows[i].name };
        accepting.cert = (char *)(uintptr_t)rows[i].shown->cert;
        accepting.key = (char *)(uintptr_t)rows[i].shown->key;
        connecting.ca = rows[i].ca ? (char *)(uintptr_t)rows[i].ca->ca : NULL;
        connect_with(&c, 1 << 20, &accepting, &connecting);
        send_text(&c.client, "hello");
        run(&c.client, &c.server);
        assert_slice(slice_cstr(c.client.why), slice_cstr(rows[i].want), rows[i].why);
        assert_slice(buf_slice(&c.server.in), slice_cstr(rows[i].want ? "" : "hello"), rows[i].why);
        connection_fini(&c);
    }
}

static void clients_show_certificates_as_they_are_asked(void **state)
{
    static const struct {
        const char *why;
        enum client_certificate verify;
        const struct certificate *shown;
        bool fits, has;
    } rows[] = {
        { "none is needed", CERTIFICATE_OPTIONAL, NULL, true, false },
        { "one is shown", CERTIFICATE_OPTIONAL, &client_cert, true, true },
        { "a wrong one is shown", CERTIFICATE_OPTIONAL, &foreign_cert, false, false },
        { "one is missing", CERTIFICATE_REQUIRED, NULL, false, false },
        { "the right one", CERTIFICATE_REQUIRED, &client_cert, true, true },
        { "an expired one", CERTIFICATE_REQUIRED, &expired_cert, false, false },
    };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct connection c;
        struct client_tls_config accepting = own(i % 2 ? TLS_1_3 : TLS_1_2);
        struct tls_config connecting = { .mode = TLS_REQUIRED };
        const struct certificate *shown = rows[i / 2].shown;
        accepting.client_ca = authority.ca;
        accepting.verify_client = rows[i / 2].verify;
        connecting.cert = shown ? (char *)(uintptr_t)shown->cert : NULL;
        connecting.key = shown ? (char *)(uintptr_t)shown->key : NULL;
        connect_with(&c, 1 << 20, &accepting, &connecting);
        send_text(&c.client, "hello");
        run(&c.client, &c.server);
        const char *why = rows[i / 2].why;
        assert_slice(buf_slice(&c.server.in), slice_cstr(rows[i / 2].fits ? "hello" : ""), why);
        if (rows[i / 2].fits != (c.server.stopped == 1))
            fail_msg("%s: %s", why, c.server.why);
        assert_int_equal(io_tls_has_certificate(c.server.io), rows[i / 2].has);
        assert_int_equal(io_tls_is_named(c.server.io, SLICE_LIT("worker")), rows[i / 2].has);
        assert_false(io_tls_is_named(c.server.io, SLICE_LIT("work")));
        connection_fini(&c);
    }
}

/* ---- sessions that go on ---- */

static void no_newer_than(struct tls_context *c, int version)
{
    SSL *ssl = tls_context_connection(c);
    assert_int_equal(SSL_CTX_set_max_proto_version(SSL_get_SSL_CTX(ssl), version), 1);
    SSL_free(ssl);
}

/* Both ends say something, so that the client reads the ticket. */
static void expect_talk(struct connection *c, bool resumed)
{
    send_text(&c->client, "hello");
    run(&c->client, &c->server);
    expect_text(&c->server, "hello");
    send_text(&c->server, "hello yourself");
    run(&c->client, &c->server);
    expect_text(&c->client, "hello yourself");
    assert_int_equal(io_tls_is_resumed(c->client.io), resumed);
    assert_int_equal(io_tls_is_resumed(c->server.io), resumed);
    assert_true(io_tls_has_certificate(c->server.io));
    assert_true(io_tls_is_named(c->server.io, SLICE_LIT("worker")));
}

/* A server that has other keys, as after its restart, is given the whole handshake. */
static void the_next_handshake_goes_on_with_the_last(void **state)
{
    static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct connection c;
        struct client_tls_config accepting = own(TLS_1_2);
        struct tls_config connecting = { .mode = TLS_VERIFY_IDENTITY, .ca = authority.ca,
                                         .cert = client_cert.cert, .key = client_cert.key };
        accepting.client_ca = authority.ca;
        accepting.verify_client = CERTIFICATE_REQUIRED;
        c.contexts[0] = servers(&connecting, "db.test");
        c.contexts[1] = clients(&accepting);
        no_newer_than(c.contexts[1], versions[i]);
        for (int n = 0; n < 4; n++) {
            connect_again(&c, 1 << 20);
            expect_talk(&c, n > 0);
            connection_close(&c);
        }
        tls_context_destroy(c.contexts[1]);
        c.contexts[1] = clients(&accepting);
        no_newer_than(c.contexts[1], versions[i]);
        connect_again(&c, 1 << 20);
        expect_talk(&c, false);
        connection_close(&c);
        connect_again(&c, 1 << 20);
        expect_talk(&c, true);
        connection_fini(&c);
    }
}

/* ---- files ---- */

static void files_that_do_not_fit_are_named(void **state)
{
    (void)state;
    static char missing[] = "/nonexistent.pem";
    const struct {
        const char *why;
        char *cert, *key, *ca, *want;
    } rows[] = {
        { "no file", missing, server_cert.key, NULL, missing },
        { "no key", server_cert.cert, missing, NULL, missing },
        { "a key is no certificate", server_cert.key, server_cert.key, NULL, server_cert.key },
        { "another's key", server_cert.cert, client_cert.key, NULL, client_cert.key },
        { "no CA", server_cert.cert, server_cert.key, missing, missing },
        { "a key is no CA", server_cert.cert, server_cert.key, server_cert.key, server_cert.key },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct client_tls_config config = own(TLS_1_2);
        struct tls_context *c = NULL;
        struct err e = { 0 };
        config.cert = rows[i].cert;
        config.key = rows[i].key;
        config.client_ca = rows[i].ca;
        assert_int_equal(tls_context_for_clients(&config, &c, &e), MQ_TLS_FILES);
        assert_null(c);
        if (!begins(slice_cstr(e.text), rows[i].want))
            fail_msg("%s: '%s'", rows[i].why, e.text);
    }
}

static void an_old_certificate_is_told(void **state)
{
    (void)state;
    struct client_tls_config config = own(TLS_1_2);
    struct tls_context *c = clients(&config);
    assert_null(tls_context_expiry(c));
    tls_context_destroy(c);
    config.cert = expired_cert.cert;
    config.key = expired_cert.key;
    c = clients(&config);
    assert_string_equal(tls_context_expiry(c), "has expired");
    tls_context_destroy(c);
}

static int set_up(void **state)
{
    (void)state;
    base = event_base_new();
    authority_init(&authority, "our CA");
    authority_init(&stranger, "their CA");
    server_cert = authority_issue(&authority, "db.test", CERT_DAY);
    expired_cert = authority_issue(&authority, "old.test", -CERT_DAY);
    client_cert = authority_issue(&authority, "worker", CERT_DAY);
    foreign_cert = authority_issue(&stranger, "db.test", CERT_DAY);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    certificate_remove(&server_cert);
    certificate_remove(&expired_cert);
    certificate_remove(&client_cert);
    certificate_remove(&foreign_cert);
    authority_fini(&authority);
    authority_fini(&stranger);
    event_base_free(base);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_pass_however_small_the_pipe),
        cmocka_unit_test(what_is_left_inside_is_told),
        cmocka_unit_test(what_is_left_inside_waits_its_turn),
        cmocka_unit_test(many_small_writes_arrive_in_order),
        cmocka_unit_test(bytes_read_before_tls_belong_to_it),
        cmocka_unit_test(a_close_is_told_behind_the_last_bytes),
        cmocka_unit_test(what_is_no_tls_is_an_error),
        cmocka_unit_test(a_ticket_is_nothing_unexpected),
        cmocka_unit_test(certificates_are_looked_at_as_the_mode_says),
        cmocka_unit_test(clients_show_certificates_as_they_are_asked),
        cmocka_unit_test(the_next_handshake_goes_on_with_the_last),
        cmocka_unit_test(files_that_do_not_fit_are_named),
        cmocka_unit_test(an_old_certificate_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
