/* Statements as files hold them: SQL scripts, the servers' general and slow query logs, tables
 * of statement digests. A file of any size is fed piece by piece; each statement found goes to
 * a sink. What is too long is cut and says so. Nothing is judged here. */
#ifndef MQ_CAPTURE_CAPTURE_H
#define MQ_CAPTURE_CAPTURE_H

#include "base/buf.h"

enum capture_format {
    CAPTURE_UNKNOWN,
#define FORMAT_ROW(name, word, summary) CAPTURE_##name,
#include "capture/formats.def"
#undef FORMAT_ROW
};
/* The word that names it on a command line. */
const char *capture_format_name(enum capture_format format);
/* What it is, in a few words; NULL behind the last format. */
const char *capture_format_summary(enum capture_format format);
enum capture_format capture_format_find(const char *name);
/* Which format a file has that begins so; a script when nothing tells. */
enum capture_format capture_recognise(struct slice head);

enum capture_kind {
    CAPTURE_STATEMENT, /* text that a client sent */
    CAPTURE_PREPARED,  /* text that was prepared: each `?` is a parameter */
    CAPTURE_DIGEST,    /* restored from a digest: each `?` stands for a literal or a parameter */
    CAPTURE_SESSION,   /* user or database of the session change; no text */
    CAPTURE_END,       /* of the session */
    CAPTURE_UNSEEN,    /* statements that the file counts but does not name; only `count` */
    CAPTURE_DAMAGED,   /* a record that cannot be read */
};

struct capture_event {
    enum capture_kind kind;
    uint64_t line;    /* where it begins, from 1 */
    uint64_t session; /* connection id; 0 when the file tells none */
    uint64_t count;   /* how many executions it stands for; 0 of what was only prepared */
    bool cut;         /* the text is not whole */
    bool has_user, has_database;       /* the file tells them here */
    struct slice text, user, database; /* borrowed until the sink returns; an empty database
                                          is none */
};

typedef void capture_sink(void *context, const struct capture_event *event);

struct capture_options {
    enum capture_format format;
    size_t statement_max; /* bytes; longer statements are cut */
    /* How many values a row of INSERT without a column list has, for digests, which leave
     * their number out; 0: not known. May be NULL. */
    size_t (*row_width)(void *context, struct slice table);
    capture_sink *sink;
    void *context;
};

struct capture;
struct capture *capture_create(const struct capture_options *options);
void capture_destroy(struct capture *c);
/* The next bytes of the file: one line without its end, or a part of one. Lines begin and end
 * where the flags say. */
void capture_feed(struct capture *c, struct slice piece, bool begins, bool ends);
/* The file has ended: what is pending goes to the sink. */
void capture_finish(struct capture *c);
/* Whether a backslash escapes in scripts, as sql_mode says at this point. */
void capture_set_escapes(struct capture *c, bool backslash_escapes);

#endif
