/* SET: each value is brought into one form, whatever it was written as - a word, a literal, a
 * parameter, or an expression that a shard has computed - and then assigned. All values are known
 * before the first assignment, as on the servers. What only a server can check is tried on one
 * before it counts:
 *
 *   (session_learn: the expressions) ──> session_try_set ──> END_SET on a shard ──> session_end_set
 *                                             └─ fails                └─ fails: session_undo_set
 */
#include "base/memory.h"
#include "proxy/session_int.h"

enum form { FORM_DEFAULT, FORM_NULL, FORM_WORD, FORM_NUMBER, FORM_STRING };

struct value {
    enum form form;
    struct slice text; /* WORD, NUMBER: as written; STRING: its content */
};

/* ---- the form of a value ---- */

static bool is_string_token(const struct lexed *l, const struct value_ref *v)
{
    return l->tokens[v->first].kind == TOKEN_STRING;
}

static struct slice written(const struct lexed *l, const struct value_ref *v)
{
    const struct token *first = &l->tokens[v->first], *last = &l->tokens[v->last];
    return slice_of(l->text.data + first->start, last->start + last->len - first->start);
}

/* An integer has one spelling here, as what it says is compared: not +01. */
static struct slice number_text(struct arena *arena, const struct lexed *l,
                                const struct value_ref *v)
{
    const struct token *last = &l->tokens[v->last];
    struct slice digits = slice_of(l->text.data + last->start, last->len);
    if (last->kind != TOKEN_INTEGER)
        return written(l, v);
    while (digits.len > 1 && digits.data[0] == '0')
        digits = slice_of(digits.data + 1, digits.len - 1);
    bool negative = token_is_op(&l->tokens[v->first], OP_MINUS) && digits.data[0] != '0';
    return slice_cstr(
        arena_printf(arena, "%s%.*s", negative ? "-" : "", (int)digits.len, digits.data));
}

static bool token_value(const struct session *s, bool is_word, const struct value_ref *v,
                        const struct lexed *l, struct value *ret)
{
    struct dialect dialect = session_dialect(s);
    const struct token *t = &l->tokens[v->first];
    if (is_string_token(l, v)) {
        ret->form = FORM_STRING;
        return token_string_value(l, &dialect, v->first, v->last, &s->worker->arena, &ret->text);
    }
    bool is_true = token_is_keyword(t, KW_TRUE);
    if (is_true || token_is_keyword(t, KW_FALSE)) {
        *ret = (struct value){ FORM_NUMBER, is_true ? SLICE_LIT("1") : SLICE_LIT("0") };
        return true;
    }
    if (t->kind == TOKEN_QUOTED && v->first == v->last) { /* a name stands for itself */
        *ret = (struct value){ FORM_STRING, token_ident(l, v->first, &s->worker->arena) };
        return true;
    }
    is_word |= t->kind == TOKEN_IDENT || t->kind == TOKEN_QUOTED;
    ret->form = token_is_keyword(t, KW_NULL)      ? FORM_NULL
                : token_is_keyword(t, KW_DEFAULT) ? FORM_DEFAULT
                : is_word                         ? FORM_WORD
                                                  : FORM_NUMBER;
    ret->text = is_word ? written(l, v) : number_text(&s->worker->arena, l, v);
    return true;
}

static struct slice integer_text(struct arena *arena, const struct param_value *p)
{
    unsigned long long n = p->negative ? ~0ull : 0;
    for (size_t i = p->bytes.len; i-- > 0;)
        n = n << 8 | (unsigned char)p->bytes.data[i];
    return slice_cstr(p->negative ? arena_printf(arena, "-%llu", 0 - n)
                                  : arena_printf(arena, "%llu", n));
}

static bool param_value(struct session *s, const struct param_value *p, struct value *ret)
{
    switch ((enum param_kind)p->kind) {
    case PARAM_VALUE_NULL:
        ret->form = FORM_NULL;
        return true;
    case PARAM_VALUE_STRING:
        *ret = (struct value){ FORM_STRING, p->bytes };
        return true;
    case PARAM_VALUE_INTEGER:
        *ret = (struct value){ FORM_NUMBER, integer_text(&s->worker->arena, p) };
        return true;
    default:
        return false;
    }
}

