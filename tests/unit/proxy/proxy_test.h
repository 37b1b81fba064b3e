/* What clients and shards of the tests in this folder are expected to see. */
#ifndef MQ_TESTS_PROXY_TEST_H
#define MQ_TESTS_PROXY_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/proxy/gate.h"
#include "wire/stmt.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline void assert_slice(struct slice got, struct slice want, const char *why)
{
    if (!slice_eq(got, want))
        fail_msg("%s: got '%.*s' (%zu bytes), want '%.*s' (%zu bytes)", why, (int)got.len,
                 got.data ? got.data : "", got.len, (int)want.len, want.data ? want.data : "",
                 want.len);
}

/* The next packet, in the order of its answer. */
static inline struct slice expect_packet(struct peer *p, uint8_t seq)
{
    struct packet packet;
    if (!peer_packet(p, &packet))
        fail_msg("no packet where number %u was due", seq);
    assert_int_equal(packet.first_seq, seq);
    return packet.payload;
}

static inline void expect_nothing(struct peer *p)
{
    struct packet packet;
    if (peer_packet(p, &packet))
        fail_msg("unexpected: '%.*s'", (int)packet.payload.len, packet.payload.data);
}

static inline struct ok_packet expect_ok(struct peer *p)
{
    struct ok_packet ok;
    struct slice payload = expect_packet(p, 1);
    if (payload.data[0] != 0)
        fail_msg("no OK: '%.*s'", (int)payload.len, payload.data);
    assert_true(ok_parse(payload, GATE_CLIENT, &ok));
    return ok;
}

static inline void expect_err(struct peer *p, uint8_t seq, uint16_t code, const char *message)
{
    struct err_packet e;
    struct slice payload = expect_packet(p, seq);
    if (!err_parse(payload, &e))
        fail_msg("no ERR %u: '%.*s'", code, (int)payload.len, payload.data);
    if (e.code != code)
        fail_msg("error %u, not %u: %.*s", e.code, code, (int)e.message.len, e.message.data);
    if (!begins(e.message, message))
        fail_msg("'%.*s' does not begin with '%s'", (int)e.message.len, e.message.data, message);
}

/* What the shard got: a COM_QUERY of exactly this text. */
static inline void shard_expect(struct peer *shard, const char *text)
{
    assert_non_null(shard);
    struct slice payload = expect_packet(shard, 0);
    assert_int_equal(payload.data[0], COM_QUERY);
    assert_slice(slice_of(payload.data + 1, payload.len - 1), slice_cstr(text), "statement");
}

static inline struct slice shard_expect_command(struct peer *shard, uint8_t command)
{
    assert_non_null(shard);
    struct slice payload = expect_packet(shard, 0);
    assert_int_equal((uint8_t)payload.data[0], command);
    return slice_of(payload.data + 1, payload.len - 1);
}

static inline void gate_say_ok(struct gate *g, struct peer *shard, uint16_t status)
{
    shard_say_ok(shard, status);
    gate_run(g);
}

static inline void gate_say_err(struct gate *g, struct peer *shard, uint16_t code,
                                const char *message)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    shard_err(&b, &seq, code, "HY000", message);
    peer_send_buf(shard, &b);
    gate_run(g);
}

static inline void gate_say_row(struct gate *g, struct peer *shard, const char *value,
                                uint16_t status)
{
    struct buf b;
    uint8_t seq = 1;
    struct slice row = slice_cstr(value);
    buf_init(&b);
    shard_rows(&b, &seq, &row, 1, g->shard_capabilities, status);
    peer_send_buf(shard, &b);
    gate_run(g);
}

/* A result of one column and these rows, as a client with DEPRECATE_EOF gets it. */
static inline void expect_rows(struct peer *p, const char *const *rows, size_t count)
{
    struct column_def column;
    assert_slice(expect_packet(p, 1), SLICE_LIT("\1"), "column count");
    assert_true(column_def_parse(expect_packet(p, 2), 0, &column));
    assert_slice(column.schema, SLICE_LIT("mq"), "the database as the client knows it");
    for (size_t i = 0; i < count; i++) {
        struct slice row = expect_packet(p, (uint8_t)(3 + i));
        struct reader r = reader_of(row.data, row.len);
        assert_slice(read_lenenc_slice(&r), slice_cstr(rows[i]), "row");
    }
    struct slice end = expect_packet(p, (uint8_t)(3 + count));
    assert_int_equal((uint8_t)end.data[0], 0xfe);
}

/* One row of one column, of an answer of mqgate's own. */
static inline void expect_cell(struct peer *client, const char *value)
{
    expect_packet(client, 1);
    expect_packet(client, 2);
    struct slice row = expect_packet(client, 3);
    struct reader r = reader_of(row.data, row.len);
    assert_slice(read_cell(&r), slice_cstr(value), "value");
    expect_packet(client, 4);
}

static inline struct peer *login(struct gate *g, const char *database)
{
    struct peer *p = client_connect(g);
    assert_true(client_login(g, p, "app", database, GATE_CLIENT));
    return p;
}

enum { IDLE_STATUS = STATUS_AUTOCOMMIT, OPEN_STATUS = STATUS_AUTOCOMMIT | STATUS_IN_TRANS };

#endif
