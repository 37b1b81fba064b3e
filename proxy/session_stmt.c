/* Prepared statements of the client: its numbers, the types it bound, long data. The text is
 * planned once; what differs from one EXECUTE to the next is read from the parameters and
 * from the session, so that one prepared text serves every tenant. */
#include "base/memory.h"
#include "proxy/session_int.h"
#include "routing/qualified_route.h"
#include "routing/session_values.h"

enum {
    UNSIGNED_FLAG = 0x80, /* of a parameter's type */
    /* What the definitions of a statement depend on. */
    METADATA_CAPABILITIES = CAP_FOUND_ROWS | CAP_IGNORE_SPACE | CAP_MARIADB_EXTENDED_METADATA,
};

/* ---- the statements ---- */

/* The last one prepared: clients of MariaDB send EXECUTE before they have read its number. */
static const uint32_t last_prepared = UINT32_MAX;

static struct client_stmt *find(struct session *s, uint32_t id)
{
    struct client_stmt *stmt;
    if (id == last_prepared)
        id = s->last_stmt_id;
    HASH_FIND(hh, s->stmts, &id, sizeof id, stmt);
    return stmt;
}

static void forget_long_data(struct session *s, struct client_stmt *stmt)
{
    for (uint32_t i = 0; stmt->long_data && i < stmt->entry->template->client_params; i++)
        buf_fini(&stmt->long_data[i]);
    mem_free(stmt->long_data);
    mem_free(stmt->has_long_data);
    stmt->long_data = NULL;
    stmt->has_long_data = NULL;
    s->long_bytes -= stmt->long_bytes;
    stmt->long_bytes = 0;
}

static void destroy(struct session *s, struct client_stmt *stmt)
{
    HASH_DEL(s->stmts, stmt);
    s->stmt_count--;
    session_cursor_close(s, stmt);
    forget_long_data(s, stmt);
    mem_free(stmt->database);
    mem_free(stmt->types);
    plan_entry_release(stmt->entry);
    mem_free(stmt);
}

void session_stmts_free(struct session *s)
{
    struct client_stmt *stmt, *following;
    HASH_ITER(hh, s->stmts, stmt, following)
    destroy(s, stmt);
    s->last_stmt_id = 0;
}

static struct client_stmt *create(struct session *s, struct plan_entry *entry, uint32_t id)
{
    struct client_stmt *stmt = mem_new(struct client_stmt);
    stmt->id = id;
    list_init(&stmt->cursor.node);
    stmt->entry = plan_entry_acquire(entry);
    stmt->database = mem_strdup(s->request.database);
    stmt->types = mem_array(entry->template->client_params, sizeof *stmt->types);
    HASH_ADD(hh, s->stmts, id, sizeof stmt->id, stmt);
    s->stmt_count++;
    s->last_stmt_id = id;
    return stmt;
}

/* ---- PREPARE ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return hash_bytes(hash, slice_of((const char *)&value, sizeof value));
}

/* Values are hashed, not their addresses, which another value may have later. */
uint64_t session_metadata_key(const struct session *s)
{
    uint64_t key = mix(1, s->account->backend);
    key = mix(key, s->capabilities & METADATA_CAPABILITIES);
    key = hash_bytes(key, slice_cstr(s->database));
    for (int i = 0; i < VAR_COUNT; i++) {
        const char *value = vars_value(&s->vars, (enum var)i);
        if (value)
            key = hash_bytes(mix(key, (uint64_t)i), slice_cstr(value));
    }
    return key;
}

static void write_definitions(struct session *s, const struct prepare_answer *a,
                              const uint8_t **next, uint16_t count, struct buf *out)
{
    struct slice payload;
    for (uint16_t i = 0; i < count && prepare_answer_next(a, next, &payload); i++)
        packet_append(out, &s->seq, payload);
    if (count && !(s->capabilities & CAP_DEPRECATE_EOF)) {
        size_t mark = packet_open(out);
        eof_write(out, 0, session_own_status(s));
        packet_close(out, mark, &s->seq);
    }
}

