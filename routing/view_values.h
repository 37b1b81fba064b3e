/* The values of the views' columns (routing/views.def), as SQL text. */
#ifndef MQ_ROUTING_VIEW_VALUES_H
#define MQ_ROUTING_VIEW_VALUES_H

#include "routing/describe.h"

/* What one row of a view tells of; what it has no part in is NULL. */
struct view_row {
    const struct dialect *dialect;
    const char *schema;
    const struct table_definition *table;
    const struct key_definition *key;
    const struct column_definition *column;
    size_t ordinal; /* of the column in its table or key, from 1 */
};

typedef void view_value(const struct view_row *r, struct text *out);

#define VIEW_BEGIN(id, table, rows)
#define VIEW_COLUMN(heading, source, value, mysql, mariadb) view_value value;
#define VIEW_END
#include "routing/views.def"
#undef VIEW_BEGIN
#undef VIEW_COLUMN
#undef VIEW_END

#endif
