#include "proxy/plan_cache.h"

#include "base/check.h"
#include "base/memory.h"

enum {
    LARGEST_SHARE = 16, /* no entry takes more than this part of the cache */
    MOST_ANSWERS = 8,
    ALIKE_SLOTS = 256,
    ALIKE_BYTES = 24, /* by which texts are told apart: one of `SELECT offset, id, payload` */
    ALIKE_MAX = 16    /* that are compared */
};

struct plan_cache {
    struct plan_entry *entries;
    struct list lru;                /* most recently used first */
    struct list alike[ALIKE_SLOTS]; /* entries by how their texts begin, most recently used first */
    size_t bytes, max_bytes;
    struct arena scratch; /* of the plan being made */
    uint64_t next_serial;
};

struct plan_cache *plan_cache_create(size_t max_bytes)
{
    struct plan_cache *c = mem_new(struct plan_cache);
    list_init(&c->lru);
    for (size_t i = 0; i < ALIKE_SLOTS; i++)
        list_init(&c->alike[i]);
    arena_init(&c->scratch);
    c->max_bytes = max_bytes;
    c->next_serial = 1;
    return c;
}

void plan_entry_forget_answers(struct plan_entry *e)
{
    for (struct prepare_answer *a = e->answers, *next; a; a = next) {
        next = a->next;
        mem_free(a);
    }
    e->answers = NULL;
}

static void drop(struct plan_cache *c, struct plan_entry *e)
{
    HASH_DEL(c->entries, e);
    list_remove(&e->lru);
    list_remove(&e->alike);
    c->bytes -= e->bytes;
    e->cached = false;
    plan_entry_release(e);
}

void plan_cache_clear(struct plan_cache *c)
{
    LIST_EACH(&c->lru, node, following)
    drop(c, LIST_ENTRY(node, struct plan_entry, lru));
}

void plan_cache_forget_answers(struct plan_cache *c)
{
    LIST_EACH(&c->lru, node, following)
    plan_entry_forget_answers(LIST_ENTRY(node, struct plan_entry, lru));
}

void plan_cache_destroy(struct plan_cache *c)
{
    if (!c)
        return;
    plan_cache_clear(c);
    arena_fini(&c->scratch);
    mem_free(c);
}

size_t plan_cache_bytes(const struct plan_cache *c)
{
    return c->bytes;
}

struct plan_entry *plan_entry_acquire(struct plan_entry *e)
{
    e->references++;
    return e;
}

/* ---- texts of parts ---- */

/* A text names the tenants of one shard, for one set of them: there are few as a rule. */
enum { PART_TEXT_BYTES = 256 << 10 };

struct part_text {
    UT_hash_handle hh;
    uint64_t serial;
    char text[];
};

static void forget_part_texts(struct plan_entry *e)
{
    struct part_text *p, *following;
    HASH_ITER (hh, e->part_texts, p, following) {
        HASH_DEL(e->part_texts, p);
        mem_free(p);
    }
    e->part_bytes = 0;
}

void plan_entry_release(struct plan_entry *e)
{
    if (!e || --e->references)
        return;
    CHECK(!e->cached);
    plan_entry_forget_answers(e);
    known_heads_free(e->heads);
    forget_part_texts(e);
    topology_release(e->topology);
    arena_fini(&e->arena);
    mem_free(e);
}

bool prepare_answer_next(const struct prepare_answer *answer, const uint8_t **at,
                         struct slice *ret)
{
    uint32_t len;
    if (*at == answer->payloads + answer->len)
        return false;
    memcpy(&len, *at, sizeof len);
    *ret = slice_of(*at + sizeof len, len);
    *at += sizeof len + len;
    CHECK(*at <= answer->payloads + answer->len);
    return true;
}

const struct prepare_answer *plan_entry_answer(const struct plan_entry *e, uint64_t key)
{
    for (const struct prepare_answer *a = e->answers; a; a = a->next)
        if (a->key == key)
            return a;
    return NULL;
}

