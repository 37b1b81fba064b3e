/* A statement for several tenants before it begins: may it run here and now, and what is each part
 * asked? The parts' commands are made at once, while the client's bytes are at hand. */
#include <stdlib.h>

#include "base/memory.h"
#include "proxy/session_int.h"

/* What the parts are made of; all of it is gone when the command's handler returns. */
struct asked {
    struct session *s;
    struct plan_entry *entry;
    const struct template *t; /* for several tenants */
    const struct lexed *lexed;
    struct route r;
    const struct execute *execute; /* NULL: text */
    struct client_stmt *stmt;      /* the same */
    struct merge_inputs inputs;
};

/* ---- may it run? ---- */

static bool is_write(const struct template *t)
{
    return t->merge->kind != MERGE_ROWS;
}

enum err_code session_check_tenants(const struct template *t, bool open, bool due,
                                    struct err *reterr)
{
    if (open)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "the statement is for several tenants, the transaction is not; commit it "
                       "first, or name one tenant");
    if (is_write(t) && due)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "a write for several tenants commits with each of them; send it outside of "
                       "a transaction with autocommit=1, or name one tenant");
    return MQ_OK;
}

static enum err_code check(const struct session *s, const struct template *t, struct err *reterr)
{
    bool due = s->begin_pending || !(s->status & STATUS_AUTOCOMMIT);
    if (session_check_sharded(s, reterr) ||
        session_check_tenants(t, session_in_transaction(s), due, reterr))
        return reterr->code;
    if (s->next.isolation || s->next.access)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "SET TRANSACTION is for one transaction, and the statement would be one on "
                       "each shard; leave it out, write SET SESSION, or name one tenant");
    return MQ_OK;
}

/* ---- what the parts are asked ---- */

static const char *shard_database(const struct session *s, uint32_t shard)
{
    return s->deployment->topology->shards[shard].config->database;
}

static size_t open_query(struct buf *command)
{
    size_t mark = packet_open(command);
    write_u8(command, COM_QUERY);
    return mark;
}

static void close_command(struct buf *command, size_t mark)
{
    uint8_t seq = 0;
    packet_close(command, mark, &seq);
}

/* The same text may be prepared on the shard already: it has a serial number of its own, since
 * the tenants are named in it. */
static void ask_prepared(const struct asked *a, const struct route_part *part,
                         struct part_request *ret)
{
    struct session *s = a->s;
    struct session_facts facts = session_facts(s);
    struct binding binding = { .limit = merge_inputs_limit(&a->inputs) };
    route_part_text(a->t, a->lexed, part, &a->inputs, &facts, shard_database(s, part->shard), true,
                    &s->worker->arena, &ret->text);
    ret->execute = true;
    ret->serial = plan_entry_part_serial(s->worker->plans, a->entry, buf_slice(&ret->text));
    ret->bound = session_compose_execute(s, a->t, a->execute, &binding, &ret->command);
}

static void ask_shard(const struct asked *a, const struct route_part *part,
                      struct part_request *ret)
{
    struct session *s = a->s;
    struct session_facts facts = session_facts(s);
    const struct shard_config *shard = s->deployment->topology->shards[part->shard].config;
    bool one = config_is_vitess(s->deployment->topology->config) && part->tenant_count == 1;
    ret->shard = part->shard;
    ret->name = mem_strdup(one ? part->tenants[0]->name : shard->name);
    if (a->execute) {
        ask_prepared(a, part, ret);
        return;
    }
    size_t mark = open_query(&ret->command);
    route_part_text(a->t, a->lexed, part, &a->inputs, &facts, shard->database, false,
                    &s->worker->arena, &ret->command);
    close_command(&ret->command, mark);
}

/* The statement as it would be for this tenant alone. */
static void ask_tenant(const struct asked *a, const struct tenant *tenant, uint32_t shard,
                       struct part_request *ret)
{
    struct session *s = a->s;
    struct session_facts facts = session_facts(s);
    struct binding binding = { .tenant = tenant };
    ret->shard = shard;
    ret->name = mem_strdup(tenant->name);
    ret->tenant = mem_strdup(tenant->name);
    ret->execute = a->execute != NULL;
    if (a->execute) {
        ret->bound = session_compose_execute(s, a->entry->template, a->execute, &binding,
                                             &ret->command);
        return;
    }
    size_t mark = open_query(&ret->command);
    route_text(a->entry->template, a->lexed, tenant, &facts, shard_database(s, shard), false,
               &s->worker->arena, &ret->command);
    close_command(&ret->command, mark);
}

/* ---- for each tenant, in the order of their bytes ---- */

struct placed {
    const struct tenant *tenant;
    uint32_t shard;
};

static int by_name(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return strcmp(x->tenant->name, y->tenant->name);
}

static size_t count_tenants(const struct route *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->part_count; i++)
        n += r->parts[i].tenant_count;
    return n;
}

static struct placed *list_tenants(const struct asked *a, size_t count)
{
    const struct route *r = &a->r;
    struct placed *all = arena_array(&a->s->worker->arena, struct placed, count);
    size_t n = 0;
    for (size_t i = 0; i < r->part_count; i++)
        for (size_t j = 0; j < r->parts[i].tenant_count; j++)
            all[n++] = (struct placed){ r->parts[i].tenants[j], r->parts[i].shard };
    qsort(all, count, sizeof *all, by_name);
    return all;
}