static void answer_prepare(struct session *s, const struct prepare_answer *answer)
{
    struct client_stmt *stmt = create(s, s->request.entry, ++s->next_stmt_id);
    stmt->columns = answer->columns;
    stmt->columns_hash = answer->columns_hash;
    struct prepare_ok ok = { .statement_id = stmt->id,
                             .columns = answer->columns,
                             .params = answer->params,
                             .warnings = answer->warnings };
    const uint8_t *next = answer->payloads;
    struct buf out;
    buf_init(&out);
    size_t mark = packet_open(&out);
    prepare_ok_write(&out, &ok);
    packet_close(&out, mark, &s->seq);
    write_definitions(s, answer, &next, answer->params, &out);
    write_definitions(s, answer, &next, answer->columns, &out);
    struct iovec part = { buf_begin(&out), buf_len(&out) };
    session_send(s, &part, 1);
    buf_fini(&out);
    if (!s->request.entry->template->uses_session_value)
        session_note_warnings(s, answer->warnings);
}

/* mqgate answers it by itself, after the shards if it is for all of them. */
static bool is_own(const struct template *t)
{
    return t->verdict == VERDICT_EVERY_SHARD || (t->verdict == VERDICT_LOCAL && !t->also_passes);
}

void session_answer_described(struct session *s, const struct prepare_answer *answer)
{
    if (s->request.end == END_FIELDS)
        session_answer_fields(s, answer);
    else
        answer_prepare(s, answer);
}

/* A statement that mqgate answers itself. Parameters are all there is to describe: it answers with
 * OK, or is a SHOW whose columns servers as well tell at EXECUTE only. */
static struct prepare_answer *describe_params(uint32_t count, uint64_t capabilities)
{
    static const struct column_def param = { .name = { "?", 1 },
                                             .charset = 63,
                                             .type = TYPE_VAR_STRING };
    struct buf definition;
    buf_init(&definition);
    column_def_write(&definition, &param, capabilities);
    uint32_t len = (uint32_t)buf_len(&definition);
    struct prepare_answer *a = mem_zalloc(sizeof *a + count * (sizeof len + len));
    a->params = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(a->payloads + a->len, &len, sizeof len);
        memcpy(a->payloads + a->len + sizeof len, buf_begin(&definition), len);
        a->len += sizeof len + len;
    }
    buf_fini(&definition);
    return a;
}

static void prepare_own(struct session *s, struct plan_entry *entry)
{
    struct prepare_answer *answer =
        describe_params(entry->template->client_params, s->capabilities);
    request_begin(s, END_PREPARED);
    s->request.entry = plan_entry_acquire(entry);
    answer_prepare(s, answer);
    mem_free(answer);
    session_done(s);
}

static void prepare_unsharded(struct session *s, struct plan_entry *entry, enum request_end end)
{
    if (!session_address_unsharded(s, entry, session_server_database(s)))
        return;
    s->request.end = (uint8_t)end;
    s->request.prepare = true;
    s->request.transactional = false;
    session_run_request(s);
}

static void prepare_on_shard(struct session *s, struct plan_entry *entry, enum request_end end)
{
    const struct prepare_answer *known =
        entry->template->home ? NULL : plan_entry_answer(entry, session_metadata_key(s));
    request_begin(s, (uint8_t)end);
    s->request.prepare = true;
    s->request.entry = plan_entry_acquire(entry);
    s->request.names_database = entry->template->show_heading.of_session;
    s->request.database = s->request.names_database ? s->database : NULL;
    if (!known) {
        if (entry->template->table)
            session_run_on_any_shard(s);
        else
            session_run_anywhere(s);
        return;
    }
    session_answer_described(s, known);
    session_done(s);
}

enum err_code session_check_prepare(const struct session *s, const struct template *t,
                                    struct err *reterr)
{
    if (t->verdict == VERDICT_REJECT) {
        *reterr = *t->reject;
        return reterr->code;
    }
    if (is_own(t) && t->client_params && t->local != LOCAL_SET)
        return err_set(reterr, MQ_NOT_PREPARABLE,
                       "this statement takes no parameters; send it as text");
    if (t->local == LOCAL_NOTHING && s->worker->dialect.flavour == FLAVOUR_MYSQL)
        return err_set(reterr, MQ_NOT_PREPARABLE, "comments alone are no statement to MySQL");
    if (t->needs_database && !s->database)
        return err_set(reterr, MQ_DATABASE_NONE, "No database selected");
    struct session_facts facts = session_facts(s);
    enum err_code code = route_check_temporaries(t, &facts, reterr);
    return code ? code : route_check_databases(t, &facts, reterr);
}