void plan_entry_keep_answer(struct plan_entry *e, struct prepare_answer *answer)
{
    size_t n = 1;
    answer->next = e->answers;
    e->answers = answer;
    for (struct prepare_answer *a = answer; a->next; a = a->next) {
        if (++n > MOST_ANSWERS) {
            mem_free(a->next);
            a->next = NULL;
            return;
        }
    }
}

/* Both lists are kept in the order of use. */
static struct plan_entry *use(struct plan_cache *c, struct plan_entry *e)
{
    list_remove(&e->lru);
    list_prepend(&c->lru, &e->lru);
    return plan_entry_acquire(e);
}

/* After a reload a transaction still plans under the topology it began with. */
static bool is_made_for(const struct plan_entry *e, const struct topology *topology,
                        const struct dialect *dialect)
{
    return e->topology == topology && dialect_eq(&e->dialect, dialect);
}

static struct list *alike_slot(struct plan_cache *c, struct slice text)
{
    return &c->alike[hash_bytes(0, slice_of(text.data, ALIKE_BYTES)) % ALIKE_SLOTS];
}

static struct plan_entry *find(struct plan_cache *c, const struct plan_key *key,
                               const struct topology *topology, const struct dialect *dialect,
                               const struct lexed *lexed)
{
    struct plan_entry *e;
    HASH_FIND(hh, c->entries, key, sizeof *key, e);
    if (!e || !is_made_for(e, topology, dialect))
        return NULL;
    bool same = key->prepared ? slice_eq(e->lexed.text, lexed->text) : lexed_same(&e->lexed, lexed);
    return same ? use(c, e) : NULL;
}

/* The entry's own copy of the statement. */
static void keep_statement(struct plan_entry *e, const struct lexed *lexed)
{
    e->lexed = *lexed;
    e->lexed.text = arena_copy(&e->arena, lexed->text);
    size_t size = sizeof *lexed->tokens * (lexed->count + 1);
    e->lexed.tokens = memcpy(arena_alloc(&e->arena, size), lexed->tokens, size);
    if (lexed->has_comment_tenant)
        e->lexed.comment_tenant = arena_copy(&e->arena, lexed->comment_tenant);
}

static struct plan_entry *make(struct plan_cache *c, struct topology *topology,
                               const struct dialect *dialect, const struct lexed *lexed,
                               const struct plan_key *key)
{
    struct plan_entry *e = mem_new(struct plan_entry);
    arena_init(&e->arena);
    list_init(&e->lru);
    list_init(&e->alike);
    e->references = 1;
    e->key = *key;
    e->dialect = *dialect;
    e->topology = topology_acquire(topology);
    e->serial = c->next_serial++;
    e->template = plan(topology, dialect, lexed, &e->arena, &c->scratch);
    arena_reset(&c->scratch);
    return e;
}

static void drop_surplus(struct plan_cache *c)
{
    while (c->bytes > c->max_bytes)
        drop(c, LIST_ENTRY(list_last(&c->lru), struct plan_entry, lru));
}

/* What the entry has grown by counts as well. */
static void charge(struct plan_cache *c, struct plan_entry *e)
{
    c->bytes -= e->bytes;
    e->bytes = sizeof *e + e->arena.total + known_heads_bytes(e->heads) + e->part_bytes;
    c->bytes += e->bytes;
    drop_surplus(c);
}

const struct template *plan_entry_scatter(struct plan_cache *c, struct plan_entry *e,
                                          const struct lexed *lexed)
{
    if (e->scatter)
        return e->scatter;
    e->scatter = plan_scatter(e->topology, &e->dialect, lexed, &e->arena, &c->scratch);
    arena_reset(&c->scratch);
    if (e->cached)
        charge(c, e); /* perhaps to drop this one, which the caller holds */
    return e->scatter;
}

