/* A shard's errors and warnings on their way to the client, in the words that the legacy schema
 * would have had. */
#include "proxy/relay_int.h"
#include "routing/legacy_error.h"

/* What the client reads in front of the tenant's partition keys. */
static struct slice key_prefix(const struct session *s, const char *tenant, char separator)
{
    const char *fallback = s->deployment->topology->config->default_tenant;
    if (!separator || !tenant || (fallback && strcmp(fallback, tenant) == 0))
        return slice_of("", 0);
    return slice_cstr(arena_printf(&s->worker->arena, "%s%c", tenant, separator));
}

static struct legacy_words legacy_words(const struct session *s, const struct catalog_table *table,
                                        char separator)
{
    const char *shard = relay_shard_database(s);
    const char *tenant = session_backend_unsharded(s) ? NULL : s->transaction_tenant;
    return (struct legacy_words){
        .table = table,
        .tenant = slice_cstr(tenant),
        .key_prefix = key_prefix(s, tenant, separator),
        .shard_database = slice_cstr(shard),
        .database = slice_cstr(s->database ? s->database : shard),
    };
}

/* The COMMIT of one of several shards failed. */
static bool was_partly(const struct session *s, const struct err_packet *error, struct err *ret_why)
{
    err_set(ret_why, MQ_SHARD_STATE, "%.*s", (int)error->message.len, error->message.data);
    return session_tell_partly(s, ret_why);
}

/* The error is mqgate's: it had the statement ended, or knows more than the shard. */
static void write_interruption(struct session *s, const struct err *why, struct buf *out)
{
    size_t mark = packet_open(out);
    err_write_catalogue(out, why, s->capabilities | CAP_PROTOCOL_41);
    packet_close(out, mark, &s->seq);
    session_script_drop(s);
}

void relay_write_err(struct session *s, const struct err_packet *error, struct buf *out)
{
    struct buf legacy;
    struct err why;
    struct err_packet told = *error;
    if (session_was_interrupted(s, error, &why) || was_partly(s, error, &why)) {
        write_interruption(s, &why, out);
        return;
    }
    const struct template *t = s->request.entry ? s->request.entry->template : NULL;
    struct legacy_words words =
        legacy_words(s, t ? t->table : NULL, t ? t->key_separator : '\0');
    buf_init(&legacy);
    if (legacy_message(&words, error->code, error->message, &legacy))
        told.message = buf_slice(&legacy);
    size_t mark = packet_open(out);
    err_write(out, &told, s->capabilities | CAP_PROTOCOL_41);
    packet_close(out, mark, &s->seq);
    session_keep_error(s, &told);
    buf_fini(&legacy);
    session_script_drop(s);
}

void session_relay_err(struct session *s, const struct err_packet *error)
{
    struct buf packet;
    buf_init(&packet);
    relay_write_err(s, error, &packet);
    struct iovec part = { buf_begin(&packet), buf_len(&packet) };
    session_send(s, &part, 1);
    buf_fini(&packet);
    s->row_count = -1;
    session_note_failure(s);
}

/* ---- SHOW WARNINGS ---- */

/* SHOW WARNINGS has three columns, SHOW COUNT(*) WARNINGS one. */
enum { MOST_DIAGNOSTICS = sizeof((struct request *)NULL)->types };

static void write_diagnostic(struct session *s, const struct slice *values, size_t count,
                             struct buf *out)
{
    size_t mark = packet_open(out);
    if (s->request.binary)
        binary_row_open(out, values, count);
    for (size_t i = 0; i < count; i++) {
        if (s->request.binary)
            binary_value_write(out, s->request.types[i], values[i]);
        else
            write_lenenc_slice(out, values[i]);
    }
    packet_close(out, mark, &s->seq);
}

/* A warning about a duplicate key names the tenant, as an error would; others the database. */
bool relay_diagnostic(struct session *s, struct slice row, struct buf *out)
{
    struct reader r = reader_of(row.data, row.len);
    struct slice values[MOST_DIAGNOSTICS];
    size_t count = s->backend->answer.columns;
    struct legacy_words words = legacy_words(s, s->last_table, s->last_separator);
    unsigned long long number;
    struct buf legacy;
    if (count > MOST_DIAGNOSTICS)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = read_lenenc_slice(&r);
    buf_init(&legacy);
    bool told = count == MOST_DIAGNOSTICS && slice_to_u64(values[1], &number) &&
                legacy_message(&words, (unsigned)number, values[2], &legacy);
    if (told)
        values[2] = buf_slice(&legacy);
    if (!r.bad && (told || s->request.binary))
        write_diagnostic(s, values, count, out);
    buf_fini(&legacy);
    return !r.bad && (told || s->request.binary);
}

void relay_note_diagnostic_type(struct session *s, size_t number, struct slice definition)
{
    struct column_def column;
    if (s->request.binary && number < MOST_DIAGNOSTICS &&
        column_def_parse(definition, s->backend->capabilities, &column))
        s->request.types[number] = column.type;
}
