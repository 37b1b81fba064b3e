/* The cells of a row, in either protocol, and rows made anew
 * (page_protocol_com_query_response_text_resultset_row, page_protocol_binary_resultset). */
#ifndef MQ_MERGE_ROW_H
#define MQ_MERGE_ROW_H

#include "wire/response.h"

/* What counts of a column's definition. */
struct column {
    uint8_t type;
    bool is_unsigned;
    uint8_t decimals;
};

struct cell {
    struct slice wire;  /* as it stands in the row; of a binary row's NULL nothing */
    struct slice bytes; /* without the length before it; data NULL: NULL */
};

struct row {
    struct slice payload;
    struct cell *cells;
};

/* The shape of a set of rows. */
struct shape {
    bool binary;
    const struct column *columns;
    size_t count;
};

/* Finds the cells of row->payload. False when it is not a row of that shape. */
bool row_split(const struct shape *shape, struct row *row);

/* A row with a copy of its bytes. */
struct kept_row {
    struct buf bytes;
    struct row row;
    bool is_set;
};
void kept_row_fini(struct kept_row *k);
void kept_row_set(struct kept_row *k, const struct shape *shape, const struct row *row);

/* A row from its first cell to its last: row_begin, row_cell or row_null for each column, in
 * their order. out must be empty at first. */
void row_begin(struct buf *out, bool binary, size_t count);
void row_wire(struct buf *out, struct slice wire);
void row_null(struct buf *out, bool binary, size_t column);
void row_bytes(struct buf *out, struct slice bytes);

bool is_integer_type(uint8_t type);
bool is_decimal_type(uint8_t type);
/* Texts, and what both protocols write as such. */
bool is_text_type(uint8_t type);
/* Bytes of an integer in a binary row. */
size_t integer_width(uint8_t type);

#endif