uint64_t plan_entry_part_serial(struct plan_cache *c, struct plan_entry *e, struct slice text)
{
    struct part_text *p;
    HASH_FIND(hh, e->part_texts, text.data, text.len, p);
    if (p)
        return p->serial;
    if (e->part_bytes + text.len > PART_TEXT_BYTES)
        forget_part_texts(e);
    e->part_bytes += text.len;
    p = mem_zalloc(sizeof *p + text.len);
    memcpy(p->text, text.data, text.len);
    p->serial = c->next_serial++;
    HASH_ADD_KEYPTR(hh, e->part_texts, p->text, text.len, p);
    if (e->cached)
        charge(c, e); /* perhaps to drop this one, which the caller holds */
    return p->serial;
}

static void keep(struct plan_cache *c, struct plan_entry *e)
{
    struct plan_entry *old;
    HASH_FIND(hh, c->entries, &e->key, sizeof e->key, old);
    if (old)
        drop(c, old);
    HASH_ADD(hh, c->entries, key, sizeof e->key, e);
    list_prepend(&c->lru, &e->lru);
    e->head = lexed_head(&e->lexed);
    if (!e->key.prepared && e->head >= ALIKE_BYTES)
        list_prepend(alike_slot(c, e->lexed.text), &e->alike);
    e->cached = true;
    e->references++;
    charge(c, e);
}

void plan_cache_keep_head(struct plan_cache *c, struct plan_entry *e, const struct known_head *head)
{
    if (!e->cached)
        return;
    known_head_keep(&e->heads, head);
    charge(c, e);
}

/* Refusals name positions, and DDL is compared literal by literal: both are planned anew. */
static bool worth_keeping(const struct plan_cache *c, const struct plan_entry *e,
                          const struct lexed *lexed)
{
    enum verdict v = e->template->verdict;
    size_t bytes = e->arena.total + lexed->text.len + lexed->count * sizeof *lexed->tokens;
    return bytes <= c->max_bytes / LARGEST_SHARE &&
           (e->key.prepared || v == VERDICT_SINGLE || v == VERDICT_UNSHARDED || v == VERDICT_PASS ||
            v == VERDICT_LOCAL);
}

struct plan_entry *plan_cache_find_text(struct plan_cache *c, struct topology *topology,
                                        const struct dialect *dialect, struct slice text,
                                        struct arena *arena, struct lexed *ret)
{
    size_t compared = 0;
    if (text.len < ALIKE_BYTES)
        return NULL;
    struct list *slot = alike_slot(c, text);
    LIST_EACH(slot, node, following)
    {
        struct plan_entry *e = LIST_ENTRY(node, struct plan_entry, alike);
        if (++compared > ALIKE_MAX)
            return NULL;
        if (!is_made_for(e, topology, dialect) || text.len < e->head ||
            memcmp(text.data, e->lexed.text.data, e->head) != 0 ||
            !lex_again(&e->lexed, text, dialect, arena, ret))
            continue;
        list_remove(&e->alike);
        list_prepend(slot, &e->alike);
        return use(c, e);
    }
    return NULL;
}

struct plan_entry *plan_cache_find_prepared(struct plan_cache *c, struct topology *topology,
                                            const struct dialect *dialect, struct slice text)
{
    struct plan_key key = { .hash = hash_bytes(0, text), .modes = dialect->modes, .prepared = true };
    struct lexed only_text = { .text = text };
    return find(c, &key, topology, dialect, &only_text);
}

struct plan_entry *plan_cache_get(struct plan_cache *c, struct topology *topology,
                                  const struct dialect *dialect, const struct lexed *lexed,
                                  bool prepared)
{
    struct plan_key key = {
        .hash = prepared ? hash_bytes(0, lexed->text) : lexed->fingerprint,
        .modes = dialect->modes,
        .prepared = prepared,
    };
    struct plan_entry *e = find(c, &key, topology, dialect, lexed);
    if (e)
        return e;
    e = make(c, topology, dialect, lexed, &key);
    bool kept = worth_keeping(c, e, lexed);
    if (kept || prepared || e->template->verdict == VERDICT_EVERY_SHARD)
        keep_statement(e, lexed);
    if (kept)
        keep(c, e);
    return e;
}
