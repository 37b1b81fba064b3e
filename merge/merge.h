/* Makes one answer out of those that several shards gave to the parts of a statement, as the recipe
 * of its plan says (routing/merge_recipe.h). Pure: packets in, packets out. The answers come as a
 * client of a session would get them.
 *
 *   bytes of part 0 ──> packets ──┐
 *   bytes of part 1 ──> packets ──┼─> streams ─> unique ─> filter ─> group ─> having
 *   bytes of part 2 ──> packets ──┘              ─> sort ─> skip, most ─> packets for the client
 *
 * Rows pass one by one, whatever their number. What is held: of each part one row and at most
 * MERGE_READ bytes that follow it, a row or group at work, and, where groups have to be sorted, a
 * buffer with a bound, beyond which the answer is refused. */
#ifndef MQ_MERGE_MERGE_H
#define MQ_MERGE_MERGE_H

#include "routing/merge_recipe.h"
#include "wire/response.h"

struct merge;

enum {
    MERGE_READ = 65536,        /* bytes that a part should be fed with at a time, at most */
    MERGE_ROW_MAX = 64 << 20,  /* of a part's answer */
    MERGE_SORT_MAX = 16 << 20, /* bytes of rows that are sorted here, with their keys */
};

struct merge_setting {
    uint64_t capabilities;      /* the client's */
    uint64_t part_capabilities; /* with which the parts' answers are written */
    bool binary;                /* COM_STMT_EXECUTE: rows are binary */
    uint16_t status;            /* flags of the answer */
    uint8_t average_digits;     /* div_precision_increment of the session */
};

enum merge_outcome {
    MERGE_FULL,    /* there is more for the client */
    MERGE_WAITING, /* for parts: merge_wants() tells which */
    MERGE_ENDED,   /* the answer is complete, and so are those of all parts */
    MERGE_FAILED,  /* reterr tells the client why; nothing follows */
    MERGE_REFUSED, /* by a part's server: merge_refusal() tells the client why */
};

/* recipe has to stay; of inputs a copy is made. */
struct merge *merge_create(const struct merge_recipe *recipe, const struct merge_inputs *inputs,
                           size_t part_count, const struct merge_setting *setting);
void merge_destroy(struct merge *m);

/* The count of affected rows is known. */
void merge_tell_affected(struct merge *m, uint64_t affected);

/* May the part be fed? */
bool merge_wants(const struct merge *m, size_t part);
/* What came from the part, which is wanted. */
void merge_feed(struct merge *m, size_t part, const void *data, size_t len);
/* Has its answer ended, and not with an error? */
bool merge_part_ended(const struct merge *m, size_t part);

/* Appends packets for the client, until out has `bound` bytes (and so one row more at most), or as
 * far as the parts' bytes go. *seq is the number of the next packet. */
enum merge_outcome merge_run(struct merge *m, struct buf *out, size_t bound, uint8_t *seq,
                             struct err *reterr);

/* After MERGE_REFUSED: the error, whose message is borrowed, and the part that it came from. */
const struct err_packet *merge_refusal(const struct merge *m, size_t *ret_part);
/* After MERGE_ENDED: what the client was told; info is borrowed. */
const struct ok_packet *merge_result(const struct merge *m);
/* How many rows the client was given. */
uint64_t merge_rows(const struct merge *m);
/* Does the client have packets of the answer? */
bool merge_started(const struct merge *m);

#endif
