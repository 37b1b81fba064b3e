/* A file being read. For this folder only. */
#ifndef MQ_CAPTURE_CAPTURE_INT_H
#define MQ_CAPTURE_CAPTURE_INT_H

#include "capture/capture.h"

struct piece {
    struct slice text;
    bool begins, ends; /* a line, here */
};

enum { DELIMITER_MAX = 15, COLUMNS_MAX = 128 };

/* capture/script.c */
struct script {
    char quote;     /* of the string, name or comment that is open; 0: none */
    char before[3]; /* the bytes before this one, the last one first, where they count */
    size_t plain;   /* the statement's bytes from here stand outside quotes */
    bool escaped;   /* the next byte is */
    bool escapes;   /* a backslash does */
    bool has_code;  /* more than comments and white space was seen */
    char delimiter[DELIMITER_MAX + 1];
    size_t delimiter_len;
};

/* capture/slow_log.c */
struct slow_log {
    struct buf used; /* the database that the last `use` named */
    bool has_used;
    bool in_header; /* SET timestamp did not come yet */
    bool in_text;   /* the statement has begun */
};

/* capture/digest_table.c: the columns that count, by number; -1: not there. */
struct digest_table {
    int text, schema, count, sample;
    bool has_head;
    bool quoted; /* CSV: the record goes on */
};

/* capture/digest_json.c */
struct digest_json {
    int depth;
    bool in_string, escaped;
};

struct capture {
    struct capture_options options;
    uint64_t line;
    bool pending; /* event and text are those of a statement under way */
    struct capture_event event;
    struct buf text, user, database;
    struct buf restored; /* from a digest; changes places with text */
    struct script script;
    struct slow_log slow;
    struct digest_table table;
    struct digest_json json;
};

/* ---- capture.c ---- */

/* A new event at this line; what was pending is forgotten. */
struct capture_event *capture_begin(struct capture *c, enum capture_kind kind);
void capture_append(struct capture *c, struct slice bytes);
void capture_keep_user(struct capture *c, struct slice user);
void capture_keep_database(struct capture *c, struct slice database);
/* Hands over the pending event. */
void capture_emit(struct capture *c);

/* ---- the formats ---- */

void script_feed(struct capture *c, const struct piece *p);
void script_finish(struct capture *c);
void general_log_feed(struct capture *c, const struct piece *p);
void slow_log_feed(struct capture *c, const struct piece *p);
void slow_log_finish(struct capture *c);
void digest_tsv_feed(struct capture *c, const struct piece *p);
void digest_csv_feed(struct capture *c, const struct piece *p);
void digest_json_feed(struct capture *c, const struct piece *p);

/* Do the bytes begin an entry of a general log or of a slow log? */
bool general_log_entry(struct slice line);
bool slow_log_entry(struct slice line);

/* One row of a table of digests, as its columns say. A `text` of NULL is the row that stands
 * for all that the table had no room for. */
struct digest_row {
    struct slice text, schema, sample; /* empty: NULL */
    bool has_text, has_sample;
    bool tells_schema; /* a schema of NULL is none then */
    uint64_t count;
};
void digest_row_emit(struct capture *c, const struct digest_row *row);
/* Which of the columns that count a heading names: the number of its member, -1 for none. */
enum digest_column { DIGEST_TEXT, DIGEST_SCHEMA, DIGEST_COUNT, DIGEST_SAMPLE, DIGEST_NONE };
enum digest_column digest_column_find(struct slice heading);

/* The SQL text that a digest was made of, with `?` for what it left out, appended to out.
 * False when it stands for no statement that was executed. */
bool digest_restore(struct capture *c, struct slice digest, struct buf *out);

/* ---- text.c: reading lines ---- */

/* Takes a prefix off; false when it is not there. */
bool text_take(struct slice *s, const char *prefix);
/* Takes digits off. */
bool text_take_number(struct slice *s, uint64_t *ret);
void text_skip_spaces(struct slice *s);
/* What stands before the first occurrence, which is taken off as well. */
bool text_take_until(struct slice *s, const char *stop, struct slice *ret);
/* The first line of the three that a server writes when it opens a log. */
bool text_is_heading(struct slice line);
/* Without the backquotes around a name. */
struct slice text_unquote(struct slice name);

#endif
