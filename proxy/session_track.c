/* CLIENT_SESSION_TRACK: an OK tells which database has been chosen, and the values of variables that
 * SET has assigned. Backends tell nothing of the kind, since what is set on them is mqgate's doing;
 * the session knows what its client did. How a server spells a value that may be written in several
 * ways it is asked: the SET, which then is tried on one, ends in a SELECT of these values.
 *
 *   SET time_zone = '+1:00' ──> END_SET on a shard: SET …; SELECT @@time_zone ──> OK, +01:00
 *
 * Source: page_protocol_basic_ok_packet. */
#include "base/memory.h"
#include "proxy/session_int.h"

enum { TELL_VARIABLE = 0, TELL_SCHEMA = 1 }; /* SESSION_TRACK_… */

/* What can be told of, by name. */
static const struct tracked {
    enum var var;
    bool truth;      /* ON or OFF */
    bool by_default; /* of session_track_system_variables */
} all[] = {
    { VAR_AUTOCOMMIT, true, true },  { VAR_CLIENT, false, true },
    { VAR_CONNECTION, false, true }, { VAR_RESULTS, false, true },
    { VAR_COLLATION, false, false }, { VAR_SQL_MODE, false, false },
    { VAR_TIME_ZONE, false, true },  { VAR_ISOLATION, false, false },
    { VAR_READ_ONLY, true, false },
};
enum { ALL = sizeof all / sizeof *all };

static const char *name_of(const struct session *s, enum var var)
{
    const struct var_info *info = var_info(var);
    return s->worker->dialect.flavour == FLAVOUR_MARIADB ? info->mariadb : info->mysql;
}

static bool tells(const struct session *s)
{
    return (s->capabilities & CAP_SESSION_TRACK) && !s->observed;
}

static bool is_due(const struct session *s, const struct tracked *t)
{
    const struct tracking *k = &s->tracking;
    bool wanted = k->chosen ? k->variables >> t->var & 1 : t->by_default;
    return tells(s) && wanted && (s->assigned >> t->var & 1);
}

/* ---- what is known without a server ---- */

static bool truth(struct slice value, struct slice *ret)
{
    bool on = slice_eq(value, SLICE_LIT("1"));
    *ret = on ? SLICE_LIT("ON") : SLICE_LIT("OFF");
    return on || slice_eq(value, SLICE_LIT("0"));
}

