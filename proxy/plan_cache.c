#include "proxy/plan_cache.h"

#include "base/check.h"
#include "base/memory.h"

enum { LARGEST_TEXT = 65536, MOST_ANSWERS = 8 };

struct plan_cache {
    struct plan_entry *entries;
    struct list lru; /* most recently used first */
    size_t bytes, max_bytes;
    struct arena scratch; /* of the plan being made */
    uint64_t next_serial;
};

struct plan_cache *plan_cache_create(size_t max_bytes)
{
    struct plan_cache *c = mem_new(struct plan_cache);
    list_init(&c->lru);
    arena_init(&c->scratch);
    c->max_bytes = max_bytes;
    c->next_serial = 1;
    return c;
}

static void forget_answers(struct plan_entry *e)
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
    c->bytes -= e->bytes;
    e->cached = false;
    plan_entry_release(e);
}

void plan_cache_clear(struct plan_cache *c)
{
    LIST_EACH (&c->lru, node, following)
        drop(c, LIST_ENTRY(node, struct plan_entry, lru));
}

void plan_cache_forget_answers(struct plan_cache *c)
{
    LIST_EACH (&c->lru, node, following)
        forget_answers(LIST_ENTRY(node, struct plan_entry, lru));
}

void plan_cache_destroy(struct plan_cache *c)
{
    if (!c)
        return;
    plan_cache_clear(c);
    arena_fini(&c->scratch);
    mem_free(c);
}

struct plan_entry *plan_entry_acquire(struct plan_entry *e)
{
    e->references++;
    return e;
}

void plan_entry_release(struct plan_entry *e)
{
    if (!e || --e->references)
        return;
    CHECK(!e->cached);
    forget_answers(e);
    topology_release(e->topology);
    arena_fini(&e->arena);
    mem_free(e);
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

/* Texts are compared on a hit, so the hash has to be quick, not strong. */
static uint64_t hash_text(struct slice text)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ text.len;
    for (size_t at = 0; at < text.len; at += sizeof h) {
        uint64_t chunk = 0;
        size_t left = text.len - at;
        memcpy(&chunk, text.data + at, left < sizeof chunk ? left : sizeof chunk);
        h = (h ^ chunk) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static struct plan_entry *find(struct plan_cache *c, const struct plan_key *key,
                               const struct topology *topology, const struct dialect *dialect,
                               const struct lexed *lexed)
{
    struct plan_entry *e;
    HASH_FIND(hh, c->entries, key, sizeof *key, e);
    /* After a reload a transaction still plans under the topology it began with. */
    if (!e || e->topology != topology || !dialect_eq(&e->dialect, dialect))
        return NULL;
    bool same = key->prepared ? slice_eq(e->lexed.text, lexed->text) : lexed_same(&e->lexed, lexed);
    if (!same)
        return NULL;
    list_remove(&e->lru);
    list_prepend(&c->lru, &e->lru);
    return plan_entry_acquire(e);
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
    e->references = 1;
    e->key = *key;
    e->dialect = *dialect;
    e->topology = topology_acquire(topology);
    e->serial = c->next_serial++;
    keep_statement(e, lexed);
    e->template = plan(topology, dialect, lexed, &e->arena, &c->scratch);
    arena_reset(&c->scratch);
    e->bytes = sizeof *e + e->arena.total;
    return e;
}

static void keep(struct plan_cache *c, struct plan_entry *e)
{
    struct plan_entry *old;
    HASH_FIND(hh, c->entries, &e->key, sizeof e->key, old);
    if (old)
        drop(c, old);
    HASH_ADD(hh, c->entries, key, sizeof e->key, e);
    list_prepend(&c->lru, &e->lru);
    e->cached = true;
    e->references++;
    c->bytes += e->bytes;
    while (c->bytes > c->max_bytes)
        drop(c, LIST_ENTRY(list_last(&c->lru), struct plan_entry, lru));
}

/* Refusals name positions, and DDL is compared literal by literal: both are planned anew. */
static bool worth_keeping(const struct plan_entry *e)
{
    enum verdict v = e->template->verdict;
    return e->lexed.text.len <= LARGEST_TEXT &&
           (e->key.prepared || v == VERDICT_SINGLE || v == VERDICT_PASS || v == VERDICT_LOCAL);
}

struct plan_entry *plan_cache_find_prepared(struct plan_cache *c, struct topology *topology,
                                            const struct dialect *dialect, struct slice text)
{
    struct plan_key key = { .hash = hash_text(text), .modes = dialect->modes, .prepared = true };
    struct lexed only_text = { .text = text };
    return find(c, &key, topology, dialect, &only_text);
}

struct plan_entry *plan_cache_get(struct plan_cache *c, struct topology *topology,
                                  const struct dialect *dialect, const struct lexed *lexed,
                                  bool prepared)
{
    struct plan_key key = {
        .hash = prepared ? hash_text(lexed->text) : lexed->fingerprint,
        .modes = dialect->modes,
        .prepared = prepared,
    };
    struct plan_entry *e = find(c, &key, topology, dialect, lexed);
    if (e)
        return e;
    e = make(c, topology, dialect, lexed, &key);
    if (worth_keeping(e))
        keep(c, e);
    return e;
}