static bool refuse_prepare(struct session *s, const struct template *t, enum request_end end)
{
    struct err e;
    if (session_check_prepare(s, t, &e)) {
        session_refuse_statement(s, &e);
        return true;
    }
    if (end != END_PREPARED ||
        s->stmt_count < s->deployment->topology->config->limits.max_prepared_statements)
        return false;
    err_set(&e, MQ_TOO_MANY_STATEMENTS, "this connection has %u prepared statements",
            s->stmt_count);
    session_refuse(s, &e);
    return true;
}

/* NULL, with the reason, when the text cannot be read. The caller releases the plan. */
static struct plan_entry *plan_prepared(struct session *s, struct slice text, struct err *reterr)
{
    struct worker *w = s->worker;
    struct topology *topology = s->deployment->topology;
    struct dialect dialect = session_dialect(s);
    struct lexed lexed;
    struct plan_entry *seen = plan_cache_find_prepared(w->plans, topology, &dialect, text);
    if (seen)
        return seen;
    if (lex(text, &dialect, &w->arena, &lexed, reterr))
        return NULL;
    return plan_cache_get(w->plans, topology, &dialect, &lexed, true);
}

bool session_describe(struct session *s, struct slice text, enum request_end end)
{
    struct err e;
    s->last_stmt_id = 0;
    if (!session_knows_dialect(s) || !session_knows_itself(s, NULL))
        return false;
    struct plan_entry *entry = plan_prepared(s, text, &e);
    if (!entry) {
        session_refuse_statement(s, &e);
        return true;
    }
    s->statement = &entry->lexed;
    if (!refuse_prepare(s, entry->template, end)) {
        if (is_own(entry->template))
            prepare_own(s, entry);
        else if (entry->template->verdict == VERDICT_UNSHARDED)
            prepare_unsharded(s, entry, end);
        else
            prepare_on_shard(s, entry, end);
    }
    plan_entry_release(entry);
    return true;
}

bool session_prepare(struct session *s, struct slice text)
{
    return session_describe(s, session_trim_text(text), END_PREPARED);
}

/* ---- EXECUTE ---- */

struct client_stmt *session_stmt_find(struct session *s, struct slice payload, const char *function)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint32_t id = read_u32(&r);
    struct client_stmt *stmt = r.bad ? NULL : find(s, id);
    if (!stmt) {
        struct err e;
        err_set(&e, MQ_STATEMENT_ID_UNKNOWN, "Unknown prepared statement handler (%u) given to %s",
                id, function);
        session_refuse(s, &e);
    }
    return stmt;
}

static bool is_text_type(uint8_t type)
{
    switch (type) {
    case TYPE_VARCHAR:
    case TYPE_VAR_STRING:
    case TYPE_STRING:
    case TYPE_ENUM:
    case TYPE_SET:
    case TYPE_JSON:
    case TYPE_TINY_BLOB:
    case TYPE_MEDIUM_BLOB:
    case TYPE_LONG_BLOB:
    case TYPE_BLOB:
        return true;
    default:
        return false;
    }
}

/* Long data takes the place of what the packet leaves out. Only a type that is sent with its
 * length may stand for it: under another one the shard would read what follows as values. */
static void fill_long_data(struct session *s, struct client_stmt *stmt, struct execute *x)
{
    for (uint32_t i = 0; stmt->long_data && i < stmt->entry->template->client_params; i++) {
        if (!stmt->has_long_data[i])
            continue;
        struct param_type type = x->params[i].type;
        x->params[i] = execute_string(&s->worker->arena, buf_slice(&stmt->long_data[i]));
        if (is_text_type(type.type))
            x->params[i].type = type;
    }
}

static bool is_integer_type(uint8_t type)
{
    return type == TYPE_TINY || type == TYPE_SHORT || type == TYPE_LONG || type == TYPE_LONGLONG;
}

static bool is_negative(const struct execute_param *p)
{
    return !(p->type.flags & UNSIGNED_FLAG) && p->content.len &&
           (p->content.data[p->content.len - 1] & 0x80);
}

static struct param_value *values_of(struct session *s, const struct execute *x, uint32_t count)
{
    struct param_value *values = arena_array(&s->worker->arena, struct param_value, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct execute_param *p = &x->params[i];
        values[i].kind = p->null || p->type.type == TYPE_NULL ? PARAM_VALUE_NULL
                         : is_text_type(p->type.type)         ? PARAM_VALUE_STRING
                         : is_integer_type(p->type.type)      ? PARAM_VALUE_INTEGER
                         : p->type.type == TYPE_DOUBLE        ? PARAM_VALUE_DOUBLE
                                                              : PARAM_VALUE_OTHER;
        values[i].bytes = p->content;
        values[i].negative = values[i].kind == PARAM_VALUE_INTEGER && is_negative(p);
    }
    return values;
}