static bool answered_value(const struct session *s, uint32_t number, struct value *ret)
{
    struct slice text;
    bool is_number;
    if (!session_learned_value(s, number, &text, &is_number))
        return false;
    *ret = (struct value){ !text.data ? FORM_NULL : is_number ? FORM_NUMBER : FORM_STRING, text };
    return true;
}

/* One SET: where its values come from. */
struct source {
    struct session *s;
    const struct template *t;
    const struct lexed *lexed;
    const struct param_value *params;
    uint32_t question; /* the next one */
};

static enum err_code value_of(struct source *from, const struct set_item *item,
                              const struct value_ref *v, struct value *ret, struct err *reterr)
{
    bool known = false;
    *ret = (struct value){ .form = FORM_DEFAULT };
    if (v->kind == VALUE_TOKENS)
        known = token_value(from->s, item->is_word, v, from->lexed, ret);
    else if (v->kind == VALUE_PARAM)
        known = from->params && param_value(from->s, &from->params[v->param], ret);
    else if (v->kind == VALUE_COMPUTED)
        known = answered_value(from->s, from->question++, ret);
    return known ? MQ_OK
                 : err_set(reterr, MQ_VARIABLE_VALUE, "the value of %.*s is not known",
                           (int)item->name.len, item->name.data);
}

/* ---- what a value says ---- */

static bool is_text(const struct value *v)
{
    return v->form == FORM_WORD || v->form == FORM_STRING;
}

static bool says(const struct value *v, const char *word, const char *number)
{
    return (is_text(v) && slice_ieq_cstr(v->text, word)) ||
           (v->form == FORM_NUMBER && slice_eq(v->text, slice_cstr(number)));
}

static bool says_off(const struct value *v)
{
    return says(v, "off", "0");
}

static bool says_on(const struct value *v)
{
    return says(v, "on", "1");
}

/* As text that every sql_mode and character set reads alike: it outlives those of today. */
static enum err_code value_sql(struct session *s, const struct set_item *item,
                               const struct value *v, struct slice *ret, struct err *reterr)
{
    *ret = v->form == FORM_NULL ? SLICE_LIT("NULL") : v->text;
    for (size_t i = 0; i < ret->len; i++) {
        unsigned char c = (unsigned char)ret->data[i];
        if (c < ' ' || c > '~' || strchr("'\"`\\", c))
            return err_set(reterr, MQ_VARIABLE_VALUE,
                           "the value of %.*s holds what is no printable ASCII, a quote or a "
                           "backslash",
                           (int)item->name.len, item->name.data);
    }
    if (v->form == FORM_STRING)
        *ret = slice_cstr(
            arena_printf(&s->worker->arena, "'%.*s'", (int)v->text.len, v->text.data));
    return MQ_OK;
}

/* ---- character sets ---- */

static const struct charset_info *safe_charset(const struct value *v, bool collation)
{
    const struct charset_info *charset = !is_text(v)  ? NULL
                                         : collation ? charset_of_collation(v->text)
                                                     : charset_find(v->text);
    return charset && charset->safe ? charset : NULL;
}

static void forget_undone(struct session *s, enum var var)
{
    for (int i = 0; i < VAR_COUNT; i++)
        if (var_base((enum var)i) == (int)var)
            vars_set(s->worker->interned, &s->trial, (enum var)i, slice_of(NULL, 0));
}

static void set_charsets(struct session *s, const char *names)
{
    vars_set(s->worker->interned, &s->trial, VAR_NAMES, slice_cstr(names));
    forget_undone(s, VAR_NAMES);
    session_track_assigned(s, VAR_CLIENT);
    session_track_assigned(s, VAR_RESULTS);
    session_track_assigned(s, VAR_CONNECTION);
}

