/* The kinds of statements that were refused (or, while observing, would be refused or
 * rewritten), remembered by fingerprint without any literal. One table per worker, bounded in
 * entries and bytes: what was seen least recently goes first, and is counted. The worker
 * writes, anybody reads a copy. */
#ifndef MQ_PROXY_FINDINGS_H
#define MQ_PROXY_FINDINGS_H

#include "routing/plan.h"

enum {
    FINDINGS_MAX = 1000,          /* kinds of statements that one table keeps */
    FINDINGS_BYTES_MAX = 1 << 20, /* memory that they may take */
    FINDING_STATEMENT_MAX = 1024, /* bytes kept of a statement, with a NUL */
};

struct finding {
    uint64_t fingerprint; /* 0: the text has none, because it does not lex */
    enum err_code code;   /* why it is refused; MQ_OK: it is served, rewritten */
    enum verdict verdict;
    struct slice reason; /* without literals, as the next one; both NUL-terminated */
    struct slice statement;
    uint64_t count, first_ms, last_ms; /* wall time */
};

struct findings;
struct findings *findings_create(void);
void findings_destroy(struct findings *f);

/* One more statement of this kind. lexed NULL: its text could not be read. why NULL or its
 * code MQ_OK: served, but rewritten. now_ms is wall time. */
void findings_note(struct findings *f, const struct lexed *lexed, enum verdict verdict,
                   const struct err *why, uint64_t now_ms);

/* What several tables hold, merged; the most frequent kinds first. */
struct findings_report {
    struct finding *items;
    size_t count, room;
    uint64_t forgotten; /* statements whose kinds fell out of a table */
};
/* Appends a copy of a table, in the arena. Any thread. */
void findings_read(struct findings *f, struct arena *arena, struct findings_report *report);
/* Folds kinds that several tables hold, and sorts. */
void findings_merge(struct findings_report *report);

#endif
