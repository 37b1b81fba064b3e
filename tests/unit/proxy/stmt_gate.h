/* Prepared statements between clients and shards: what the tests of them say and expect. */
#ifndef MQ_TESTS_STMT_GATE_H
#define MQ_TESTS_STMT_GATE_H

#include "tests/unit/proxy/gate_test.h"

enum { THEIR_ID = 40 };

static inline void add_definition(struct buf *b, uint8_t *seq, const char *name)
{
    struct column_def column = { .schema = SLICE_LIT("shard"),
                                 .name = slice_cstr(name),
                                 .charset = 45,
                                 .type = TYPE_VAR_STRING };
    size_t mark = packet_open(b);
    column_def_write(b, &column, 0);
    packet_close(b, mark, seq);
}

/* An end of rows or definitions, as a client of the shard's with mqgate's flags gets it. */
static inline void add_end(struct gate *g, struct buf *b, uint8_t *seq, uint16_t status)
{
    size_t mark = packet_open(b);
    if (g->shard_capabilities & CAP_DEPRECATE_EOF)
        ok_write(b, &(struct ok_packet){ .status = status }, 0xfe, GATE_SHARD);
    else
        eof_write(b, 0, status);
    packet_close(b, mark, seq);
}

/* The EOF behind a list of definitions. */
static inline void add_definitions_end(struct gate *g, struct buf *b, uint8_t *seq)
{
    if (!(g->shard_capabilities & CAP_DEPRECATE_EOF))
        add_end(g, b, seq, STATUS_AUTOCOMMIT);
}

/* The shard has prepared: parameters p0, p1, …, one column. */
static inline void shard_say_prepared_warned(struct gate *g, struct peer *shard, uint32_t id,
                                             uint16_t params, uint16_t warnings)
{
    static const char *const names[] = { "p0", "p1", "p2", "p3", "p4" };
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    struct prepare_ok ok = { .statement_id = id, .params = params, .columns = 1,
                             .warnings = warnings };
    size_t mark = packet_open(&b);
    prepare_ok_write(&b, &ok);
    packet_close(&b, mark, &seq);
    for (uint16_t i = 0; i < params; i++)
        add_definition(&b, &seq, names[i]);
    if (params)
        add_definitions_end(g, &b, &seq);
    add_definition(&b, &seq, "id");
    add_definitions_end(g, &b, &seq);
    peer_send_buf(shard, &b);
    gate_run(g);
}

static inline void shard_say_prepared(struct gate *g, struct peer *shard, uint32_t id,
                                      uint16_t params)
{
    shard_say_prepared_warned(g, shard, id, params, 0);
}

static inline struct prepare_ok expect_prepared(struct peer *p, uint16_t params)
{
    struct prepare_ok ok;
    struct column_def column;
    assert_true(prepare_ok_parse(expect_packet(p, 1), &ok));
    assert_int_equal(ok.params, params);
    for (uint8_t i = 0; i < params; i++)
        assert_true(column_def_parse(expect_packet(p, (uint8_t)(2 + i)), 0, &column));
    assert_true(column_def_parse(expect_packet(p, (uint8_t)(2 + params)), 0, &column));
    assert_slice(column.name, SLICE_LIT("id"), "column");
    assert_slice(column.schema, SLICE_LIT("mq"), "its database");
    expect_nothing(p);
    return ok;
}

static inline bool next_is(const struct peer *shard, uint8_t command)
{
    return buf_len(&shard->in) > PACKET_HEADER && buf_begin(&shard->in)[PACKET_HEADER] == command;
}

/* Prepares through a shard, whichever it is; there its number is THEIR_ID and the shard's. */
static inline uint32_t prepare(struct gate *g, struct peer *p, const char *text, const char *sent,
                               uint16_t params)
{
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(g);
    for (size_t i = 0; i < g->shard_count; i++) {
        struct peer *shard = &g->shards[i];
        if (!buf_len(&shard->in))
            continue;
        if (next_is(shard, COM_STMT_CLOSE))
            shard_expect_command(shard, COM_STMT_CLOSE);
        assert_slice(shard_expect_command(shard, COM_STMT_PREPARE), slice_cstr(sent), "prepared");
        shard_say_prepared(g, shard, THEIR_ID + shard->shard, params + 1);
    }
    return expect_prepared(p, params).statement_id;
}

static inline void execute(struct gate *g, struct peer *p, uint32_t id,
                           const struct execute_param *params, size_t count)
{
    struct buf payload;
    buf_init(&payload);
    execute_write(&payload, id, 0, params, count);
    peer_send_packet(p, 0, buf_slice(&payload));
    buf_fini(&payload);
    gate_run(g);
}

#endif