static enum err_code set_default_names(struct session *s, const struct set_item *item,
                                       struct err *reterr)
{
    const char *names = s->worker->default_names;
    if (!names[0] || item->kind != SET_NAMES)
        return err_set(reterr, MQ_VARIABLE_VALUE,
                       "the default is the server's; name the character set");
    set_charsets(s, names);
    return MQ_OK;
}

static enum err_code set_names(struct source *from, const struct set_item *item, struct err *reterr)
{
    struct session *s = from->s;
    struct value name, collation = { .form = FORM_DEFAULT };
    if (value_of(from, item, &item->value, &name, reterr))
        return reterr->code;
    if (name.form == FORM_DEFAULT)
        return set_default_names(s, item, reterr);
    const struct charset_info *charset = safe_charset(&name, false);
    if (!charset)
        return err_set(reterr, MQ_CHARSET_UNSAFE, "character set '%.*s' is not served",
                       (int)name.text.len, name.text.data);
    if (session_vitess_charset(s, charset, reterr))
        return reterr->code;
    if (item->collation.kind != VALUE_NONE &&
        value_of(from, item, &item->collation, &collation, reterr))
        return reterr->code;
    if (collation.form != FORM_DEFAULT && safe_charset(&collation, true) != charset)
        return err_set(reterr, MQ_CHARSET_UNSAFE, "the collation does not belong to '%s'",
                       charset->name);
    char *text = arena_printf(&s->worker->arena,
                              collation.form == FORM_DEFAULT ? "%s %s" : "%s %s COLLATE %.*s",
                              item->kind == SET_CHARSET ? "CHARACTER SET" : "NAMES", charset->name,
                              (int)collation.text.len, collation.text.data);
    set_charsets(s, text);
    return MQ_OK;
}

/* Character sets of one's own for literals must not be larger than what the lexer knows. */
static enum err_code check_charset(const struct session *s, enum var var, const struct value *v,
                                   struct err *reterr)
{
    const struct charset_info *charset = safe_charset(v, var == VAR_COLLATION);
    if (v->form == FORM_DEFAULT)
        return err_set(reterr, MQ_VARIABLE_VALUE, "%s has no default of its own", var_info(var)->name);
    bool none = v->form == FORM_NULL && var == VAR_RESULTS;
    if (none)
        return MQ_OK;
    if (charset)
        return session_vitess_charset(s, charset, reterr);
    return err_set(reterr, MQ_CHARSET_UNSAFE, "'%.*s' is not served", (int)v->text.len,
                   v->text.data);
}

/* Both say what a literal's collation is: the last one counts. */
static void replace_twin(struct session *s, enum var var)
{
    enum var twin = var == VAR_COLLATION ? VAR_CONNECTION : VAR_COLLATION;
    if (var == VAR_COLLATION || var == VAR_CONNECTION)
        vars_set(s->worker->interned, &s->trial, twin, slice_of(NULL, 0));
}

/* ---- sql_mode ---- */

static enum err_code set_sql_mode(struct session *s, struct value *v, struct err *reterr)
{
    struct slice name = SLICE_LIT("");
    if (v->form == FORM_DEFAULT) {
        s->trial_modes = s->default_modes;
        s->trial_strict = STRICT_AS_SHARD;
        return MQ_OK;
    }
    if (v->form == FORM_NUMBER && slice_eq(v->text, SLICE_LIT("0")))
        *v = (struct value){ FORM_STRING, SLICE_LIT("") };
    if (!is_text(v))
        return err_set(reterr, MQ_SQL_MODE_UNSAFE, "sql_mode is served as a list of names");
    if (dialect_modes(v->text, &s->trial_modes, &name) == MODES_REFUSED)
        return err_set(reterr, MQ_SQL_MODE_UNSAFE, "sql_mode '%.*s' is not served", (int)name.len,
                       name.data);
    s->trial_strict = dialect_is_strict(v->text) ? STRICT_ON : STRICT_OFF;
    return MQ_OK; /* an unknown name is the server's to refuse */
}

/* ---- optimizer_switch ---- */

