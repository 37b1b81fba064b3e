/* Follows the answer to one command packet by packet, so that a relay knows what passes by
 * and when the answer has ended, without looking into rows.
 *
 *   HEAD ──column count──> COLUMNS ──(EOF)──> ROWS ──EOF/OK──> END, or HEAD when
 *    │                                          │              MORE_RESULTS is set
 *    └──OK / ERR──────────> END <──────ERR──────┘
 *
 * Sources: page_protocol_com_query_response, page_protocol_com_stmt_prepare, WL#7766. */
#ifndef MQ_WIRE_ANSWER_H
#define MQ_WIRE_ANSWER_H

#include "wire/response.h"

enum answer_kind {
    ANSWER_QUERY,   /* COM_QUERY, COM_STMT_EXECUTE and other commands that end in OK or ERR */
    ANSWER_PREPARE, /* COM_STMT_PREPARE */
    ANSWER_STRING,  /* COM_STATISTICS: one packet of text */
    ANSWER_ROWS,    /* rows without a head, or nothing but their end: COM_STMT_FETCH,
                       COM_FIELD_LIST (definitions), COM_SET_OPTION, COM_DEBUG */
    ANSWER_CURSOR,  /* COM_STMT_EXECUTE that asks for a cursor, which is opened or not */
};

enum answer_packet {
    ANSWER_NEED_MORE, /* the whole packet is needed and is not there yet; nothing was taken */
    ANSWER_BAD,       /* not what the protocol allows here: close the backend */
    ANSWER_OK,
    ANSWER_ERR,
    ANSWER_COLUMN_COUNT,
    ANSWER_COLUMN_DEF,  /* of a result set or of a prepared statement's columns */
    ANSWER_COLUMNS_EOF, /* the EOF behind column definitions */
    ANSWER_ROW,
    ANSWER_ROWS_END,     /* EOF or, under DEPRECATE_EOF, OK with header 0xFE */
    ANSWER_LOCAL_INFILE, /* a request for a client's file; mqgate refuses it */
    ANSWER_PREPARE_OK,
    ANSWER_PARAM_DEF,
    ANSWER_PARAMS_EOF,
    ANSWER_TEXT,
};

struct answer {
    uint8_t state;             /* private */
    uint8_t kind;              /* enum answer_kind */
    bool fragment_follows;     /* private: the next packet continues the last one */
    bool ended;                /* the last packet of the answer was seen */
    bool cursor_opened;        /* the rows wait for COM_STMT_FETCH */
    uint64_t capabilities;     /* of the backend's connection */
    uint64_t columns, rows;    /* of the result set at hand */
    uint64_t results;          /* that have ended well so far */
    uint64_t definitions_left; /* private */
    uint32_t prepared_columns, prepared_params;
    struct ok_packet ok;   /* of the last OK or EOF; info and session_state are borrowed */
    struct err_packet err; /* of the last ERR; message is borrowed */
};

void answer_begin(struct answer *a, enum answer_kind kind, uint64_t capabilities);

/* Takes the next packet. payload has `have` of its `len` bytes at hand; only packets that
 * are not rows or column definitions need all of them (else ANSWER_NEED_MORE). After
 * ANSWER_OK or ANSWER_ROWS_END a->ok holds status, warnings, affected rows and insert id;
 * after ANSWER_ERR a->err holds the error. */
enum answer_packet answer_packet(struct answer *a, const uint8_t *payload, size_t have, size_t len);

/* The answer's head, a column count and as many definitions, has passed by: it has been seen before,
 * byte by byte. False where no head may come, and then nothing has passed. */
bool answer_skip_head(struct answer *a, uint64_t columns);

/* Rows that pass by whole: returns how many bytes at the front of data (packets with
 * headers, `have` bytes) are complete row packets, so that a relay can skip over them in
 * one step. 0 unless the answer is at its rows. */
size_t answer_skip_rows(struct answer *a, const uint8_t *data, size_t have);

#endif
