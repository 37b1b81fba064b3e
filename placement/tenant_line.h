/* The rows of the tenant vindex table as text, for `mqgate tenants export` and `import`: one line
 * each, its fields apart by tabs, so that it can be sorted, compared and edited.
 *
 *   orders<TAB>4a3f9c…<TAB>serving
 *
 * Empty lines, and those that begin with # and have no tab, say nothing. */
#ifndef MQ_PLACEMENT_TENANT_LINE_H
#define MQ_PLACEMENT_TENANT_LINE_H

#include "placement/vindex_table.h"

void tenant_line_print(const struct vindex_row *row, struct buf *out);
/* Takes a line off the front, without its end; false when there is none. */
bool tenant_line_next(struct slice *rest, struct slice *ret_line);
bool tenant_line_is_comment(struct slice line);
/* Reads a row that may be imported: `serving` or `retired`. The tenant borrows from the line.
 * Fails with MQ_USAGE or MQ_TENANT_INVALID. */
enum err_code tenant_line_parse(struct slice line, struct vindex_row *ret, struct err *reterr);

#endif
