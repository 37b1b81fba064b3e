/* Inside of a merge: a chain of stages, each of which pulls rows out of the one before. A stage
 * that finds nothing further up says MERGE_PULL_WAIT, and goes on where it was when it is asked
 * again. A row is good until the next pull. */
#ifndef MQ_MERGE_MERGE_INT_H
#define MQ_MERGE_MERGE_INT_H

#include "base/arena.h"
#include "base/error.h"
#include "merge/datum.h"
#include "merge/merge.h"
#include "wire/answer.h"

enum pull { PULL_ROW, PULL_WAIT, PULL_END, PULL_FAILED };

/* ---- part.c: the answer of one part ---- */

struct part {
    struct buf in;        /* bytes that are not used up */
    struct buf joined;    /* the payload at hand, when it came in several packets */
    size_t taken;         /* bytes of the packet at hand, which stay in `in` until the next */
    struct slice payload; /* the same */
    struct answer answer;
    uint64_t definitions; /* seen so far */
    bool starves;         /* there is no whole packet in `in` */
    bool too_large;       /* a packet is larger than MERGE_ROW_MAX */
    bool has_eof;         /* the EOF behind its definitions was seen */
    struct row row;
};

void part_init(struct part *p, uint64_t capabilities, size_t columns);
void part_fini(struct part *p);
bool part_wants(const struct part *p);
/* It holds as much as it may, and its server waits. */
bool part_presses(const struct part *p);
/* Takes the packet that follows, and lets go of the one before. */
enum answer_packet part_take(struct part *p);
/* The packet at hand is not needed any more. */
void part_let_go(struct part *p);

/* ---- group.c ---- */

struct total {
    struct decimal sum;
    uint64_t count;
    bool is_null;        /* no value has come */
    struct buf bytes;    /* of MIN, MAX and COUNT(DISTINCT): the value at hand */
    struct datum result; /* once the group is complete */
};

struct group {
    bool open;
    struct kept_row first; /* is_set: there was one */
    struct total *totals;
};

void group_init(struct merge *m);
void group_fini(struct merge *m);
/* A new group, without any rows. */
void group_begin(struct merge *m);
enum err_code group_add(struct merge *m, const struct row *row);
/* It is complete: the results are there. */
enum err_code group_end(struct merge *m);

/* ---- expr.c ---- */

/* The value of an expression over the row (NULL: of a group without any) and the group at hand. */
enum err_code evaluate(const struct merge *m, const struct row *row, uint32_t node,
                       struct datum *ret);
/* Of a condition; NULL is not true. */
enum err_code evaluate_truth(const struct merge *m, const struct row *row, uint32_t node,
                             bool *ret);

/* ---- sort.c ---- */

struct sorter {
    struct arena arena; /* of the rows */
    struct sorted_row **rows;
    size_t count, room, next;
    bool sorted;
};

void sorter_fini(struct merge *m);
enum err_code sorter_add(struct merge *m, const struct row *row, struct slice payload);
/* There are no more rows. */
enum err_code sorter_sort(struct merge *m);
/* The next one in order; false: there are no more. */
bool sorter_next(struct merge *m, struct slice *ret);

/* ---- streams.c: the parts' rows in the order of the recipe ---- */

struct streams {
    struct part **heap;   /* with a row each; the first one's comes first */
    size_t heap_count;
    struct part **lacking; /* not in the heap, nor at their end */
    size_t lacking_count;
    size_t current;       /* without an order: the part that is read */
    bool at_row;          /* of that part, or of the heap's first one */
    struct row last;      /* with an order: the keys of the row that came last; no other cells */
    struct buf last_bytes;
};

void streams_init(struct merge *m);
void streams_fini(struct merge *m);
/* Another run: parts that wait for their turn may have one. */
void streams_turn(struct merge *m);
enum pull streams_next(struct merge *m, const struct row **ret);

/* ---- stages.c ---- */

void stages_fini(struct merge *m);
/* The next row for the client, as a payload. */
enum pull stages_next(struct merge *m, struct slice *ret);

/* ---- counts.c ---- */

/* Adds a part's OK to the answer. */
void counts_add(struct merge *m, const struct ok_packet *ok);

/* ---- head.c ---- */

/* Takes the heads of the parts' answers, as far as they have come. */
enum pull head_take(struct merge *m);
enum pull head_write(struct merge *m, struct buf *out, uint8_t *seq);

struct merge {
    const struct merge_recipe *recipe;
    struct datum *values; /* the statement's; texts are in the arena */
    struct arena arena;
    struct merge_setting setting;
    struct part *parts;
    size_t part_count;
    enum { AT_HEADS, AT_ROWS, AT_END, AT_FAILURE } at;
    bool started;

    /* The definitions of a part's columns: those of the shown ones are the client's. */
    struct buf definitions;    /* payloads */
    size_t *definition_at;     /* where in it each stands */
    size_t definition_count;
    struct column *columns;
    struct shape shape;        /* of the parts' rows */
    bool splits;               /* their cells are needed */

    struct streams streams;
    struct kept_row candidate, chosen; /* of rows that count as one */
    const struct row *pending;         /* the first of the next group */
    struct group group;
    struct sorter sorter;
    struct buf made; /* a row for the client */
    uint64_t skip, most;
    uint64_t given; /* rows to the client */
    bool exhausted; /* the stages have come to their end */

    struct ok_packet result;
    struct buf info;
    size_t counted; /* parts in it */
    bool knows_affected; /* whatever the parts say */
    uint64_t affected;
    struct err err;              /* AT_FAILURE */
    const struct part *refused;  /* the same, by that part's server */
};

/* merge.c. How two rows stand to one another in one column. */
enum err_code compare_column(const struct merge *m, enum merge_compare how, uint32_t column,
                             const struct row *a, const struct row *b, int *ret);
/* MQ_OK: m->refused says why. Returns PULL_FAILED. */
enum pull merge_fail(struct merge *m, enum err_code code);

#endif