static struct execute_param hidden_param(struct session *s, int32_t number,
                                         const struct binding *binding)
{
    struct arena *arena = &s->worker->arena;
    if (number == PARAM_TENANT)
        return execute_string(arena, slice_cstr(binding->tenant->name));
    if (number == PARAM_LIMIT)
        return execute_unsigned(arena, binding->limit);
    struct session_facts facts = session_facts(s);
    struct slice value = session_value(&facts, (enum session_value)(PARAM_SESSION - number), arena);
    struct execute_param p = execute_string(arena, value);
    p.null = !value.data;
    return p;
}

/* The client's qualified partition key without its tenant, of the type that the client sends. */
static struct execute_param key_param(struct session *s, const struct template *t,
                                      const struct execute_param *from)
{
    struct slice tenant, key;
    if (from->null || !is_text_type(from->type.type) ||
        !qualified_split(t, from->content, &tenant, &key))
        return *from;
    struct execute_param p = execute_string(&s->worker->arena, key);
    p.type = from->type;
    return p;
}

/* The tenant of such a key; NULL when it names none, which no row is compared equal to. */
static struct execute_param key_tenant(struct session *s, const struct template *t,
                                       const struct execute_param *from)
{
    struct arena *arena = &s->worker->arena;
    struct slice tenant, key,
        fallback = t->key_default ? slice_cstr(t->key_default) : slice_of("", 0);
    bool is_text = !from->null && is_text_type(from->type.type);
    bool named = is_text && qualified_split(t, from->content, &tenant, &key);
    struct execute_param p = execute_string(arena, named ? tenant : fallback);
    p.null = !is_text || (!named && !t->key_default);
    return p;
}

static struct execute_param shard_param(struct session *s, const struct template *t,
                                        const struct execute *x, int32_t number,
                                        const struct binding *binding)
{
    if (number >= 0)
        return x->params[number];
    if (param_of_tenant(number) >= 0)
        return key_tenant(s, t, &x->params[param_of_tenant(number)]);
    return number <= PARAM_KEY ? key_param(s, t, &x->params[param_of_client(number)])
                               : hidden_param(s, number, binding);
}

/* Other bits would name another type. vtgate looks for the bit that a column has, and would take
 * numbers from 2^63 on for negative ones (parseComStmtExecute in its go/mysql/query.go). */
static uint8_t type_flags(const struct session *s, uint8_t flags)
{
    enum { COLUMN_UNSIGNED_FLAG = 0x20 };
    bool vtgate = session_on_vitess(s) && !session_targets_unsharded(s);
    return !(flags & UNSIGNED_FLAG) ? 0
           : vtgate                 ? UNSIGNED_FLAG | COLUMN_UNSIGNED_FLAG
                                    : UNSIGNED_FLAG;
}

/* The client's in its order, hidden ones where the text has them. */
uint64_t session_compose_execute(struct session *s, const struct template *t,
                                 const struct execute *x, const struct binding *binding,
                                 struct buf *out)
{
    struct arena *arena = &s->worker->arena;
    struct execute_param *params = arena_array(arena, struct execute_param, t->backend_param_count);
    for (uint32_t i = 0; i < t->backend_param_count; i++) {
        int32_t number = t->backend_params[i];
        params[i] = shard_param(s, t, x, number, binding);
        params[i].type.flags = type_flags(s, params[i].type.flags);
    }
    uint8_t seq = 0;
    size_t mark = packet_open(out);
    execute_write(out, 0, s->request.opens_cursor ? CURSOR_READ_ONLY : 0, params,
                  t->backend_param_count);
    packet_close(out, mark, &seq);
    return session_bound_types(params, t->backend_param_count);
}

static void compose(struct session *s, const struct template *t, const struct execute *x,
                    const struct route *r)
{
    struct binding binding = { .tenant = r->tenant };
    s->request.bound = session_compose_execute(s, t, x, &binding, &s->request.bytes);
}

static void run_unsharded(struct session *s, struct client_stmt *stmt, const struct execute *x,
                          const struct route *r)
{
    if (!session_address_unsharded(s, stmt->entry, stmt->database))
        return;
    s->request.execute = true;
    s->request.stmt = stmt;
    session_ask_cursor(s, x->flags & CURSOR_READ_ONLY);
    s->last_table = NULL;
    compose(s, stmt->entry->template, x, r);
    forget_long_data(s, stmt);
    session_run_request(s);
}

