#include "merge/merge_int.h"

#include "base/memory.h"
#include "wire/packet.h"

/* ---- beginning and ending ---- */

static void copy_inputs(struct merge *m, const struct merge_inputs *in)
{
    m->values = mem_array(in->value_count, sizeof *m->values);
    for (size_t i = 0; i < in->value_count; i++) {
        struct merge_value v = in->values[i];
        if (v.kind == MERGE_VALUE_TEXT || v.kind == MERGE_VALUE_DECIMAL)
            v.text = arena_copy(&m->arena, v.text);
        if (!datum_of_input(&v, &m->values[i]))
            merge_fail(m, MQ_MERGE_VALUE);
    }
    m->skip = in->skip;
    m->most = in->most;
}

static bool has_stages(const struct merge_recipe *r)
{
    return r->order_count || r->hidden || r->columns || r->filter >= 0 || r->grouped ||
           r->having >= 0 || r->sort_count;
}

struct merge *merge_create(const struct merge_recipe *recipe, const struct merge_inputs *inputs,
                           size_t part_count, const struct merge_setting *setting)
{
    size_t columns = (size_t)recipe->shown + recipe->hidden;
    struct merge *m = mem_new(struct merge);
    m->recipe = recipe;
    m->setting = *setting;
    m->part_count = part_count;
    m->parts = mem_array(part_count, sizeof *m->parts);
    for (size_t i = 0; i < part_count; i++)
        part_init(&m->parts[i], setting->part_capabilities, columns);
    m->definition_at = mem_array(columns, sizeof *m->definition_at);
    m->columns = mem_array(columns, sizeof *m->columns);
    m->shape = (struct shape){ setting->binary, m->columns, columns };
    m->splits = has_stages(recipe);
    streams_init(m);
    group_init(m);
    copy_inputs(m, inputs);
    return m;
}

void merge_destroy(struct merge *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->part_count; i++)
        part_fini(&m->parts[i]);
    streams_fini(m);
    stages_fini(m);
    group_fini(m);
    sorter_fini(m);
    buf_fini(&m->definitions);
    buf_fini(&m->info);
    arena_fini(&m->arena);
    mem_free(m->parts);
    mem_free(m->definition_at);
    mem_free(m->columns);
    mem_free(m->values);
    mem_free(m);
}

/* ---- what the stages share ---- */

enum err_code compare_column(const struct merge *m, enum merge_compare how, uint32_t column,
                             const struct row *a, const struct row *b, int *ret)
{
    bool compared = cells_compare(how, &m->columns[column], m->setting.binary,
                                  a->cells[column].bytes, b->cells[column].bytes, ret);
    return compared ? MQ_OK : MQ_MERGE_VALUE;
}

static const char *reason(enum err_code code)
{
    switch (code) {
    case MQ_MERGE_UNEQUAL:
        return "the shards answered with different columns";
    case MQ_MERGE_RANGE:
        return "a merged value is out of range";
    case MQ_MERGE_UNSORTED:
        return "a shard's rows are not sorted as they are compared here";
    case MQ_MERGE_SORT_TOO_LARGE:
        return "there are too many groups to sort them";
    case MQ_MERGE_ROW_TOO_LARGE:
        return "a row is too large to be merged";
    case MQ_SHARD_PROTOCOL:
        return "malformed answer";
    default:
        return "a value of a shard's answer cannot be merged exactly";
    }
}

enum pull merge_fail(struct merge *m, enum err_code code)
{
    if (m->at != AT_FAILURE && code)
        err_set(&m->err, code, "%s", reason(code));
    m->at = AT_FAILURE;
    return PULL_FAILED;
}

void merge_tell_affected(struct merge *m, uint64_t affected)
{
    m->knows_affected = true;
    m->affected = affected;
}

/* ---- the parts ---- */

bool merge_wants(const struct merge *m, size_t part)
{
    return m->at != AT_FAILURE && part_wants(&m->parts[part]);
}

void merge_feed(struct merge *m, size_t part, const void *data, size_t len)
{
    struct part *p = &m->parts[part];
    buf_append(&p->in, data, len);
    p->starves = false;
}

bool merge_part_ended(const struct merge *m, size_t part)
{
    return m->parts[part].answer.ended && m->refused != &m->parts[part];
}

/* ---- the answer ---- */

static void write_end(struct merge *m, struct buf *out, uint8_t *seq)
{
    struct ok_packet *ok = &m->result;
    bool rows = m->recipe->kind == MERGE_ROWS;
    ok->status = m->setting.status;
    if (m->knows_affected)
        ok->affected_rows = m->affected;
    ok->info = buf_slice(&m->info);
    size_t mark = packet_open(out);
    if (rows && !(m->setting.capabilities & CAP_DEPRECATE_EOF))
        eof_write(out, ok->warnings, ok->status);
    else
        ok_write(out, ok, rows ? 0xfe : 0x00, m->setting.capabilities);
    packet_close(out, mark, seq);
    m->at = AT_END;
}

static enum pull begin_answer(struct merge *m, struct buf *out, uint8_t *seq)
{
    enum pull found = head_take(m);
    if (found != PULL_ROW)
        return found;
    m->started = true;
    m->at = AT_ROWS;
    if (m->recipe->kind == MERGE_ROWS)
        return head_write(m, out, seq);
    write_end(m, out, seq);
    return PULL_ROW;
}

static enum pull continue_answer(struct merge *m, struct buf *out, uint8_t *seq)
{
    struct slice payload;
    enum pull found = stages_next(m, &payload);
    if (found == PULL_ROW) {
        packet_append(out, seq, payload);
        m->given++;
    }
    if (found == PULL_END)
        write_end(m, out, seq);
    return found;
}

static enum merge_outcome outcome(const struct merge *m, struct err *reterr)
{
    if (m->at == AT_END)
        return MERGE_ENDED;
    if (m->at != AT_FAILURE)
        return MERGE_FULL;
    if (m->err.code) {
        *reterr = m->err;
        return MERGE_FAILED;
    }
    return MERGE_REFUSED;
}

enum merge_outcome merge_run(struct merge *m, struct buf *out, size_t bound, uint8_t *seq,
                             struct err *reterr)
{
    streams_turn(m);
    while ((m->at == AT_HEADS || m->at == AT_ROWS) && buf_len(out) < bound) {
        enum pull found = m->at == AT_HEADS ? begin_answer(m, out, seq)
                                            : continue_answer(m, out, seq);
        if (found == PULL_WAIT)
            return MERGE_WAITING;
    }
    return outcome(m, reterr);
}

const struct err_packet *merge_refusal(const struct merge *m, size_t *ret_part)
{
    *ret_part = (size_t)(m->refused - m->parts);
    return &m->refused->answer.err;
}

const struct ok_packet *merge_result(const struct merge *m)
{
    return &m->result;
}

uint64_t merge_rows(const struct merge *m)
{
    return m->given;
}

bool merge_started(const struct merge *m)
{
    return m->started;
}
