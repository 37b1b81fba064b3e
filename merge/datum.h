/* Values out of rows: how they compare, and how they are written again. */
#ifndef MQ_MERGE_DATUM_H
#define MQ_MERGE_DATUM_H

#include "merge/decimal.h"
#include "merge/row.h"
#include "routing/merge_recipe.h"

struct datum {
    enum { DATUM_NULL, DATUM_NUMBER, DATUM_TEXT } kind;
    struct decimal number;
    struct slice text; /* borrowed */
};

/* False: not a type that is read exactly here, or not what such a column can hold. */
bool datum_of_cell(const struct column *c, bool binary, struct slice cell, struct datum *ret);
bool datum_of_input(const struct merge_value *v, struct datum *ret);
struct datum datum_of_count(uint64_t count);

/* NULL comes first. False when one of them is not what is compared. */
bool datum_compare(enum merge_compare how, const struct datum *a, const struct datum *b, int *ret);
/* The same of two cells of one column, without a detour where there is one. */
bool cells_compare(enum merge_compare how, const struct column *c, bool binary, struct slice a,
                   struct slice b, int *ret);

/* As the next cell of a row. False: the column cannot hold it. */
bool datum_write(const struct datum *d, const struct column *c, bool binary, size_t number,
                 struct buf *out);

#endif
