/* What sockets are told: peers that are gone without a word have to show. */
#define _DEFAULT_SOURCE
#include "tests/unit/proxy/proxy_test.h"

#include <netinet/tcp.h>
#include <unistd.h>

static void expect_option(int fd, int level, int option, int want)
{
    int got = -1;
    socklen_t len = sizeof got;
    assert_int_equal(getsockopt(fd, level, option, &got, &len), 0);
    assert_int_equal(got, want);
}

static void dead_peers_show(void **state)
{
    (void)state;
    struct event_base *base = event_base_new();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct io *io = io_of_socket(base, fd);
    expect_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    expect_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    expect_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    expect_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    expect_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    expect_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60000);
    io_destroy(io);
    event_base_free(base);
}

/* A look takes nothing, and sees both bytes and the end. */
static void peeking(void **state)
{
    (void)state;
    struct event_base *base = event_base_new();
    int ends[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    struct io *io = io_of_socket(base, ends[0]);
    assert_false(io_peek_readable(io));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(io_peek_readable(io));
    assert_int_equal(io_read(io, &byte, 1), 1);
    assert_false(io_peek_readable(io));
    close(ends[1]);
    assert_true(io_peek_readable(io));
    assert_int_equal(io_read(io, &byte, 1), 0);
    io_destroy(io);
    event_base_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_peers_show),
        cmocka_unit_test(peeking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
