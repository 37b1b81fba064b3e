/* "did you mean …?": the candidate nearest to a misspelt name. */
#ifndef MQ_CONFIG_SUGGEST_H
#define MQ_CONFIG_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *wanted;
    const char *best; /* NULL while nothing near enough was offered */
    size_t distance;  /* of best; before that, the first distance too far */
};

void suggest_init(struct suggestion *s, const char *wanted);
/* Candidates are borrowed. */
void suggest_offer(struct suggestion *s, const char *candidate);
/* Insertions, deletions, replacements and swaps of neighbours that turn a into b, letter case
 * ignored; names beyond 64 bytes count as far apart. */
size_t edit_distance(const char *a, const char *b);

#endif