static void run(struct session *s, struct client_stmt *stmt, const struct execute *x,
                const struct route *r)
{
    if (r->verdict == VERDICT_UNSHARDED) {
        run_unsharded(s, stmt, x, r);
        return;
    }
    request_begin(s, END_RELAYED);
    s->request.execute = true;
    s->request.entry = plan_entry_acquire(stmt->entry);
    s->request.stmt = stmt;
    session_ask_cursor(s, x->flags & CURSOR_READ_ONLY);
    s->request.names_database = stmt->entry->template->show_heading.of_session;
    s->request.database = stmt->database;
    compose(s, stmt->entry->template, x, r);
    forget_long_data(s, stmt);
    if (r->verdict != VERDICT_SINGLE) {
        session_run_passed(s);
        return;
    }
    session_address_single(s, stmt->entry->template, r);
    session_run_request(s);
}

/* Servers read these two as strings, whatever their names say. No client sends them. */
static enum err_code check_types(const struct client_stmt *stmt, struct err *reterr)
{
    for (uint32_t i = 0; i < stmt->entry->template->client_params; i++)
        if (stmt->types[i].type == TYPE_YEAR || stmt->types[i].type == TYPE_INT24)
            return err_set(reterr, MQ_PARAMETER_VALUES, "parameter %u is bound as type %u", i + 1,
                           stmt->types[i].type);
    return MQ_OK;
}

/* After a reload, or when more is known of the servers, the text is planned anew. What `*`
 * stands for was decided by PREPARE. */
static enum err_code plan_again(struct session *s, struct client_stmt *stmt, struct err *reterr)
{
    struct plan_entry *old = stmt->entry;
    struct topology *topology = s->deployment->topology;
    struct dialect dialect = session_dialect(s);
    dialect.modes = old->dialect.modes;
    if (old->topology == topology && dialect_eq(&old->dialect, &dialect))
        return MQ_OK;
    struct plan_entry *entry = plan_prepared(s, old->lexed.text, reterr);
    if (!entry)
        return reterr->code;
    if (entry->template->verdict == VERDICT_REJECT)
        *reterr = *entry->template->reject;
    else if (is_own(entry->template) != is_own(old->template) ||
             entry->template->client_params != old->template->client_params)
        err_set(reterr, MQ_NOT_PREPARABLE,
                "since a reload this statement has to be prepared again");
    if (reterr->code) {
        plan_entry_release(entry);
        return reterr->code;
    }
    stmt->entry = entry;
    plan_entry_release(old);
    return MQ_OK;
}

static bool has_attributes(const struct session *s)
{
    return s->capabilities & CAP_QUERY_ATTRIBUTES;
}

bool session_execute(struct session *s, struct slice payload)
{
    struct client_stmt *stmt =
        session_stmt_find(s, slice_of(payload.data + 1, payload.len - 1), "mysqld_stmt_execute");
    struct execute x;
    struct err e;
    struct route r;
    bool refused;
    if (!stmt)
        return true;
    session_cursor_close(s, stmt);
    const struct template *t = stmt->entry->template;
    if (!session_knows_itself(s, t))
        return false;
    e.code = MQ_OK;
    if (stmt->long_error.code)
        e = stmt->long_error;
    if (!e.code && ((stmt->entry->dialect.modes ^ s->modes) & ~MODE_TENANT_SCHEMA))
        err_set(&e, MQ_SQL_MODE_UNSAFE,
                "sql_mode reads statements differently since this one was prepared");
    if (!e.code && plan_again(s, stmt, &e) == MQ_OK) {
        t = stmt->entry->template;
        execute_parse(payload, t->client_params, has_attributes(s), stmt->types, &stmt->has_types,
                      stmt->has_long_data, &s->worker->arena, &x, &e);
    }
    if (!e.code && t->client_params)
        check_types(stmt, &e);
    if (e.code) {
        forget_long_data(s, stmt);
        session_refuse(s, &e);
        return true;
    }
    s->statement = &stmt->entry->lexed;
    fill_long_data(s, stmt, &x);
    if (!session_knows(s, stmt->entry, &stmt->entry->lexed, &refused))
        return false;
    if (refused) {
        forget_long_data(s, stmt);
        return true;
    }
    s->binary = true;
    if (t->verdict == VERDICT_LOCAL && !t->also_passes) {
        session_local(s, stmt->entry, &stmt->entry->lexed, values_of(s, &x, t->client_params));
        forget_long_data(s, stmt);
        return true;
    }
    if (!session_route(s, stmt->entry, &stmt->entry->lexed, values_of(s, &x, t->client_params), &r,
                       &refused))
        return false;
    if (refused) {
        forget_long_data(s, stmt);
    } else if (r.verdict == VERDICT_TENANTS) {
        session_run_tenants(s, stmt->entry, s->statement, values_of(s, &x, t->client_params), &r,
                            &x, stmt);
        forget_long_data(s, stmt);
    } else if (r.verdict == VERDICT_EVERY_SHARD)
        session_begin_every_shard(s, stmt->entry);
    else
        run(s, stmt, &x, &r);
    return true;
}