static struct slice next_flag(struct slice *list)
{
    const char *comma = memchr(list->data, ',', list->len);
    struct slice flag = slice_of(list->data, comma ? (size_t)(comma - list->data) : list->len);
    size_t used = flag.len + (comma != NULL);
    *list = slice_of(list->data + used, list->len - used);
    return flag;
}

static struct slice flag_name(struct slice flag)
{
    const char *equals = memchr(flag.data, '=', flag.len);
    return slice_trim(slice_of(flag.data, equals ? (size_t)(equals - flag.data) : flag.len));
}

static bool has_flag(struct slice list, struct slice name)
{
    while (list.len)
        if (slice_ieq(flag_name(next_flag(&list)), name))
            return true;
    return false;
}

/* It changes flag by flag what the session has. A backend, which was another session's, is told all
 * flags that were set, and that the others are as by default. */
static enum err_code set_flags(struct session *s, struct value *v, struct err *reterr)
{
    const struct slice all = SLICE_LIT("default");
    struct slice old = slice_trim(slice_cstr(vars_value(&s->vars, VAR_OPTIMIZER)));
    const char *flags = "";
    if (v->form == FORM_DEFAULT || v->form == FORM_NULL)
        return MQ_OK;
    if (!is_text(v))
        return err_set(reterr, MQ_VARIABLE_VALUE, "optimizer_switch is served as a list of flags");
    bool counts = old.len && !has_flag(v->text, all);
    old = counts ? slice_of(old.data + 1, old.len - 2) : slice_of("", 0); /* its quotes */
    while (old.len) {
        struct slice flag = next_flag(&old);
        if (!has_flag(v->text, flag_name(flag)))
            flags = arena_printf(&s->worker->arena, "%s%.*s,", flags, (int)flag.len, flag.data);
    }
    struct slice others = slice_cstr(flags[0] || has_flag(v->text, all) ? flags : "default,");
    if (!v->text.len)
        others.len--; /* the comma */
    *v = (struct value){ FORM_STRING,
                         slice_cstr(arena_printf(&s->worker->arena, "%.*s%.*s", (int)others.len,
                                                 others.data, (int)v->text.len, v->text.data)) };
    return MQ_OK;
}

/* ---- assignments ---- */

static const char *name_on(const struct session *s, const struct var_info *info)
{
    return s->worker->dialect.flavour == FLAVOUR_MARIADB ? info->mariadb : info->mysql;
}

/* Variables that stay as they are. */
static enum err_code check_fixed(const struct var_info *info, const struct value *v,
                                 struct err *reterr)
{
    bool on = info->kind == VAR_KIND_ON;
    if (v->form == FORM_DEFAULT || (on ? says_on(v) : says_off(v)))
        return MQ_OK;
    return err_set(reterr, MQ_VARIABLE_VALUE, "%s can be set to %s only", info->name,
                   on ? "1 or ON" : "0 or OFF");
}

/* The default is what a connection begins with, save that CLIENT_IGNORE_SPACE adds to its
 * sql_mode: there it has to be said. */
static struct slice default_sql(const struct session *s, enum var var)
{
    bool said = var == VAR_SQL_MODE && (s->capabilities & CAP_IGNORE_SPACE);
    return said ? SLICE_LIT("DEFAULT") : slice_of(NULL, 0);
}

static enum err_code assign(struct session *s, const struct set_item *item, enum var var,
                            struct value *v, struct err *reterr)
{
    struct slice sql = default_sql(s, var);
    enum err_code code = MQ_OK;
    if (var == VAR_SQL_MODE)
        code = set_sql_mode(s, v, reterr);
    else if (var == VAR_OPTIMIZER)
        code = set_flags(s, v, reterr);
    else if (var_info(var)->kind == VAR_KIND_REFINES)
        code = check_charset(s, var, v, reterr);
    bool truth = var == VAR_AUTOCOMMIT || var == VAR_READ_ONLY; /* read here as well */
    if (truth && (says_on(v) || says_off(v)))
        *v = (struct value){ FORM_NUMBER, says_on(v) ? SLICE_LIT("1") : SLICE_LIT("0") };
    if (!code && v->form != FORM_DEFAULT)
        code = value_sql(s, item, v, &sql, reterr);
    if (code)
        return code;
    replace_twin(s, var);
    forget_undone(s, var);
    vars_set(s->worker->interned, &s->trial, var, sql);
    session_track_assigned(s, var);
    return MQ_OK;
}

