/* The answer to a PREPARE, which is kept for the client and for the plan. */
#include "base/memory.h"
#include "proxy/relay_int.h"

void relay_keep_prepared(struct session *s)
{
    mem_free(s->preparing);
    s->preparing = mem_zalloc(sizeof *s->preparing);
    s->preparing_room = 0;
    s->preparing_param = s->preparing_column = 0;
}

static void keep_payload(struct session *s, struct slice payload)
{
    struct prepare_answer *a = s->preparing;
    size_t need = a->len + sizeof(uint32_t) + payload.len;
    if (need > s->preparing_room) {
        s->preparing_room = need * 2;
        a = s->preparing = mem_resize(a, 1, sizeof *a + s->preparing_room);
    }
    uint32_t len = (uint32_t)payload.len;
    memcpy(a->payloads + a->len, &len, sizeof len);
    memcpy(a->payloads + a->len + sizeof len, payload.data, payload.len);
    a->len = need;
}

static void keep_definition(struct session *s, uint64_t number, struct slice payload)
{
    struct column_def column;
    if (!relay_column_def(s, number, payload, &column)) {
        keep_payload(s, payload);
        return;
    }
    struct buf told;
    buf_init(&told);
    column_def_write(&told, &column, s->capabilities);
    keep_payload(s, buf_slice(&told));
    buf_fini(&told);
}

void relay_prepared_packet(struct session *s, enum answer_packet kind, struct slice payload)
{
    const struct template *t = request_template(&s->request);
    struct prepare_ok ok;
    switch (kind) {
    case ANSWER_PREPARE_OK:
        if (!prepare_ok_parse(payload, &ok))
            break;
        s->preparing_id = ok.statement_id;
        s->preparing->params = (uint16_t)t->client_params;
        s->preparing->columns = ok.columns;
        s->preparing->warnings = ok.warnings;
        break;
    case ANSWER_PARAM_DEF: { /* hidden parameters are not the client's */
        uint32_t number = s->preparing_param++;
        if (number >= t->backend_param_count || param_of_client(t->backend_params[number]) >= 0)
            keep_definition(s, NO_COLUMN, payload);
        break;
    }
    case ANSWER_COLUMN_DEF:
        s->preparing->columns_hash = hash_column(s->preparing->columns_hash, payload,
                                                 s->backend->capabilities);
        keep_definition(s, s->preparing_column++, payload);
        break;
    default:
        break;
    }
}

void relay_prepared(struct session *s)
{
    struct prepare_answer *answer = s->preparing;
    s->preparing = NULL;
    const struct request *q = &s->request;
    answer->key = session_metadata_key(s);
    backend_stmt_add(s->backend, request_stmt_key(q), s->preparing_id,
                     q->names_database ? q->database : s->backend->database);
    /* Not the columns of a part, nor a database that the session has left. */
    if (!q->part_serial && (q->prepare || !q->names_database))
        plan_entry_keep_answer(q->entry, answer);
    else
        mem_free(answer);
}