static void ask_each_tenant(const struct asked *a, size_t count, struct part_request *requests)
{
    const struct placed *all = list_tenants(a, count);
    for (size_t i = 0; i < count; i++)
        ask_tenant(a, all[i].tenant, all[i].shard, &requests[i]);
}

static void ask_each_shard(const struct asked *a, struct part_request *requests)
{
    for (size_t i = 0; i < a->r.part_count; i++)
        ask_shard(a, &a->r.parts[i], &requests[i]);
}

/* ---- how many rows a DELETE of copies is to tell of ---- */

/* SELECT COUNT(*) of the DELETE's rows, with its own values; NULL when it cannot be asked. */
static struct plan_entry *plan_count(const struct asked *a, const struct param_value *params,
                                     struct lexed *lexed, struct asked *ret, struct err *reterr)
{
    struct worker *w = a->s->worker;
    const struct merge_recipe *m = a->t->merge;
    const struct token *first = &a->lexed->tokens[m->counted_first];
    const struct token *last = &a->lexed->tokens[m->counted_last];
    struct dialect dialect = session_dialect(a->s);
    char *text = arena_printf(&w->arena, "SELECT COUNT(*) %.*s",
                              (int)(last->start + last->len - first->start),
                              a->lexed->text.data + first->start);
    if (lex(slice_cstr(text), &dialect, &w->arena, lexed, reterr))
        return NULL;
    struct plan_entry *entry = plan_cache_get(w->plans, a->s->deployment->topology, &dialect, lexed,
                                              a->execute != NULL);
    *ret = *a;
    ret->entry = entry;
    ret->lexed = lexed;
    ret->t = plan_entry_scatter(w->plans, entry, lexed);
    if (ret->t->verdict == VERDICT_REJECT)
        *reterr = *ret->t->reject;
    else
        session_merge_inputs(a->s, ret->t, lexed, params, &ret->inputs, reterr);
    return entry;
}

/* Before the write that was made. */
static void make_count(const struct asked *counting)
{
    struct session *s = counting->s;
    size_t count = counting->r.part_count;
    struct part_request *requests = arena_array(&s->worker->arena, struct part_request, count);
    ask_each_shard(counting, requests);
    session_count_before(s, counting->entry, counting->t->merge, &counting->inputs, requests, count,
                         counting->execute != NULL);
}

/* ---- the statement ---- */

/* Parts of one shard take as many of its connections, and wait for none that another has. */
static enum err_code split(struct asked *a, struct err *reterr)
{
    const struct topology *t = a->s->deployment->topology;
    size_t most = t->config->pool.max_per_shard;
    route_split(t, a->t->merge, &a->s->worker->arena, &a->r);
    if (!config_is_vitess(t->config) || is_write(a->t) || a->r.part_count <= most)
        return MQ_OK;
    return err_set(reterr, MQ_SCATTER,
                   "vtgate has to be asked for each of %zu tenants at the same time, and "
                   "pool.max_per_shard allows %zu connections; name fewer tenants, or raise it",
                   a->r.part_count, most);
}

static void run(struct asked *a, const struct asked *counting)
{
    struct session *s = a->s;
    bool each_tenant = a->t->merge->kind == MERGE_COUNTS_MAX;
    size_t count = each_tenant ? count_tenants(&a->r) : a->r.part_count;
    struct part_request *requests = arena_array(&s->worker->arena, struct part_request, count);
    request_begin(s, END_RELAYED);
    s->request.entry = plan_entry_acquire(a->entry);
    s->request.execute = a->execute != NULL;
    s->request.stmt = a->stmt;
    s->last_table = a->entry->template->table;
    s->last_separator = a->entry->template->key_separator;
    if (each_tenant)
        ask_each_tenant(a, count, requests);
    else
        ask_each_shard(a, requests);
    session_want_shares(s, &a->r);
    session_make_scatter(s, a->entry, a->t->merge, &a->inputs, requests, count, a->execute != NULL);
    if (counting)
        make_count(counting);
    else if (a->execute && a->execute->flags & CURSOR_READ_ONLY && !is_write(a->t))
        session_store_scatter(s);
    session_run_request(s);
}

static enum err_code prepare(struct asked *a, const struct param_value *params, struct err *reterr)
{
    if (a->t->verdict == VERDICT_REJECT)
        return (*reterr = *a->t->reject).code;
    enum err_code code = check(a->s, a->t, reterr);
    return code ? code : session_merge_inputs(a->s, a->t, a->lexed, params, &a->inputs, reterr);
}

void session_run_tenants(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                         const struct param_value *params, const struct route *r,
                         const struct execute *execute, struct client_stmt *stmt)
{
    struct err e = { 0 };
    struct asked counting, a = { .s = s, .entry = entry, .lexed = lexed, .r = *r,
                                 .execute = execute, .stmt = stmt };
    struct plan_entry *count = NULL;
    struct lexed counted;
    a.t = plan_entry_scatter(s->worker->plans, entry, lexed);
    if (prepare(&a, params, &e) == MQ_OK && a.t->merge->counted)
        count = plan_count(&a, params, &counted, &counting, &e);
    if (!e.code && split(&a, &e) == MQ_OK)
        run(&a, count ? &counting : NULL);
    else
        session_refuse_statement(s, &e);
    if (count)
        plan_entry_release(count);
}
