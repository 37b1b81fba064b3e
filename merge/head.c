/* The heads of the parts' answers: the columns, on which they have to agree. The client's are the
 * shown ones, as the parts tell them. */
#include "base/memory.h"
#include "merge/merge_int.h"
#include "wire/packet.h"

static size_t width_of(const struct merge *m)
{
    return (size_t)m->recipe->shown + m->recipe->hidden;
}

static enum pull unequal(struct merge *m)
{
    return merge_fail(m, MQ_MERGE_UNEQUAL);
}

static struct slice definition(const struct merge *m, size_t number)
{
    size_t end = number + 1 < m->definition_count ? m->definition_at[number + 1]
                                                  : buf_len(&m->definitions);
    return slice_of(buf_begin(&m->definitions) + m->definition_at[number],
                    end - m->definition_at[number]);
}

static bool keep_definition(struct merge *m, struct slice payload)
{
    struct column_def c;
    if (!column_def_parse(payload, m->setting.part_capabilities, &c))
        return false;
    m->columns[m->definition_count] =
        (struct column){ c.type, c.flags & COLUMN_UNSIGNED, c.decimals };
    m->definition_at[m->definition_count++] = buf_len(&m->definitions);
    buf_append_slice(&m->definitions, payload);
    return true;
}

static bool is_text(uint8_t type)
{
    return type == TYPE_VARCHAR || type == TYPE_VAR_STRING || type == TYPE_STRING ||
           (type >= TYPE_TINY_BLOB && type <= TYPE_BLOB);
}

/* Texts are alike on the wire, whatever column or temporary table they come from. */
static bool same_type(const struct column_def *a, const struct column_def *b)
{
    return (is_text(a->type) && is_text(b->type)) ||
           (a->type == b->type && a->decimals == b->decimals);
}

/* What a value means. The rest depends on the plan that a server has made of the statement (flags,
 * tables when there is a temporary one), or is each shard's own affair: its database's name, the
 * room for a text. */
static bool same_definition(struct slice a, struct slice b, uint64_t capabilities)
{
    struct column_def x, y;
    if (slice_eq(a, b))
        return true;
    return column_def_parse(a, capabilities, &x) && column_def_parse(b, capabilities, &y) &&
           slice_eq(x.name, y.name) && slice_eq(x.extended, y.extended) && x.charset == y.charset && same_type(&x, &y) && !((x.flags ^ y.flags) & COLUMN_UNSIGNED);
}

static enum pull take_definition(struct merge *m, struct part *p)
{
    uint64_t capabilities = m->setting.part_capabilities;
    size_t number = (size_t)p->definitions++;
    if (number < m->definition_count)
        return same_definition(p->payload, definition(m, number), capabilities) ? PULL_ROW
                                                                                : unequal(m);
    return keep_definition(m, p->payload) ? PULL_ROW : merge_fail(m, MQ_SHARD_PROTOCOL);
}

static enum pull take_packet(struct merge *m, struct part *p)
{
    bool rows = m->recipe->kind == MERGE_ROWS;
    switch (part_take(p)) {
    case ANSWER_NEED_MORE:
        return PULL_WAIT;
    case ANSWER_ERR:
        m->refused = p;
        return merge_fail(m, MQ_OK);
    case ANSWER_COLUMN_COUNT:
        return rows && p->answer.columns == width_of(m) ? PULL_ROW : unequal(m);
    case ANSWER_COLUMN_DEF:
        return take_definition(m, p);
    case ANSWER_COLUMNS_EOF:
        p->has_eof = true;
        return PULL_ROW;
    case ANSWER_OK:
        if (rows || !p->answer.ended)
            return unequal(m);
        counts_add(m, &p->answer.ok);
        return PULL_ROW;
    default:
        return merge_fail(m, MQ_SHARD_PROTOCOL);
    }
}

static bool is_complete(const struct merge *m, const struct part *p)
{
    if (m->recipe->kind != MERGE_ROWS)
        return p->answer.ended;
    bool eof_due = !(m->setting.part_capabilities & CAP_DEPRECATE_EOF) && !p->has_eof;
    return p->definitions == width_of(m) && !eof_due;
}

static enum pull take_head(struct merge *m, struct part *p)
{
    while (!is_complete(m, p)) {
        enum pull found = take_packet(m, p);
        if (found != PULL_ROW)
            return found;
    }
    part_let_go(p);
    return PULL_ROW;
}

enum pull head_take(struct merge *m)
{
    enum pull all = PULL_ROW;
    for (size_t i = 0; i < m->part_count; i++) {
        enum pull found = take_head(m, &m->parts[i]);
        if (found == PULL_FAILED)
            return found;
        if (found == PULL_WAIT)
            all = found;
    }
    return all;
}

/* An average has as many digits as were computed. */
static bool shows_averages(const struct merge *m)
{
    const struct merge_recipe *r = m->recipe;
    for (size_t i = 0; r->columns && i < r->shown; i++) {
        const struct merge_expr *e = &r->exprs[r->columns[i]];
        if (e->op != MERGE_AGGREGATE || r->aggregates[e->number].kind != MERGE_AVG)
            continue;
        unsigned want = m->columns[r->aggregates[e->number].column].decimals +
                        (unsigned)m->setting.average_digits;
        if (m->columns[i].decimals != (want < DECIMAL_SCALE_MAX ? want : DECIMAL_SCALE_MAX))
            return false;
    }
    return true;
}

static void write_eof(struct merge *m, struct buf *out, uint8_t *seq)
{
    size_t mark = packet_open(out);
    eof_write(out, 0, m->setting.status);
    packet_close(out, mark, seq);
}

enum pull head_write(struct merge *m, struct buf *out, uint8_t *seq)
{
    if (!shows_averages(m))
        return unequal(m);
    size_t mark = packet_open(out);
    write_lenenc(out, m->recipe->shown);
    packet_close(out, mark, seq);
    for (size_t i = 0; i < m->recipe->shown; i++)
        packet_append(out, seq, definition(m, i));
    if (!(m->setting.capabilities & CAP_DEPRECATE_EOF))
        write_eof(m, out, seq);
    return PULL_ROW;
}
