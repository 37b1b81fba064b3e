/* What a session does otherwise when vtgate stands behind it: variables that vtgate would take no
 * notice of are refused, its errors are put into words that clients know, and the isolation level of
 * one transaction is a variable's value for as long as that lasts. */
#include "base/memory.h"
#include "proxy/session_int.h"
#include "routing/vitess_error.h"

bool session_on_vitess(const struct session *s)
{
    return config_is_vitess(s->deployment->topology->config);
}

/* ---- SET ---- */

static bool is_utf8(const struct charset_info *charset)
{
    return charset && strncmp(charset->name, "utf8", 4) == 0;
}

enum err_code session_vitess_charset(const struct session *s, const struct charset_info *charset,
                                     struct err *reterr)
{
    if (!session_on_vitess(s) || is_utf8(charset))
        return MQ_OK;
    return err_set(reterr, MQ_CHARSET_UNSAFE,
                   "character set '%s' is not served: Vitess speaks UTF-8 only", charset->name);
}

enum err_code session_vitess_variable(const struct session *s, enum var var, bool is_default,
                                      struct err *reterr)
{
    if (!session_on_vitess(s) || is_default || vitess_var(var)->use != VITESS_REFUSED)
        return MQ_OK;
    return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED,
                   "SET %s is not served: vtgate would take no notice of it", var_info(var)->name);
}

/* ---- workloads ---- */

/* What may not stand in a workload's name becomes `_`, and what is too long is cut off. */
static char *workload_of(struct slice name)
{
    size_t len = name.len < CONFIG_WORKLOAD_MAX ? name.len : CONFIG_WORKLOAD_MAX;
    char *text = mem_strndup(slice_of(name.data, len));
    for (size_t i = 0; i < len; i++)
        if (!config_is_workload(slice_of(text + i, 1)))
            text[i] = '_';
    return text;
}

void session_keep_workload(struct session *s, struct slice program)
{
    mem_free(s->workload);
    s->workload = NULL;
    if (session_on_vitess(s))
        s->workload = workload_of(program.len ? program : slice_cstr(s->user));
}

struct slice session_workload(const struct session *s)
{
    const char *configured = s->deployment->topology->config->vitess.workload;
    if (!session_on_vitess(s) || session_targets_unsharded(s))
        return slice_of("", 0);
    return slice_cstr(configured ? configured : s->workload ? s->workload : "");
}

uint32_t session_workload_number(const struct session *s)
{
    enum { MOST = 61 };
    struct slice name = session_workload(s);
    return name.len ? 1 + (uint32_t)(hash_bytes(0, name) % MOST) : 0;
}

/* ---- errors ---- */

/* What Vitess cannot serve any more ends a transaction, and so does a statement that it would send
 * to a second shard: vtgate rolls back and the next statement commits by itself, so the client has
 * to hear of it. */
static enum err_code code_here(const struct session *s, enum err_code code)
{
    bool ends = code == MQ_VITESS_UNAVAILABLE || code == MQ_VITESS_MODE;
    return ends && s->pinned ? MQ_VITESS_TRANSACTION : code;
}

void session_vitess_error(const struct session *s, struct err_packet *e)
{
    struct slice message;
    enum err_code code = code_here(s, vitess_error(e->code, e->message, &message));
    e->message = message;
    if (!code)
        return;
    const struct err_info *info = err_info(code);
    e->code = info->mysql_errno;
    memcpy(e->sqlstate, info->sqlstate, sizeof e->sqlstate);
    e->message = slice_cstr(arena_printf(&s->worker->arena, "MQ%04d: vtgate: %.*s", (int)code,
                                         (int)message.len, message.data));
}

void session_keep_error(struct session *s, const struct err_packet *told)
{
    if (!s->backend || !backend_is_vtgate(s->backend))
        return;
    mem_free(s->kept_error);
    s->kept_error = mem_strndup(told->message);
    s->kept_errno = told->code;
}

/* ---- transactions ---- */

static uint8_t isolation(const struct session *s)
{
    if (s->pinned || s->begin_pending)
        return s->begun.isolation;
    return s->request.transactional ? s->next.isolation : 0;
}

const struct vars *session_vitess_vars(struct session *s, const struct vars *wanted)
{
    const char *level = session_isolation_sql(isolation(s));
    if (!level || !session_on_vitess(s) || session_targets_unsharded(s))
        return wanted;
    struct intern_table *interned = s->worker->interned;
    vars_copy(interned, &s->due, wanted);
    vars_set(interned, &s->due, VAR_ISOLATION, slice_cstr(level));
    return &s->due;
}

/* Only START TRANSACTION tells vtgate that a transaction is read-only. */
bool session_ignores_read_only(const struct session *s)
{
    return backend_is_vtgate(s->backend) && s->request.transactional && !s->pinned &&
           !s->begin_pending && s->next.access == ACCESS_READ_ONLY;
}
