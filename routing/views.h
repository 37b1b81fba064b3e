/* The legacy schema as tables: what information_schema and SHOW tell of it. A view is the text of
 * a derived table, which a shard evaluates; so the server itself filters, sorts and gives the
 * columns their types, while the rows are the catalogue's. */
#ifndef MQ_ROUTING_VIEWS_H
#define MQ_ROUTING_VIEWS_H

#include "routing/plan_int.h"

enum view_id {
#define VIEW_BEGIN(id, table, rows) VIEW_##id,
#define VIEW_COLUMN(heading, source, value, mysql, mariadb)
#define VIEW_END
#include "routing/views.def"
#undef VIEW_BEGIN
#undef VIEW_COLUMN
#undef VIEW_END
};

/* `(SELECT …)` of the view's rows; only one table's if it is given. For SHOW there is one more
 * column, mq_row, to sort by. Fails when a definition cannot be described. */
enum err_code view_text(struct planner *p, enum view_id id, const struct catalog_table *only,
                        bool show, struct text *out);
/* The headings of its columns, `a`, `b` …; the first one alone with `first`. */
void view_headings(const struct planner *p, enum view_id id, bool first, struct text *out);

/* The table's CREATE TABLE, as a server shows it. */
enum err_code view_definition(struct planner *p, const struct catalog_table *table,
                              struct text *out);

/* Is it a table of information_schema that is served? Then its name is replaced by the view. */
enum err_code view_resolve(struct planner *p, const struct node *table, bool *ret_found);

#endif
