/* Prepared statements (page_protocol_com_stmt_prepare, page_protocol_com_stmt_execute). */
#ifndef MQ_WIRE_STMT_H
#define MQ_WIRE_STMT_H

#include "base/arena.h"
#include "base/error.h"
#include "wire/response.h"

struct prepare_ok {
    uint32_t statement_id;
    uint16_t columns, params, warnings;
};
bool prepare_ok_parse(struct slice payload, struct prepare_ok *ret);
void prepare_ok_write(struct buf *b, const struct prepare_ok *p);

struct param_type {
    uint8_t type;
    uint8_t flags; /* 0x80 unsigned */
};

/* Flags of an EXECUTE. Of the other kinds of cursors that are named servers have none. */
enum { CURSOR_READ_ONLY = 1 };

/* One parameter of an EXECUTE as it came. */
struct execute_param {
    struct param_type type;
    bool null;
    bool long_data;       /* sent before by COM_STMT_SEND_LONG_DATA; value is empty */
    struct slice value;   /* the bytes on the wire, length prefix included, so that they can
                             be sent on as they are */
    struct slice content; /* for strings and blobs the value without its prefix, else value */
};

struct execute {
    uint32_t statement_id;
    uint8_t flags; /* cursor type */
    uint32_t iterations;
    bool types_bound;             /* new_params_bind_flag */
    struct execute_param *params; /* param_count of them, in arena */
};

/* Parses the payload of COM_STMT_EXECUTE, command byte included. types holds param_count
 * entries: what the client bound before; they are replaced when the packet binds anew.
 * has_types tells whether they were ever bound (an unbound EXECUTE is refused) and is set.
 * long_data may be NULL, or says for each parameter whether long data came before.
 * Fails with MQ_PROTOCOL or MQ_PARAMETER_VALUES. */
enum err_code execute_parse(struct slice payload, size_t param_count, bool attributes,
                            struct param_type *types, bool *has_types, const bool *long_data,
                            struct arena *arena, struct execute *ret, struct err *reterr);

/* The same attributes stand in front of the text of a COM_QUERY: takes them off its body (what
 * follows the command's byte). Nobody needs their values: a statement could read them only by a
 * function that is not served. Fails with MQ_PROTOCOL. Source: page_protocol_com_query. */
enum err_code query_skip_attributes(struct slice *body, struct arena *arena, struct err *reterr);

/* Writes a COM_STMT_EXECUTE payload with the given parameters, types always bound. */
void execute_write(struct buf *b, uint32_t statement_id, uint8_t flags,
                   const struct execute_param *params, size_t param_count);

/* A packet of COM_STMT_CLOSE, which has no answer. */
void stmt_close_write(struct buf *b, uint32_t statement_id);

/* An unsigned BIGINT. */
struct execute_param execute_unsigned(struct arena *arena, uint64_t value);
/* A string parameter (VAR_STRING) with the given bytes; its wire form is kept in arena. */
struct execute_param execute_string(struct arena *arena, struct slice bytes);

#endif
