#define _GNU_SOURCE /* memmem() */
#include "routing/vitess_error.h"

#include <stdio.h>

static const struct {
    const char *part;
    enum err_code code;
} rows[] = {
#define VITESS_ERROR_ROW(part, code) { part, MQ_##code },
#include "routing/vitess_errors.def"
#undef VITESS_ERROR_ROW
};

static const char *find(struct slice s, const char *part)
{
    return s.len ? memmem(s.data, s.len, part, strlen(part)) : NULL;
}

static struct slice cut_before(struct slice s, const char *part)
{
    const char *at = find(s, part);
    return at ? slice_of(s.data, (size_t)(at - s.data)) : s;
}

static struct slice cut_behind(struct slice s, const char *part)
{
    const char *at = find(s, part);
    size_t skipped = at ? (size_t)(at - s.data) + strlen(part) : 0;
    return slice_of(s.data + skipped, s.len - skipped);
}

/* Without which tablet said it and how it came here, and without the statement. */
static struct slice told(struct slice said)
{
    struct slice s = cut_behind(said, " desc = ");
    s = cut_before(cut_before(s, " (CallerID: "), ": Sql: \"");
    return s;
}

/* Has a tablet passed on what MySQL has said? *ret_message is that. */
static bool is_of_mysql(unsigned mysql_errno, struct slice message, struct slice *ret_message)
{
    char mark[48];
    snprintf(mark, sizeof mark, " (errno %u) (sqlstate ", mysql_errno);
    *ret_message = cut_before(message, mark);
    return ret_message->len < message.len;
}

enum err_code vitess_error(unsigned mysql_errno, struct slice said, struct slice *ret_message)
{
    enum { LEAST_OF_CLIENTS = 2000, MOST_OF_CLIENTS = 2999 }; /* vttablet's own connection failed */
    struct slice message = told(said);
    bool of_mysql = is_of_mysql(mysql_errno, message, ret_message);
    bool of_server = mysql_errno < LEAST_OF_CLIENTS || mysql_errno > MOST_OF_CLIENTS;
    if (of_mysql && of_server)
        return MQ_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (find(message, rows[i].part))
            return rows[i].code;
    return of_server ? MQ_OK : MQ_SHARD_LOST;
}
