/* The pipe in memory that stands in for sockets. */
#include "tests/unit/proxy/proxy_test.h"

#include <errno.h>

struct seen {
    struct io *io;
    unsigned reads, writes;
};

static void on_ready(void *owner, unsigned events)
{
    struct seen *s = owner;
    s->reads += events == IO_READ;
    s->writes += events == IO_WRITE;
}

static ssize_t write_text(struct io *io, const char *a, const char *b)
{
    struct iovec parts[2] = { { (void *)(uintptr_t)a, strlen(a) },
                              { (void *)(uintptr_t)b, strlen(b) } };
    return io_write(io, parts, 2);
}

static void bytes_pass_within_the_capacity(void **state)
{
    (void)state;
    struct io *ends[2];
    char bytes[8];
    io_memory_pair(5, ends);
    assert_int_equal(io_read(ends[1], bytes, sizeof bytes), -EAGAIN);
    assert_int_equal(write_text(ends[0], "abc", "def"), 5);
    assert_int_equal(write_text(ends[0], "f", ""), -EAGAIN);
    assert_true(io_peek_readable(ends[1]));
    assert_int_equal(io_read(ends[1], bytes, 2), 2);
    assert_int_equal(write_text(ends[0], "f", "gh"), 2);
    assert_int_equal(io_read(ends[1], bytes, sizeof bytes), 5);
    assert_memory_equal(bytes, "cdefg", 5);
    assert_int_equal(write_text(ends[1], "back", ""), 4);
    assert_int_equal(io_read(ends[0], bytes, sizeof bytes), 4);
    io_destroy(ends[0]);
    io_destroy(ends[1]);
}

static void what_was_written_before_the_end_is_read(void **state)
{
    (void)state;
    struct io *ends[2];
    char bytes[8];
    for (int destroyed = 0; destroyed < 2; destroyed++) {
        io_memory_pair(5, ends);
        write_text(ends[0], "abc", "");
        if (destroyed)
            io_destroy(ends[0]);
        else
            io_memory_close(ends[0]);
        assert_int_equal(io_read(ends[1], bytes, sizeof bytes), 3);
        assert_true(io_peek_readable(ends[1]));
        assert_int_equal(io_read(ends[1], bytes, sizeof bytes), 0);
        assert_int_equal(write_text(ends[1], "x", ""), -EPIPE);
        assert_false(io_memory_pump(ends[1]) && destroyed);
        if (!destroyed)
            io_destroy(ends[0]);
        io_destroy(ends[1]);
    }
}

static void only_what_is_watched_is_told(void **state)
{
    (void)state;
    struct io *ends[2];
    struct seen seen = { 0 };
    io_memory_pair(4, ends);
    io_set_owner(ends[1], on_ready, &seen);
    write_text(ends[0], "abcd", "");
    assert_false(io_memory_pump(ends[0]));
    io_watch(ends[1], IO_READ);
    assert_true(io_memory_pump(ends[0]));
    assert_int_equal(seen.reads, 1);
    io_watch(ends[1], IO_WRITE);
    assert_true(io_memory_pump(ends[0]));
    assert_int_equal(seen.writes, 1);
    write_text(ends[1], "full", "");
    assert_false(io_memory_pump(ends[0]));
    io_memory_close(ends[0]);
    assert_true(io_memory_pump(ends[0]));
    io_watch(ends[1], 0);
    assert_false(io_memory_pump(ends[0]));
    io_destroy(ends[0]);
    io_destroy(ends[1]);
}

/* Reads what comes, byte by byte. */
struct reader_of_bytes {
    struct io *io;
    size_t bytes, calls;
    bool ended;
};

static void on_bytes(void *owner, unsigned events)
{
    struct reader_of_bytes *r = owner;
    char byte;
    ssize_t n = events & IO_READ ? io_read(r->io, &byte, 1) : -EAGAIN;
    r->calls++;
    r->bytes += n == 1;
    r->ended = n == 0;
    if (r->ended)
        io_watch(r->io, 0);
}

/* Nobody pumps: the loop tells each end, for as long as something is possible. */
static void a_loop_tells_both_ends(void **state)
{
    (void)state;
    struct io *ends[2];
    struct event_base *base = event_base_new();
    struct reader_of_bytes r = { 0 };
    struct seen seen = { 0 };
    io_memory_pair_in(base, 4, ends);
    r.io = ends[1];
    io_set_owner(ends[1], on_bytes, &r);
    io_set_owner(ends[0], on_ready, &seen);
    assert_int_equal(write_text(ends[0], "abcd", "ef"), 4);
    event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(r.calls, 0); /* it does not watch */
    io_watch(ends[1], IO_READ);
    event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(r.bytes, 4);
    assert_int_equal(write_text(ends[0], "efgh", ""), 4);
    io_destroy(ends[0]);
    event_base_loop(base, EVLOOP_NONBLOCK);
    assert_int_equal(r.bytes, 8);
    assert_true(r.ended);
    io_destroy(ends[1]);
    event_base_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_pass_within_the_capacity),
        cmocka_unit_test(a_loop_tells_both_ends),
        cmocka_unit_test(what_was_written_before_the_end_is_read),
        cmocka_unit_test(only_what_is_watched_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