/* ---- SEND_LONG_DATA, RESET, CLOSE ---- */

static void take_long_data(struct session *s, struct client_stmt *stmt, uint16_t number,
                           struct slice data)
{
    uint32_t count = stmt->entry->template->client_params;
    size_t max = s->deployment->topology->config->limits.max_statement_size;
    if (number >= count) {
        err_set(&stmt->long_error, MQ_PARAMETER_VALUES, "long data for parameter %u of %u",
                number + 1u, count);
        return;
    }
    if (s->long_bytes > max || data.len > max - s->long_bytes) {
        err_set(&stmt->long_error, MQ_STATEMENT_TOO_LARGE,
                "long data is larger than limits.max_statement_size");
        return;
    }
    if (!stmt->long_data) {
        stmt->long_data = mem_array(count, sizeof *stmt->long_data);
        stmt->has_long_data = mem_array(count, sizeof *stmt->has_long_data);
    }
    stmt->has_long_data[number] = true;
    stmt->long_bytes += data.len;
    s->long_bytes += data.len;
    buf_append_slice(&stmt->long_data[number], data);
}

/* No answer, whatever happens: errors are told at EXECUTE. */
void session_long_data(struct session *s, struct slice payload)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint32_t id = read_u32(&r);
    uint16_t number = read_u16(&r);
    struct client_stmt *stmt = r.bad ? NULL : find(s, id);
    if (stmt && !stmt->long_error.code)
        take_long_data(s, stmt, number, read_rest(&r));
}

void session_stmt_close(struct session *s, struct slice payload)
{
    struct reader r = reader_of(payload.data, payload.len);
    struct client_stmt *stmt = find(s, read_u32(&r));
    if (stmt && !r.bad)
        destroy(s, stmt);
}

void session_stmt_reset(struct session *s, struct slice payload)
{
    struct client_stmt *stmt = session_stmt_find(s, payload, "mysqld_stmt_reset");
    if (!stmt)
        return;
    forget_long_data(s, stmt);
    stmt->long_error.code = MQ_OK;
    session_cursor_close(s, stmt);
    session_done_ok(s);
}

/* ---- statements that the server numbers ---- */

static void destroy_known(struct session *s, uint32_t id)
{
    struct client_stmt *stmt = find(s, id);
    if (stmt)
        destroy(s, stmt);
}

void session_stmt_add(struct session *s, struct plan_entry *entry, uint32_t id)
{
    destroy_known(s, id);
    if (s->stmt_count < s->deployment->topology->config->limits.max_prepared_statements)
        create(s, entry, id);
}

void session_stmt_forget_data(struct session *s, struct slice payload)
{
    struct reader r = reader_of(payload.data, payload.len);
    struct client_stmt *stmt = find(s, read_u32(&r));
    if (stmt && !r.bad)
        forget_long_data(s, stmt);
}

struct plan_entry *session_stmt_values(struct session *s, struct slice payload,
                                       struct param_value **ret_values)
{
    struct reader r = reader_of(payload.data + 1, payload.len - 1);
    struct client_stmt *stmt = find(s, read_u32(&r));
    struct execute x;
    *ret_values = NULL;
    if (!stmt || r.bad)
        return NULL;
    uint32_t count = stmt->entry->template->client_params;
    if (execute_parse(payload, count, has_attributes(s), stmt->types, &stmt->has_types,
                      stmt->has_long_data, &s->worker->arena, &x, NULL) == MQ_OK) {
        fill_long_data(s, stmt, &x);
        *ret_values = values_of(s, &x, count);
    }
    return stmt->entry;
}
