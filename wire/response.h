/* OK, ERR and EOF packets, column definitions and text rows, as payloads. */
#ifndef MQ_WIRE_RESPONSE_H
#define MQ_WIRE_RESPONSE_H

#include "base/error.h"
#include "wire/capability.h"
#include "wire/codec.h"

struct ok_packet {
    uint64_t affected_rows;
    uint64_t last_insert_id;
    uint16_t status;
    uint16_t warnings;
    struct slice info;          /* human-readable, e.g. "Records: 2 …" */
    struct slice session_state; /* raw, only with CAP_SESSION_TRACK and STATE_CHANGED */
};

/* header is 0x00, or 0xFE for the OK that ends rows under CAP_DEPRECATE_EOF. */
void ok_write(struct buf *b, const struct ok_packet *ok, uint8_t header, uint64_t capabilities);
bool ok_parse(struct slice payload, uint64_t capabilities, struct ok_packet *ret);
/* Sets the number of warnings in an OK or EOF packet that was parsed before. */
void warnings_set(uint8_t *payload, size_t len, uint16_t warnings, uint64_t capabilities);

struct err_packet {
    uint16_t code;
    char sqlstate[6]; /* "HY000" when the packet has none */
    struct slice message;
};
/* Without CAP_PROTOCOL_41 (before the greeting's reply) the state is left out. */
void err_write(struct buf *b, const struct err_packet *e, uint64_t capabilities);
bool err_parse(struct slice payload, struct err_packet *ret);
/* An error of our catalogue, with its "MQnnnn: " prefix. */
void err_write_catalogue(struct buf *b, const struct err *e, uint64_t capabilities);

void eof_write(struct buf *b, uint16_t warnings, uint16_t status);
bool eof_parse(struct slice payload, uint16_t *ret_warnings, uint16_t *ret_status);

/* Column types (enum_field_types). */
enum {
    TYPE_DECIMAL = 0,
    TYPE_TINY = 1,
    TYPE_SHORT = 2,
    TYPE_LONG = 3,
    TYPE_FLOAT = 4,
    TYPE_DOUBLE = 5,
    TYPE_NULL = 6,
    TYPE_TIMESTAMP = 7,
    TYPE_LONGLONG = 8,
    TYPE_INT24 = 9,
    TYPE_DATE = 10,
    TYPE_TIME = 11,
    TYPE_DATETIME = 12,
    TYPE_YEAR = 13,
    TYPE_VARCHAR = 15,
    TYPE_BIT = 16,
    TYPE_JSON = 245,
    TYPE_NEWDECIMAL = 246,
    TYPE_ENUM = 247,
    TYPE_SET = 248,
    TYPE_TINY_BLOB = 249,
    TYPE_MEDIUM_BLOB = 250,
    TYPE_LONG_BLOB = 251,
    TYPE_BLOB = 252,
    TYPE_VAR_STRING = 253,
    TYPE_STRING = 254,
    TYPE_GEOMETRY = 255
};

/* Flags of a column (group__group__cs__column__definition__flags). */
enum {
    COLUMN_NOT_NULL = 0x0001,
    COLUMN_PRIMARY_KEY = 0x0002,
    COLUMN_UNIQUE_KEY = 0x0004,
    COLUMN_MULTIPLE_KEY = 0x0008,
    COLUMN_UNSIGNED = 0x0020,
    COLUMN_BINARY = 0x0080,
    COLUMN_NO_DEFAULT = 0x1000,
    COLUMN_PART_KEY = 0x4000
};

struct column_def {
    struct slice schema, table, org_table, name, org_name;
    uint16_t charset;
    uint32_t length;
    uint8_t type;
    uint16_t flags;
    uint8_t decimals;
    struct slice extended; /* raw, only with CAP_MARIADB_EXTENDED_METADATA: what the type does not say */
};
void column_def_write(struct buf *b, const struct column_def *c, uint64_t capabilities);
bool column_def_parse(struct slice payload, uint64_t capabilities, struct column_def *ret);

/* A text result set of our own: complete packets, from *seq on. rows is row after row,
 * columns values each; a slice with data NULL is NULL. */
struct text_result {
    const struct column_def *columns;
    size_t column_count;
    const struct slice *rows;
    size_t row_count;
};
void text_result_write(struct buf *b, uint8_t *seq, const struct text_result *result,
                       uint64_t capabilities, uint16_t status, uint16_t warnings);
/* The same with binary rows, as COM_STMT_EXECUTE is answered. */
void binary_result_write(struct buf *b, uint8_t *seq, const struct text_result *result,
                         uint64_t capabilities, uint16_t status, uint16_t warnings);

/* A binary row from values that are given as text: its head, which says which are NULL, then each
 * value that is not, laid out for its column's type. Integers of 1, 2, 4 and 8 bytes have a layout
 * of their own here; every other type has to be one that is sent with its length.
 * Source: page_protocol_binary_resultset. */
void binary_row_open(struct buf *payload, const struct slice *values, size_t count);
void binary_value_write(struct buf *payload, uint8_t type, struct slice text);

#endif