/* Of SET NAMES, unless something has refined it. Some servers know utf8mb3 as utf8. */
static bool charset(const struct vars *v, struct slice *ret)
{
    static const char head[] = "NAMES ";
    struct slice text = slice_cstr(vars_value(v, VAR_NAMES));
    size_t skip = sizeof head - 1;
    if (text.len <= skip || memcmp(text.data, head, skip) != 0)
        return false;
    text = slice_of(text.data + skip, text.len - skip);
    const char *end = memchr(text.data, ' ', text.len);
    *ret = end ? slice_of(text.data, (size_t)(end - text.data)) : text;
    return !slice_eq(*ret, SLICE_LIT("utf8mb3"));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* '+HH:MM', which stays as it is, save for -00:00. */
static bool offset(struct slice value, struct slice *ret)
{
    const char *c = value.data + 1;
    if (value.len != sizeof "'+00:00'" - 1 || (*c != '+' && *c != '-') || c[3] != ':')
        return false;
    *ret = slice_of(c, value.len - 2);
    return is_digit(c[1]) && is_digit(c[2]) && is_digit(c[4]) && is_digit(c[5]) &&
           !slice_eq(*ret, SLICE_LIT("-00:00"));
}

static bool known(const struct vars *v, const struct tracked *t, struct slice *ret)
{
    struct slice value = slice_cstr(vars_value(v, t->var));
    bool refines = var_info(t->var)->kind == VAR_KIND_REFINES && t->var != VAR_COLLATION;
    if (refines && !value.data)
        return charset(v, ret);
    if (!value.data)
        return false;
    if (t->truth)
        return truth(value, ret);
    if (t->var == VAR_ISOLATION)
        return session_isolation_name(value, ret);
    return t->var == VAR_TIME_ZONE && offset(value, ret);
}

/* ---- asking, and telling ---- */

struct slice session_track_question(const struct session *s, const struct vars *v)
{
    const char *text = "";
    struct slice value;
    for (size_t i = 0; i < ALL; i++)
        if (is_due(s, &all[i]) && !known(v, &all[i], &value))
            text = arena_printf(&s->worker->arena, "%s%s@@%s", text, *text ? ", " : "SELECT ",
                                name_of(s, all[i].var));
    return *text ? slice_cstr(arena_printf(&s->worker->arena, "%s LIMIT 1", text))
                 : slice_of("", 0); /* whatever sql_select_limit is */
}

static void tell(struct buf *out, uint8_t what, struct slice first, const struct slice *second)
{
    struct buf entry;
    buf_init(&entry);
    write_lenenc_slice(&entry, first);
    if (second)
        write_lenenc_slice(&entry, *second);
    write_u8(out, what);
    write_lenenc_slice(out, buf_slice(&entry));
    buf_fini(&entry);
}

/* As the shard has told it. NULL is told as nothing. */
static bool learned(const struct session *s, const struct tracked *t, uint32_t number,
                    struct slice *ret)
{
    bool is_number;
    if (!session_learned_value(s, number, ret, &is_number))
        return false;
    if (!ret->data)
        *ret = slice_of("", 0);
    return !t->truth || truth(*ret, ret);
}

void session_track_tell(struct session *s, struct buf *out)
{
    struct slice value;
    uint32_t asked = 0;
    for (size_t i = 0; i < ALL; i++)
        if (is_due(s, &all[i]) &&
            (known(&s->vars, &all[i], &value) || learned(s, &all[i], asked++, &value)))
            tell(out, TELL_VARIABLE, slice_cstr(name_of(s, all[i].var)), &value);
    if (s->chose_database && tells(s) && !s->tracking.no_schema && s->database)
        tell(out, TELL_SCHEMA, slice_cstr(s->database), NULL);
    s->assigned = 0;
    s->chose_database = false;
}

void session_track_assigned(struct session *s, enum var var)
{
    s->assigned |= UINT64_C(1) << var;
}

/* ---- session_track_… ---- */

static enum err_code refuse(enum var var, struct slice value, struct err *reterr)
{
    return err_set(reterr, MQ_VARIABLE_VALUE, "%s: '%.*s' would not be told of", var_info(var)->name,
                   (int)value.len, value.data);
}

static bool is_named(enum var var, struct slice name)
{
    const struct var_info *info = var_info(var);
    return slice_ieq_cstr(name, info->name) || slice_ieq_cstr(name, info->mysql) ||
           slice_ieq_cstr(name, info->mariadb);
}

/* Can it change, and nobody would say so? */
static bool is_silent(struct slice name)
{
    bool found = slice_eq(name, SLICE_LIT("*")) || slice_ieq_cstr(name, "last_gtid");
    for (int i = 0; i < VAR_COUNT; i++)
        found |= var_is_followed((enum var)i) && is_named((enum var)i, name);
    return found;
}

static enum err_code take_name(struct tracking *t, struct slice name, struct err *reterr)
{
    for (size_t i = 0; i < ALL; i++) {
        if (is_named(all[i].var, name)) {
            t->variables |= UINT64_C(1) << all[i].var;
            return MQ_OK;
        }
    }
    return is_silent(name) ? refuse(VAR_TRACK_VARIABLES, name, reterr) : MQ_OK;
}

static enum err_code take_names(struct tracking *t, struct slice list, struct err *reterr)
{
    enum err_code code = MQ_OK;
    t->chosen = list.data != NULL;
    t->variables = 0;
    while (list.len && !code) {
        const char *comma = memchr(list.data, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.data) : list.len;
        struct slice name = slice_trim(slice_of(list.data, len));
        code = name.len ? take_name(t, name, reterr) : MQ_OK;
        len += comma != NULL;
        list = slice_of(list.data + len, list.len - len);
    }
    return code;
}

enum err_code session_track_set(struct session *s, enum var var, struct slice value,
                                struct err *reterr)
{
    bool off = slice_eq(value, SLICE_LIT("0"));
    if (!tells(s))
        return MQ_OK;
    switch (var) {
    case VAR_TRACK_VARIABLES:
        return take_names(&s->tracking, value, reterr);
    case VAR_TRACK_SCHEMA:
        s->tracking.no_schema = off;
        return MQ_OK;
    case VAR_TRACK_STATE:
    case VAR_TRACK_GTIDS:
    case VAR_TRACK_TRANSACTION:
        return !value.data || off ? MQ_OK : refuse(var, value, reterr);
    default:
        return MQ_OK;
    }
}
