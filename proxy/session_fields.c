/* COM_FIELD_LIST: the columns of a table, as PREPARE of `SELECT * FROM` it would describe them.
 * So it needs no tenant, shows what the session's `*` shows, and is answered without a shard when
 * that is known. Old drivers ask it, and command lines that complete names.
 *
 * Source: page_protocol_com_field_list. */
#include "base/memory.h"
#include "proxy/session_int.h"

enum { NO_DEFAULT = 0xfb };

static struct slice select_all(struct session *s, struct slice table)
{
    static const char head[] = "SELECT * FROM `";
    char *text = arena_alloc(&s->worker->arena, strlen(head) + 2 * table.len + 1);
    char *end = text + strlen(head);
    memcpy(text, head, strlen(head));
    for (size_t i = 0; i < table.len; i++) {
        if (table.data[i] == '`')
            *end++ = '`';
        *end++ = table.data[i];
    }
    *end++ = '`';
    return slice_of(text, (size_t)(end - text));
}

bool session_field_list(struct session *s, struct slice body)
{
    struct reader r = reader_of(body.data, body.len);
    struct slice table = read_cstr(&r), like = read_rest(&r);
    struct err e;
    if (r.bad || !table.len) {
        err_set(&e, MQ_PROTOCOL, "Malformed communication packet");
        session_refuse(s, &e);
        return true;
    }
    mem_free(s->fields_like);
    s->fields_like = like.len ? mem_strndup(like) : NULL;
    return session_describe(s, select_all(s, table), END_FIELDS);
}

static bool is_wanted(const struct session *s, struct slice payload)
{
    struct column_def column;
    return !s->fields_like || (column_def_parse(payload, s->capabilities, &column) &&
                               slice_ilike(column.name, slice_cstr(s->fields_like)));
}

/* A definition has the column's default behind it; NULL leaves it out. */
static void write_field(struct session *s, struct slice payload, struct buf *out)
{
    size_t mark = packet_open(out);
    buf_append_slice(out, payload);
    write_u8(out, NO_DEFAULT);
    packet_close(out, mark, &s->seq);
}

void session_answer_fields(struct session *s, const struct prepare_answer *answer)
{
    const uint8_t *next = answer->payloads;
    struct slice payload;
    struct buf out;
    buf_init(&out);
    for (uint32_t i = 0; prepare_answer_next(answer, &next, &payload); i++)
        if (i >= answer->params && is_wanted(s, payload))
            write_field(s, payload, &out);
    struct iovec part = { buf_begin(&out), buf_len(&out) };
    if (buf_len(&out))
        session_send(s, &part, 1);
    buf_fini(&out);
    session_note_warnings(s, 0);
    session_send_end(s);
    mem_free(s->fields_like);
    s->fields_like = NULL;
}