static enum err_code set_own(struct session *s, enum var var, const struct value *v,
                             struct err *reterr)
{
    struct slice value = v->form == FORM_DEFAULT ? slice_of(NULL, 0)
                         : v->form == FORM_NULL  ? SLICE_LIT("")
                         : says_on(v)            ? SLICE_LIT("1")
                         : says_off(v)           ? SLICE_LIT("0")
                                                 : v->text;
    return session_track_set(s, var, value, reterr);
}

static enum err_code set_system(struct source *from, const struct set_item *item,
                                struct err *reterr)
{
    struct session *s = from->s;
    struct value v;
    int var = var_find(item->name);
    if (var < 0 || item->global)
        return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED, "SET %s%.*s is not served",
                       item->global ? "GLOBAL " : "", (int)item->name.len, item->name.data);
    const struct var_info *info = var_info((enum var)var);
    if (value_of(from, item, &item->value, &v, reterr))
        return reterr->code;
    if (var_is_followed(var) && !name_on(s, info))
        return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED, "Unknown system variable '%s'", info->name);
    bool plain = v.form == FORM_DEFAULT || (var == VAR_READ_ONLY && says_off(&v)) ||
                 !var_is_followed((enum var)var);
    if (!item->next_only && session_vitess_variable(s, (enum var)var, plain, reterr))
        return reterr->code;
    if (item->next_only)
        return session_set_next(s, (enum var)var, v.text, reterr);
    if (info->kind == VAR_KIND_OWN)
        return set_own(s, (enum var)var, &v, reterr);
    return var_is_followed(var) ? assign(s, item, (enum var)var, &v, reterr)
                                : check_fixed(info, &v, reterr);
}

static void forget_tenant(struct session *s)
{
    mem_free(s->tenant);
    s->tenant = NULL;
    s->tenant_forgotten = false;
}

static enum err_code set_tenant(struct session *s, const struct value *v, struct err *reterr)
{
    if (v->form == FORM_STRING)
        return session_choose_tenant(s, v->text, false, reterr);
    if (v->form != FORM_NULL)
        return err_set(reterr, MQ_TENANT_VALUE, "@mq_tenant can be set to a string only");
    forget_tenant(s);
    return MQ_OK;
}

static enum err_code set_user(struct source *from, const struct set_item *item, struct err *reterr)
{
    struct session *s = from->s;
    struct value v;
    if (value_of(from, item, &item->value, &v, reterr))
        return reterr->code;
    if (slice_eq(item->name, SLICE_LIT("mq_tenant")))
        return set_tenant(s, &v, reterr);
    bool tenant = slice_eq(v.text, SLICE_LIT("tenant"));
    if (!slice_eq(item->name, SLICE_LIT("mq_schema")) || v.form != FORM_STRING ||
        !(tenant || slice_eq(v.text, SLICE_LIT("legacy"))))
        return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED, "user variable @%.*s is not served",
                       (int)item->name.len, item->name.data);
    s->tenant_schema = tenant;
    return MQ_OK;
}

static enum err_code set_item(struct source *from, const struct set_item *item, struct err *reterr)
{
    switch (item->kind) {
    case SET_USER:
        return set_user(from, item, reterr);
    case SET_SYSTEM:
        return set_system(from, item, reterr);
    default:
        return set_names(from, item, reterr);
    }
}

/* ---- all of them, or none ---- */

/* Does a server have to say whether the new values are good ones? A character set and
 * autocommit are known here. */
