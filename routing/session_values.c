#include "routing/session_values.h"

#include "routing/plan_int.h"

static struct slice number(struct arena *arena, uint64_t n)
{
    return slice_cstr(arena_printf(arena, "%llu", (unsigned long long)n));
}

static struct slice account(const struct session_facts *facts, struct arena *arena)
{
    const char *host = facts->unix_socket ? "localhost" : "%";
    return slice_cstr(
        arena_printf(arena, "%.*s@%s", (int)facts->user.len, facts->user.data, host));
}

struct slice session_value(const struct session_facts *facts, enum session_value v,
                           struct arena *arena)
{
    switch (v) {
    case SESSION_DATABASE:
        return facts->database;
    case SESSION_CONNECTION_ID:
        return number(arena, facts->connection_id);
    case SESSION_LAST_INSERT_ID:
        return number(arena, facts->last_insert_id);
    case SESSION_ROW_COUNT:
        return slice_cstr(arena_printf(arena, "%lld", (long long)facts->row_count));
    case SESSION_FOUND_ROWS:
        return number(arena, facts->found_rows);
    case SESSION_WARNING_COUNT:
        return number(arena, facts->warning_count);
    case SESSION_ERROR_COUNT:
        return number(arena, facts->error_count);
    case SESSION_USER:
        return account(facts, arena);
    case SESSION_TENANT:
        return facts->scope.has_chosen ? facts->scope.chosen : slice_of(NULL, 0);
    default:
        return slice_of(NULL, 0);
    }
}

static bool is_number(enum session_value v)
{
    return v == SESSION_CONNECTION_ID || v == SESSION_LAST_INSERT_ID || v == SESSION_ROW_COUNT ||
           v == SESSION_FOUND_ROWS || v == SESSION_WARNING_COUNT || v == SESSION_ERROR_COUNT;
}

struct slice session_value_sql(const struct session_facts *facts, enum session_value v,
                               struct arena *arena)
{
    struct slice value = session_value(facts, v, arena);
    struct text t = { .arena = arena };
    if (is_number(v))
        return value;
    if (!value.data)
        return SLICE_LIT("NULL "); /* a word may follow at once */
    text_literal(&t, value);
    return text_slice(&t);
}
