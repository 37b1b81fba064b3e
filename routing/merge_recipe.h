/* How the answers of several shards become one: plain data that the planner makes once per
 * statement, and that merge/ carries out row by row.
 *
 *   parts -> order (k sorted streams become one; no keys: concatenated in the parts' order)
 *         -> unique -> filter -> group -> having -> sort (bounded buffer) -> skip, most
 *         -> columns
 *
 * A part's row has the client's columns first, then hidden ones that the text for the shards
 * appends to the select list; merging drops them again. */
#ifndef MQ_ROUTING_MERGE_RECIPE_H
#define MQ_ROUTING_MERGE_RECIPE_H

#include "routing/value_ref.h"

enum merge_kind {
    MERGE_ROWS,       /* the parts answer with rows */
    MERGE_COUNTS_SUM, /* with counts of affected rows, which add up */
    MERGE_COUNTS_MAX, /* of a table that every tenant has a copy of: the largest counts */
};

/* How two values of a column compare. NULL comes before everything, as in the servers. */
enum merge_compare {
    MERGE_AS_INTEGER, /* signed or unsigned, as the column's definition says */
    MERGE_AS_DECIMAL,
    MERGE_AS_TEXT, /* bytes, and the shorter one is padded with spaces: a _bin collation */
    MERGE_AS_BYTES,
};

struct merge_key {
    uint32_t column;
    uint8_t compare;
    bool descending;
};

enum merge_op {
    MERGE_COLUMN,    /* number: of the row; over groups the group's first row */
    MERGE_AGGREGATE, /* number: of recipe.aggregates */
    MERGE_VALUE,     /* number: of recipe.values; compare: what it must be readable as */
    MERGE_EQ,
    MERGE_NE,
    MERGE_LT,
    MERGE_LE,
    MERGE_GT,
    MERGE_GE,
    MERGE_NULL_SAFE_EQ,
    MERGE_IS_NULL,
    MERGE_AND,
    MERGE_OR,
    MERGE_NOT,
    MERGE_ADD,
    MERGE_SUBTRACT,
    MERGE_MULTIPLY,
    MERGE_COALESCE,
};

/* A node of an expression with SQL's three-valued logic. Operands stand in the array in front
 * of their user, side by side. */
struct merge_expr {
    uint8_t op;      /* enum merge_op */
    uint8_t compare; /* of comparisons, and of what the node itself is */
    uint32_t number;
    uint32_t first_operand, operand_count;
};

enum merge_aggregate_kind {
    MERGE_COUNT, /* the sum of the parts' counts: BIGINT */
    MERGE_SUM,   /* DECIMAL */
    MERGE_MIN,
    MERGE_MAX,
    MERGE_AVG,            /* column is the sum, count_column the count */
    MERGE_COUNT_DISTINCT, /* of a column that the parts' rows are grouped and sorted by as well */
};

struct merge_aggregate {
    uint8_t kind;    /* enum merge_aggregate_kind */
    uint8_t compare; /* of MERGE_MIN, MERGE_MAX, MERGE_COUNT_DISTINCT */
    uint32_t column, count_column;
};

struct merge_sort_key {
    uint32_t expr; /* over a row or group */
    uint8_t compare;
    bool descending;
};

struct merge_recipe {
    uint8_t kind;           /* enum merge_kind */
    uint32_t shown, hidden; /* columns of a part's row */

    struct merge_key *order; /* what the parts' rows are sorted by */
    size_t order_count;
    size_t unique;   /* rows that agree in that many leading order keys are one; 0: all are kept */
    int32_t version; /* the one of them with the highest value in this column; -1: the first */

    int32_t filter; /* an expression over rows; -1: none */
    bool grouped;   /* rows that agree in `group` leading order keys are a group; with 0 there is */
    size_t group;   /* one group, also of no rows */
    struct merge_aggregate *aggregates;
    size_t aggregate_count;
    int32_t having; /* an expression over groups; -1: none */

    struct merge_sort_key *sort; /* within a bounded buffer, beyond which the answer is refused */
    size_t sort_count;
    int32_t *columns; /* the expression of each shown column; NULL: they pass as they came */

    struct merge_expr *exprs;
    size_t expr_count;
    struct value_ref *values;
    size_t value_count;

    /* A DELETE of such a table, whose rows are counted before it runs: SELECT COUNT(*) with its
     * tokens from FROM to the end of WHERE. */
    bool counted;
    uint32_t counted_first, counted_last;

    bool joined; /* the shards join tables: each row is made of one tenant's rows */
    bool nested; /* they answer queries inside the statement */

    bool limited;
    struct value_ref skip, most; /* LIMIT; of kind VALUE_NONE: not given */
};

/* The values of one statement for a recipe. */
enum merge_value_kind {
    MERGE_VALUE_NULL,
    MERGE_VALUE_INTEGER,
    MERGE_VALUE_DECIMAL, /* digits with a point, perhaps a sign */
    MERGE_VALUE_TEXT,
};
struct merge_value {
    uint8_t kind;  /* enum merge_value_kind */
    bool negative; /* of an integer: `number` is to be read as signed */
    uint64_t number;
    struct slice text; /* of decimals and texts */
};

struct merge_inputs {
    struct merge_value *values; /* one for each of the recipe */
    size_t value_count;
    uint64_t skip, most; /* rows; most is UINT64_MAX without a LIMIT */
};

/* What a shard is asked for: skip + most rows, or all there can be. */
static inline uint64_t merge_inputs_limit(const struct merge_inputs *in)
{
    return in->most > UINT64_MAX - in->skip ? UINT64_MAX : in->skip + in->most;
}

#endif