static bool needs_server(const struct session *s)
{
    if (s->pinned)
        return true;
    for (int i = 0; i < VAR_COUNT; i++) {
        const char *value = vars_value(&s->trial, (enum var)i);
        bool known = i == VAR_NAMES || (i == VAR_AUTOCOMMIT && session_is_plain_truth(value));
        if (value && value != vars_value(&s->vars, (enum var)i) && !known)
            return true;
    }
    return false;
}

/* Which commits. */
static bool switches_autocommit_on(const struct session *s)
{
    const char *before = vars_value(&s->vars, VAR_AUTOCOMMIT);
    const char *now = vars_value(&s->trial, VAR_AUTOCOMMIT);
    return before != now && !slice_eq(slice_cstr(now), SLICE_LIT("0"));
}

static void remember(struct session *s)
{
    vars_copy(s->worker->interned, &s->trial, &s->vars);
    s->trial_modes = s->modes;
    s->trial_strict = s->strict;
    mem_free(s->before.tenant);
    s->before.tenant = mem_strdup(s->tenant);
    s->before.tenant_forgotten = s->tenant_forgotten;
    s->before.tenant_schema = s->tenant_schema;
    s->before.next = s->next;
    s->before.begun = s->begun;
    s->before.tracking = s->tracking;
    s->assigned = 0;
}

void session_undo_set(struct session *s)
{
    s->trying = false;
    mem_free(s->tenant);
    s->tenant = s->before.tenant;
    s->before.tenant = NULL;
    s->tenant_forgotten = s->before.tenant_forgotten;
    s->tenant_schema = s->before.tenant_schema;
    s->next = s->before.next;
    s->begun = s->before.begun;
    s->tracking = s->before.tracking;
    s->assigned = 0;
}

enum err_code session_try_set(struct session *s, const struct template *t,
                              const struct lexed *lexed, const struct param_value *params,
                              struct err *reterr)
{
    struct source from = { .s = s, .t = t, .lexed = lexed, .params = params };
    enum err_code code = MQ_OK;
    remember(s);
    for (size_t i = 0; i < t->set_count && !code; i++)
        if (!s->observed || t->sets[i].value.kind != VALUE_COMPUTED) /* only its server knows */
            code = set_item(&from, &t->sets[i], reterr);
    if (!code)
        code = session_keep_begun(
            s, vars_value(&s->trial, VAR_ISOLATION) != vars_value(&s->vars, VAR_ISOLATION),
            vars_value(&s->trial, VAR_READ_ONLY) != vars_value(&s->vars, VAR_READ_ONLY), reterr);
    if (code)
        session_undo_set(s);
    return code;
}

/* On the same backend, when the assignments have been made there. */
static void ask_values(struct session *s, struct slice question)
{
    session_forget_learned(s); /* the values of expressions, which are assigned by now */
    s->request.learning = LEARN_VALUES;
    s->request.swallow = true;
    request_add_query(s, question);
}

void session_set(struct session *s, const struct template *t, const struct lexed *lexed,
                 const struct param_value *params)
{
    struct err e;
    if (session_try_set(s, t, lexed, params, &e)) {
        session_refuse_statement(s, &e);
        return;
    }
    struct slice question = session_track_question(s, &s->trial);
    if (!question.len && (vars_eq(&s->trial, &s->vars) || !needs_server(s))) {
        session_end_set(s);
        session_done_ok(s);
        return;
    }
    s->trying = true;
    if (s->branches && switches_autocommit_on(s)) {
        session_end_branches(s, END_SET, true);
        return;
    }
    request_begin(s, END_SET);
    if (question.len)
        ask_values(s, question);
    session_run_anywhere(s);
}

void session_end_set(struct session *s)
{
    bool autocommit_changed =
        vars_value(&s->vars, VAR_AUTOCOMMIT) != vars_value(&s->trial, VAR_AUTOCOMMIT);
    s->trying = false;
    vars_copy(s->worker->interned, &s->vars, &s->trial);
    vars_fini(s->worker->interned, &s->trial);
    s->modes = s->trial_modes;
    s->strict = s->trial_strict;
    if (autocommit_changed)
        session_autocommit_changed(s);
}
