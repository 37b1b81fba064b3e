/* What the parts of `mqgate lint` share: the statements of files, or of a running sidecar,
 * judged and counted by kind. */
#ifndef MQ_CLI_LINT_H
#define MQ_CLI_LINT_H

#include "capture/capture.h"
#include "cli/lint_report.h"
#include "cli/planning.h"

struct lint_options {
    struct planning_options planning;
    const char *format;                  /* NULL: told by the content */
    const char *address, *password_file; /* of --live; host:port, or a socket's path */
    bool live, json, all, strict;
};

struct lint_sessions;

struct lint {
    const struct lint_options *options;
    struct planning planning;
    struct lint_report report;
    struct lint_sessions *sessions;
    struct capture *capture; /* of the file being read */
    struct lint_file *file;
    bool digests;       /* it holds rows without an order */
    struct arena arena; /* of one statement */
};

/* ---- lint_input.c ---- */

/* Reads a file, a folder's .sql files or, for "-", standard input. Fails with MQ_USAGE. */
enum err_code lint_read(struct lint *lint, const char *path, struct err *reterr);

/* ---- lint_judge.c ---- */

/* A capture_sink; context is a struct lint. */
void lint_take(void *context, const struct capture_event *event);
/* How many values a row for a table of the catalogue has. */
size_t lint_row_width(void *context, struct slice table);

/* ---- lint_text.c ---- */

/* The statement for people; the length written, at most room, which is at least 4. */
size_t lint_text(const struct judgement *j, struct slice raw, char *text, size_t room);

/* ---- lint_session.c: what is known of the connections of a file ---- */

struct lint_session {
    struct session_facts facts;
    struct dialect dialect;
    bool elsewhere; /* another database than the keyspace is selected */
};

struct lint_sessions *lint_sessions_create(const struct planning *planning);
void lint_sessions_destroy(struct lint_sessions *s);
/* Forgets all of them: another file begins. */
void lint_sessions_clear(struct lint_sessions *s);
/* The event's connection, with what the event tells of it. */
struct lint_session *lint_sessions_get(struct lint_sessions *s, const struct capture_event *event);
void lint_sessions_end(struct lint_sessions *s, uint64_t id);
/* Follows USE and SET of what decides about later statements. Fails when mqgate would refuse
 * the change, which then changes nothing. */
enum err_code lint_session_follow(struct lint_sessions *s, struct lint_session *session,
                                  const struct judgement *j, struct arena *arena,
                                  struct err *reterr);
/* A tenant that this session may choose; false when it has none to choose. */
bool lint_session_tenant(const struct lint_sessions *s, const struct lint_session *session,
                         struct slice *ret);

/* ---- lint_live.c ---- */

/* Asks the running sidecar. Fails with MQ_USAGE, MQ_CONFIG_INVALID, or MQ_SHARD_DOWN when it does
 * not answer. */
enum err_code lint_live(struct lint *lint, struct err *reterr);

/* ---- lint_print.c, lint_json.c ---- */

void lint_print(const struct lint *lint);
void lint_print_json(const struct lint *lint);

#endif
