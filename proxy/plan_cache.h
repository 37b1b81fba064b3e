/* Plans seen before, one cache per worker, bounded in bytes (least recently used goes first).
 *
 *   text       found by fingerprint and compared token by token (a hash alone could be
 *              collided with on purpose); literals may differ. When nothing but the values of
 *              literals differs, found by the text itself, which then need not be lexed
 *   prepared   found by the exact text; keeps text and tokens, because literals in it are
 *              read at every EXECUTE, and what COM_STMT_PREPARE was answered
 *
 * Cleared when the topology or the servers' dialect changes; who holds an entry keeps it. */
#ifndef MQ_PROXY_PLAN_CACHE_H
#define MQ_PROXY_PLAN_CACHE_H

#include "base/list.h"
#include "proxy/hash.h"
#include "proxy/known_head.h"
#include "routing/plan.h"

/* A shard's answer to COM_STMT_PREPARE, without the hidden parameters: payloads, each behind
 * its length in four bytes; definitions of parameters, then of columns. */
struct prepare_answer {
    struct prepare_answer *next;
    uint64_t key; /* hash of all that changes metadata */
    uint16_t params, columns, warnings;
    uint64_t columns_hash; /* hash_column() */
    size_t len;
    uint8_t payloads[];
};

struct plan_entry {
    UT_hash_handle hh;
    struct list lru; /* on the cache's list while cached */
    struct list alike; /* on the list of texts that begin alike, if it can be found by its text */
    uint32_t head; /* bytes in front of the first literal */
    uint32_t references;
    bool cached;
    struct plan_key {
        uint64_t hash;
        uint32_t modes;
        uint32_t prepared;
    } key;
    uint64_t serial; /* never reused: names the statement on backends */
    struct arena arena;
    struct lexed lexed; /* of the statement that made it, in arena; only of what is cached, of
                           prepared statements and of those for every shard */
    struct dialect dialect;
    struct topology *topology; /* one reference: the template points into its catalogue */
    const struct template *template;
    struct part_text *part_texts; /* uthash; not of the arena */
    size_t part_bytes;
    const struct template *scatter; /* the one for several tenants; NULL: not needed yet */
    struct prepare_answer *answers;
    struct known_head *heads; /* of answers to it */
    uint64_t columns_seen; /* hash of those of an EXECUTE that differed from what was told */
    size_t bytes;
};

struct plan_cache;
struct plan_cache *plan_cache_create(size_t max_bytes);
void plan_cache_destroy(struct plan_cache *c);
void plan_cache_clear(struct plan_cache *c);
/* Memory that its entries take; never more than max_bytes. */
size_t plan_cache_bytes(const struct plan_cache *c);
/* Keeps the head of an answer to the entry's statement, if that is worth it. */
void plan_cache_keep_head(struct plan_cache *c, struct plan_entry *e,
                          const struct known_head *head);
/* Forgets what PREPARE was answered, for DDL seen. */
void plan_cache_forget_answers(struct plan_cache *c);

/* The plan of a lexed statement, made if need be. The caller releases it. */
struct plan_entry *plan_cache_get(struct plan_cache *c, struct topology *topology,
                                  const struct dialect *dialect, const struct lexed *lexed,
                                  bool prepared);
/* The plan of a text whose like was seen before, and the tokens, which borrow from the plan: then
 * it need not be lexed. NULL if not. The caller releases it. */
struct plan_entry *plan_cache_find_text(struct plan_cache *c, struct topology *topology,
                                        const struct dialect *dialect, struct slice text,
                                        struct arena *arena, struct lexed *ret);
/* The plan of a text to be prepared, if it was seen before: then it need not even be lexed.
 * NULL if not. The caller releases it. */
struct plan_entry *plan_cache_find_prepared(struct plan_cache *c, struct topology *topology,
                                            const struct dialect *dialect, struct slice text);
/* The template of an entry's statement for several tenants, made when first needed and kept with
 * it: VERDICT_TENANTS or VERDICT_REJECT. */
const struct template *plan_entry_scatter(struct plan_cache *c, struct plan_entry *e,
                                          const struct lexed *lexed);
/* The number of a text that is prepared for a part of an entry's statement, as `serial` is of the
 * statement itself. */
uint64_t plan_entry_part_serial(struct plan_cache *c, struct plan_entry *e, struct slice text);
struct plan_entry *plan_entry_acquire(struct plan_entry *e);
void plan_entry_release(struct plan_entry *e);

/* The next payload; *at begins as answer->payloads. False: that was the last. */
bool prepare_answer_next(const struct prepare_answer *answer, const uint8_t **at,
                         struct slice *ret);
const struct prepare_answer *plan_entry_answer(const struct plan_entry *e, uint64_t key);
/* They hold no longer. */
void plan_entry_forget_answers(struct plan_entry *e);
/* Takes the answer (made with mem_alloc). */
void plan_entry_keep_answer(struct plan_entry *e, struct prepare_answer *answer);

#endif
