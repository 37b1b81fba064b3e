/* Qualified partition keys (`partition_keys: qualified`): the client sees a queue table whose
 * partition key reads `tenant|key`, while the shard's holds the key alone. So
 *
 *   a read of the column         becomes the expression that the client's table has there,
 *                                CONCAT(m.tenant, '|', m.partition_key)
 *   partition_key = 't|key'      where nothing can bypass it, names the tenant and compares the
 *   and IN (…)                   column with the key alone, so that its index serves as before
 *   an inserted, assigned value  is the key alone
 *
 * A statement that names its tenant by itself (the source `sql`) speaks plain keys. */
#ifndef MQ_ROUTING_QUALIFIED_H
#define MQ_ROUTING_QUALIFIED_H

#include "routing/plan_int.h"

/* ---- reads ---- */

/* A column that is read, if it is the key of a queue table: puts the expression in its place. */
enum err_code qualified_column(struct planner *p, const struct node *column, bool *ret_done);
/* VALUES(partition_key) the same. */
enum err_code qualified_values(struct planner *p, const struct node *values, bool *ret_done);
/* A comparison of two such columns: it stays as it is, so that indexes serve. Of several tenants it
 * compares their tenants besides. */
enum err_code qualified_compare(struct planner *p, const struct node *compare);
/* An item of a select list; `index` counts from 0, or is unknown behind a star. */
enum err_code qualified_item(struct planner *p, const struct node *item, bool inserted,
                             size_t index);
/* Of a star in the list of INSERT … SELECT: does it leave the key as the shard has it? */
enum err_code qualified_star(struct planner *p, const struct scope *s, const struct node *list,
                             const struct node *star, bool *ret_plain);
/* Appends the expression for the table's column; false: it is no key. */
bool qualified_expression(const struct planner *p, const struct catalog_table *table,
                          struct slice name, struct slice column, struct text *out);
/* The same with its name behind it. */
bool qualified_text(const struct planner *p, const struct catalog_table *table, struct slice name,
                    struct slice column, struct text *out);
/* Notes which columns of the answer are keys, if the list (NULL: all columns) is that of the
 * statement's own block. */
void qualified_result(struct planner *p, const struct scope *s, const struct node *list);
enum err_code qualified_group_by(struct planner *p, struct scope *s, const struct node *group);
enum err_code qualified_order_by(struct planner *p, const struct node *order);
enum err_code qualified_having(struct planner *p, struct scope *s, const struct node *having);
/* A join that compares columns of the same name. */
enum err_code qualified_join(struct planner *p, const struct node *join,
                             const struct table_ref *refs);

/* ---- values ---- */

/* Is it a value that can name a tenant: a string, or a parameter? */
bool qualified_is_value(struct planner *p, const struct node *value);
void qualified_add(struct planner *p, struct value_ref value, bool inserted);
/* The column, which values of several tenants are compared with, becomes `tenant` and the key, so
 * that indexes serve; in_row: it is a member of a row. */
void qualified_pair_column(struct planner *p, const struct node *column, bool in_row);
/* A value that such a column is compared with. */
enum err_code qualified_pair_value(struct planner *p, struct value_ref value, bool in_row);
/* A row may come without a key, where a server in strict mode has an error. */
enum err_code qualified_missing(struct planner *p, const struct catalog_table *table);
/* A value of an inserted row or of an assignment; refused if its tenant cannot be known. */
enum err_code qualified_stored(struct planner *p, const struct catalog_table *table,
                               struct slice column, const struct node *value, bool inserted);

/* ---- which references are tied to the keys' tenant ---- */

/* The reference, of the innermost query or of one around it, whose key the column is; or NULL. */
const struct table_ref *qualified_owner(struct planner *p, const struct node *column);
/* The reference within the scope whose column it is, if that is certain. */
const struct table_ref *qualified_found(struct planner *p, const struct scope *s,
                                        const struct node *column);
/* The same, seen from within the scope: it may be that of a query around it. */
const struct table_ref *qualified_resolved(struct planner *p, const struct scope *s,
                                           const struct node *column);
/* The reference of the scope itself if the column is a queue table's key. */
struct table_ref *qualified_ref(struct planner *p, struct scope *s, const struct node *column);
/* `a.partition_key = b.partition_key`, which nothing can bypass: whichever is tied ties the other,
 * if that clause binds it. target: of the references that the clause binds. */
void qualified_pair(struct planner *p, struct scope *s, const struct node *compare,
                    const struct node *target, struct vector *pairs);
/* Ties what the pairs tie to a value's tenant; of several tenants to a row around the query, or else
 * to the first reference that is always there, whose tenant is then that of all that are tied. */
void qualified_tie(struct planner *p, struct scope *s, const struct vector *pairs);

#endif
