/* An answer's columns beside those that PREPARE has told of. They differ after DDL that mqgate has
 * not seen: then what is kept of PREPARE's answers is forgotten, and a client whose statement has
 * another number of columns is told so, as by a server that has prepared it again.
 *
 * What a server says of a column at EXECUTE may differ from what it said at PREPARE without any
 * DDL. So only names, and types of tables' own columns, are looked at, and a difference that was
 * seen before counts for nothing. */
#include "proxy/session_int.h"

uint64_t hash_column(uint64_t hash, struct slice definition, uint64_t capabilities)
{
    struct column_def column;
    if (!column_def_parse(definition, capabilities, &column))
        return hash_bytes(hash, definition);
    hash = hash_bytes(hash, column.name);
    hash = hash_bytes(hash, column.org_name);
    hash = hash_bytes(hash, column.org_table);
    if (column.org_name.len)
        hash = hash_bytes(hash, slice_of((const char *)&column.type, sizeof column.type));
    return hash;
}

void session_note_columns(struct session *s, uint64_t count)
{
    struct client_stmt *stmt = s->request.execute ? s->request.stmt : NULL;
    s->definitions_left = count;
    s->columns_hash = 0;
    if (!stmt || !stmt->columns || stmt->columns == count)
        return;
    stmt->columns = (uint16_t)count;
    s->metadata_changed = s->rewriting = true;
}

static void note_last(struct session *s)
{
    struct client_stmt *stmt = s->request.execute ? s->request.stmt : NULL;
    struct plan_entry *entry = s->request.entry;
    if (!stmt || !stmt->columns || stmt->columns_hash == s->columns_hash)
        return;
    stmt->columns_hash = s->columns_hash;
    if (entry->columns_seen == s->columns_hash)
        return;
    entry->columns_seen = s->columns_hash;
    plan_entry_forget_answers(entry);
}

void session_note_column(struct session *s, struct slice definition)
{
    if (!s->definitions_left)
        return;
    if (s->request.execute)
        s->columns_hash =
            hash_column(s->columns_hash, definition, s->backend->capabilities);
    if (--s->definitions_left == 0)
        note_last(s);
}

void session_note_head(struct session *s, uint64_t count, uint64_t hash)
{
    session_note_columns(s, count);
    s->definitions_left = 0;
    s->columns_hash = hash;
    note_last(s);
}
