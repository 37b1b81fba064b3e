/* What the files share that plan statements of several tenants: the state of one call of
 * plan_scatter().
 *
 *   scatter.c             the statement as a whole: which kinds are served, and the edits
 *   scatter_select.c      rows: DISTINCT, ORDER BY, LIMIT
 *   scatter_group.c       aggregates, GROUP BY, HAVING
 *   scatter_expr.c        expressions that the merge evaluates
 *   scatter_join.c        joins whose rows are one tenant's each
 *   scatter_query.c       queries inside the statement
 *   scatter_union.c       UNION and its kin as the outermost query
 *   scatter_column.c      columns: which one is meant, how it compares, hidden ones
 *   scatter_replicated.c  tables that every tenant has a copy of
 *   scatter_write.c       UPDATE, DELETE and INSERT without a tenant
 *
 * The planner walks the statement as for one tenant; when it has opened the scope of the
 * outermost block, scatter_block() works out the recipe and marks what shards must not see;
 * scatter_finish() then writes what they are to answer besides. */
#ifndef MQ_ROUTING_SCATTER_INT_H
#define MQ_ROUTING_SCATTER_INT_H

#include "routing/plan_int.h"

enum { COMPARE_NONE = 255 }; /* beside enum merge_compare: not as a merge could do it */

/* A column of a table of the outermost block. */
struct scatter_column {
    const struct table_ref *ref; /* NULL: none */
    const struct catalog_column *column;
};

/* A column of the parts' rows: one that the client sees, then hidden ones. */
struct scatter_item {
    const struct node *expr;      /* of the select list; NULL: of a star, or hidden */
    struct slice name;            /* by which clauses may mean it; empty: none */
    struct scatter_column column; /* which it is, if it is one and nothing else */
    const struct node *call;      /* the client's call of an aggregate that it is, alone; or NULL */
};

/* What a query inside the statement is to what stands around it. */
enum scatter_use {
    SCATTER_VALUE, /* a value, or EXISTS */
    SCATTER_ROWS,  /* a table of FROM */
    SCATTER_KEYS   /* the right side of IN, whose left side has a partition key */
};

/* A block of such a query, or of the outermost one. */
struct scatter_branch {
    const struct node *list;
    const struct scope *scope;
    struct vector items; /* struct scatter_item; of the outermost query */
};

struct scatter_query {
    uint8_t use;   /* enum scatter_use */
    size_t member; /* SCATTER_KEYS: which column meets the key */
    bool loose;    /* it has rows of several tenants */
    struct vector branches;
};

struct scatter {
    const struct node *query, *block; /* the outermost */
    const struct node *united; /* the outermost set operation; NULL: the query is one block */
    struct scatter_query inner; /* of the query inside that is walked */
    uint8_t use;                /* what the next one is, */
    size_t member;              /* as above */
    struct vector branches;     /* of the set operation */
    struct scope *scope;
    struct merge_recipe recipe;
    struct vector items;   /* struct scatter_item */
    struct vector order;   /* struct merge_key */
    struct vector sort;    /* struct merge_sort_key */
    struct vector aggregates; /* struct merge_aggregate */
    struct vector exprs;   /* struct merge_expr */
    struct vector values;  /* struct value_ref */
    struct vector cuts;    /* const struct node *: not for the shards */
    const struct catalog_table *replicated; /* the table, if every tenant has a copy of it */
    struct vector groups;  /* struct merge_key: the columns of GROUP BY */
    bool grouped;          /* the parts answer with groups */
    struct scatter_column counted; /* of COUNT(DISTINCT …): the parts' rows are grouped by it, too */
    bool counts_keys; /* COUNT(DISTINCT partition_key), which the parts count: by no more groups */
    bool limit_stays;      /* the shards need not give more rows than are asked for */
    struct text hidden;    /* of the select list */
    struct text grouping;  /* behind the client's GROUP BY, or in its place */
    size_t names;          /* how often a name was looked for among the items */
    size_t sorted;         /* keys of `order` that the client's own ORDER BY has */
};

/* ---- scatter.c ---- */

/* Is the statement one that can be for several tenants at all? Before anything is visited. */
enum err_code scatter_statement(struct planner *p, const struct node *root);
/* The outermost block, whose scope is open. */
enum err_code scatter_block(struct planner *p, struct scope *s, const struct node *block);
/* After everything was visited. */
enum err_code scatter_finish(struct planner *p);
/* The shards shall not see it; nothing below is visited. `with` stands in its place. */
enum err_code scatter_cut(struct planner *p, const struct node *n, struct slice with);
bool scatter_is_cut(const struct planner *p, const struct node *n);
/* Does each condition have a list of tenants instead of one? */
bool scatter_lists_tenants(const struct planner *p);
/* The refusal: "… : why; remedy", with MQ_SCATTER. */
enum err_code scatter_refuse(struct planner *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a query that is neither SELECT nor a set operation. */
enum err_code scatter_refuse_body(struct planner *p);
/* Refuses what no merge could mend, wherever it stands below n. */
enum err_code scatter_check_nodes(struct planner *p, const struct node *n);
/* The words of a block in front of its list. */
enum err_code scatter_check_options(struct planner *p, const struct node *block);
/* Refuses what takes a counter's value for one row's. */
enum err_code scatter_check_counter(struct planner *p, struct scope *s);
/* The refusal of what is only ever one tenant's. */
enum err_code scatter_missing(struct planner *p, const struct catalog_table *table,
                              const char *clause);
/* Does one answer for each partition key come from one tenant only? */
bool scatter_is_qualified(const struct planner *p);

/* ---- scatter_join.c ---- */

/* Refuses FROM unless each row is made of one tenant's rows; claim_conditions() has been there. */
enum err_code scatter_tables(struct planner *p, const struct scope *s);
/* Refuses groups and DISTINCT of several tenants' rows, which are not the partition key's. */
enum err_code scatter_check_groups(struct planner *p, const struct scope *s,
                                   const struct node *block, bool distinct);
/* A partition key that no outer join can have made NULL. */
bool scatter_is_sure_key(struct planner *p, const struct scope *s, const struct node *expr);
/* The reference whose qualified partition key the column is, if that is certain: a table, or a
 * derived table that passes on one of its own. */
const struct table_ref *scatter_key(struct planner *p, const struct scope *s,
                                    const struct node *column);
/* The same of a column that is the reference's. */
bool scatter_shows_key(struct planner *p, const struct table_ref *r, const struct node *column);

/* ---- scatter_query.c ---- */

/* A derived table before it is visited. */
enum err_code scatter_derived(struct planner *p, const struct node *derived);
enum err_code scatter_with(struct planner *p, const struct node *with);
/* IN, whose right side may be a query. */
void scatter_in(struct planner *p, const struct node *in);
/* Before and after a query inside is visited; the latter also where that failed. */
enum err_code scatter_query_begin(struct planner *p, const struct node *query,
                                  struct scatter_query *ret_around);
enum err_code scatter_query_end(struct planner *p, const struct node *query, enum err_code code,
                                const struct scatter_query *around);
/* A block of one, whose scope is open. */
enum err_code scatter_inner(struct planner *p, struct scope *s, const struct node *block);
/* The item of the first branch at whose place each has a partition key; NULL: there is none. */
const struct node *scatter_shared_key(struct planner *p, const struct vector *branches);
/* Does the query, or one that it is made of, have more than UNION ALL? */
bool scatter_set_compares(const struct node *body);

/* ---- scatter_union.c ---- */

/* The outermost query's body before anything is visited. */
enum err_code scatter_check_united(struct planner *p, const struct node *body);
/* A branch, whose scope is open. */
enum err_code scatter_branch(struct planner *p, struct scope *s, const struct node *block);
/* After the last of them. */
enum err_code scatter_united(struct planner *p);

/* ---- scatter_column.c ---- */

/* The column that the node names; false: of no table of the catalogue, or of several. */
bool scatter_find_column(struct planner *p, const struct node *column, struct scatter_column *ret);
/* What a name in ORDER BY, GROUP BY or HAVING means: an item of the select list (its number) or,
 * with -1, a column. Refused if servers could take it for either. */
enum err_code scatter_resolve(struct planner *p, const struct node *column, int32_t *ret_item,
                              struct scatter_column *ret);
/* enum merge_compare, or COMPARE_NONE. */
uint8_t scatter_compare(struct planner *p, const struct scatter_column *column);
/* The column's place in the parts' rows, where it is put if need be. */
uint32_t scatter_place(struct planner *p, const struct scatter_column *column);
/* The same of an aggregate over it (NULL: over rows), as "SUM(" or "COUNT(". */
uint32_t scatter_place_call(struct planner *p, const char *call,
                            const struct scatter_column *column);
/* Appends the column as the shards call it. */
void scatter_column_text(struct planner *p, const struct scatter_column *column, struct text *out);
bool scatter_same_column(const struct scatter_column *a, const struct scatter_column *b);
/* Are their values of one type, so that a set operation shows them as they are? */
bool scatter_same_type(struct planner *p, const struct scatter_column *a,
                       const struct scatter_column *b);
bool scatter_is_partition_key(const struct scatter_column *column);
/* AUTO_INCREMENT: a value of it may occur once for each tenant. */
bool scatter_is_counter(const struct scatter_column *column);
struct scatter_item *scatter_item(struct scatter *x, size_t index);

/* ---- scatter_select.c ---- */

/* The columns that the client sees. */
enum err_code scatter_list(struct planner *p);
enum err_code scatter_rows(struct planner *p);
/* The keys of the client's own ORDER BY, by which the shards sort. */
enum err_code scatter_order_by(struct planner *p, bool distinct);
/* Rows that are alike in all columns are one. */
enum err_code scatter_distinct(struct planner *p);
/* One more key of what the parts' rows are sorted by, unless it is there. */
enum err_code scatter_add_key(struct planner *p, uint32_t item, uint8_t compare, bool descending);
/* The refusal of a column that cannot be compared. */
enum err_code scatter_refuse_compare(struct planner *p, const char *clause,
                                     const struct node *expr);
enum err_code scatter_limit(struct planner *p);

/* ---- scatter_group.c ---- */

/* Does the block give groups instead of rows? */
bool scatter_has_groups(struct planner *p, const struct node *block);
enum err_code scatter_groups(struct planner *p);
/* A call of an aggregate function as a node of an expression. item: where the client sees it alone;
 * -1: it is part of something. */
enum err_code scatter_aggregate(struct planner *p, const struct node *call, int32_t item,
                                struct merge_expr *ret);
bool scatter_is_aggregate(const struct planner *p, const struct node *n);
/* The same for any node below, itself included. */
bool scatter_has_aggregate(const struct planner *p, const struct node *n);
/* Is it one of GROUP BY's? */
bool scatter_is_group(struct planner *p, const struct scatter_column *column);

/* ---- scatter_expr.c ---- */

/* Puts the expression into the recipe. Over groups if `grouped`, else over rows. */
enum err_code scatter_expr(struct planner *p, const struct node *n, bool grouped, int32_t *ret,
                           uint8_t *ret_compare);
/* The same of a node whose operands are there. */
int32_t scatter_expr_add(struct planner *p, const struct merge_expr *e);

/* ---- scatter_replicated.c ---- */

/* Conditions that are not on the legacy key stay here. */
enum err_code scatter_replicated_where(struct planner *p);
/* Rows instead of groups. */
enum err_code scatter_replicated_rows(struct planner *p);
/* What the parts' rows are sorted by and identified with, behind the keys that are there. */
enum err_code scatter_replicated_order(struct planner *p);
bool scatter_is_legacy_key(const struct catalog_table *table, const struct catalog_column *column);

/* ---- scatter_write.c ---- */

enum err_code scatter_write(struct planner *p, const struct node *root);

#endif
