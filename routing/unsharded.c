/* Statements that name no queue table, beside an unsharded keyspace: they are relayed to its
 * server as they are, without a parse. The tokens tell what they leave there and what of the
 * session they ask for (routing/unsharded.def). What is mqgate's own business (transactions, USE,
 * variables that are followed) or needs no table is planned as ever. */
#include "routing/plan_int.h"
#include "routing/variables.h"

enum way { WAY_OWN, WAY_SET, WAY_SHOW, WAY_QUERY, WAY_CHANGE, WAY_OTHER, WAY_ASIDE };
enum { LEAVES_NOTHING, LEAVES_STATE };

struct first_word {
    enum keyword word;
    enum way way;
    uint8_t leaves, tells;
};

static const struct first_word first_words[] = {
#define UNSHARDED_ROW(word, way, leaves, tells) \
    { KW_##word, WAY_##way, LEAVES_##leaves, TELLS_##tells },
#include "routing/unsharded.def"
#undef UNSHARDED_ROW
};

enum form { FORM_WORD, FORM_CALL, FORM_VARIABLE };
enum effect { EFFECT_STATE, EFFECT_LAST, EFFECT_INSERT_ID, EFFECT_OF_SESSION };

static const struct meaning {
    const char *word;
    enum form form;
    enum effect effect;
} meanings[] = {
#define UNSHARDED_WORD(word, form, effect) { word, FORM_##form, EFFECT_##effect },
#include "routing/unsharded.def"
#undef UNSHARDED_WORD
};

static bool is_name(const struct token *t)
{
    return t->kind == TOKEN_IDENT || t->kind == TOKEN_QUOTED;
}

/* In any case of letters: whether it means the table is for the planner to say. */
bool unsharded_names_queue_table(const struct planner *p)
{
    const struct catalog *catalog = p->topology->catalog;
    for (uint32_t i = 0; i < p->l->count; i++) {
        if (!is_name(&p->l->tokens[i]))
            continue;
        struct slice name = token_ident(p->l, i, p->arena);
        for (size_t t = 0; t < catalog->table_count; t++)
            if (slice_ieq_cstr(name, catalog->tables[t]->name))
                return true;
    }
    return false;
}

static bool has_word(const struct planner *p, enum keyword word)
{
    for (uint32_t i = 0; i < p->l->count; i++)
        if (token_is_keyword(&p->l->tokens[i], word))
            return true;
    return false;
}

static bool names_own_variable(const struct planner *p)
{
    for (uint32_t i = 0; i < p->l->count; i++)
        if (p->l->tokens[i].kind == TOKEN_USER_VAR && home_is_own_variable(token_text(p->l, i)))
            return true;
    return false;
}

static bool has_user_variable(const struct planner *p)
{
    for (uint32_t i = 0; i < p->l->count; i++)
        if (p->l->tokens[i].kind == TOKEN_USER_VAR)
            return true;
    return false;
}

/* CREATE [OR REPLACE] [DEFINER = …] PROCEDURE …, BEGIN NOT ATOMIC, FOR … END FOR */
bool plan_is_program(const struct lexed *l)
{
    static const enum keyword blocks[] = { KW_FOR, KW_IF, KW_CASE, KW_LOOP, KW_WHILE, KW_REPEAT };
    static const enum keyword programs[] = { KW_PROCEDURE, KW_FUNCTION, KW_TRIGGER, KW_EVENT,
                                             KW_PACKAGE };
    enum { LOOKED_AT = 16 };
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        if (token_is_keyword(&l->tokens[0], blocks[n]))
            return true;
    if (l->count > 2 && token_is_keyword(&l->tokens[0], KW_BEGIN))
        return token_is_keyword(&l->tokens[1], KW_NOT);
    if (!l->count || !token_is_keyword(&l->tokens[0], KW_CREATE))
        return false;
    for (uint32_t i = 1; i < l->count && i < LOOKED_AT; i++)
        for (size_t n = 0; n < sizeof programs / sizeof *programs; n++)
            if (token_is_keyword(&l->tokens[i], programs[n]))
                return true;
    return false;
}

/* ---- what words mean ---- */

static bool has_form(const struct planner *p, uint32_t at, enum form form)
{
    const struct token *t = &p->l->tokens[at];
    if (form == FORM_CALL)
        return token_is_op(t + 1, OP_LPAREN) && !(at && token_is_op(t - 1, OP_DOT));
    if (form == FORM_VARIABLE)
        return (at && t[-1].kind == TOKEN_SYSTEM_VAR) ||
               (at > 2 && token_is_op(t - 1, OP_DOT) && t[-3].kind == TOKEN_SYSTEM_VAR);
    return t->kind == TOKEN_IDENT;
}

/* CURRENT_USER is a function without parentheses, too. `get_lock`(…) is the server's own function,
 * quotes or not. */
static bool means(const struct planner *p, uint32_t at, const struct meaning *m)
{
    if (!is_name(&p->l->tokens[at]) ||
        !slice_ieq_cstr(token_ident(p->l, at, p->arena), m->word))
        return false;
    return has_form(p, at, m->form) ||
           (m->effect == EFFECT_OF_SESSION && token_is_keyword(&p->l->tokens[at], KW_CURRENT_USER));
}

/* A heading would change where the value is an item of the select list: refused there. */
static enum err_code of_session(struct planner *p, enum way way, uint32_t at, bool in_list)
{
    const struct token *t = &p->l->tokens[at];
    bool called = token_is_op(t + 1, OP_LPAREN);
    if (way != WAY_QUERY && way != WAY_CHANGE)
        return MQ_OK;
    if (called && !token_is_op(t + 2, OP_RPAREN))
        return MQ_OK; /* a stored function */
    if (in_list)
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "%.*s answers for the session, and stands in the select list of a statement "
                      "for another server; select it by itself",
                      NAME_FORMAT(token_text(p->l, at)));
    return function_session_value(p, token_text(p->l, at), at, called ? at + 2 : at);
}

static enum err_code take_meaning(struct planner *p, enum way way, const struct meaning *m,
                                  uint32_t at, bool in_list)
{
    struct relayed *r = &p->t->relayed;
    switch (m->effect) {
    case EFFECT_STATE:
        r->keeps_state = true;
        return MQ_OK;
    case EFFECT_LAST:
        r->asks_last = true;
        return MQ_OK;
    case EFFECT_INSERT_ID:
        r->needs_insert_id = true;
        if (m->form == FORM_CALL && !token_is_op(&p->l->tokens[at + 2], OP_RPAREN))
            r->tells |= TELLS_INSERT_ID | TELLS_SURELY;
        else
            p->t->asks_insert_id = true;
        return MQ_OK;
    case EFFECT_OF_SESSION:
        return of_session(p, way, at, in_list);
    }
    return MQ_OK;
}

/* All words; *depth and *in_list follow parentheses and the first FROM outside of them. */
static enum err_code take_words(struct planner *p, enum way way)
{
    enum err_code code = MQ_OK;
    uint32_t depth = 0;
    bool in_list = way == WAY_QUERY;
    for (uint32_t i = 0; i < p->l->count && !code; i++) {
        const struct token *t = &p->l->tokens[i];
        depth += token_is_op(t, OP_LPAREN);
        depth -= depth && token_is_op(t, OP_RPAREN);
        if (!depth && token_is_keyword(t, KW_FROM))
            in_list = false;
        for (size_t m = 0; m < sizeof meanings / sizeof *meanings && !code && is_name(t); m++)
            if (means(p, i, &meanings[m]))
                code = take_meaning(p, way, &meanings[m], i, in_list);
    }
    return code;
}

/* ---- SET ---- */

static bool names_global(const struct planner *p)
{
    return has_word(p, KW_GLOBAL) || has_word(p, KW_PERSIST) || has_word(p, KW_PERSIST_ONLY);
}

/* A name in front of `=`, outside of parentheses. Of the session: GLOBAL is the server's own. */
static bool is_assigned(const struct planner *p, uint32_t at, uint32_t depth)
{
    const struct token *next = &p->l->tokens[at + 1];
    return !depth && (token_is_op(next, OP_EQ) || token_is_op(next, OP_ASSIGN)) &&
           !names_global(p);
}

static bool stays_off(int var)
{
    return var >= 0 && var_info((enum var)var)->kind == VAR_KIND_OFF;
}

/* A variable that stays off on shards: there is a server that takes it, and must be told when it
 * is off again. */
static bool sets_what_stays_off(const struct planner *p)
{
    const struct set_item *items = p->sets.items;
    for (size_t i = 0; i < p->sets.count; i++)
        if (items[i].kind == SET_SYSTEM && stays_off(var_find(items[i].name)))
            return true;
    return false;
}

static bool is_off(const struct planner *p, uint32_t value)
{
    static const char *const words[] = { "0", "off", "false", "default" };
    for (size_t i = 0; i < sizeof words / sizeof *words && value < p->l->count; i++)
        if (slice_ieq_cstr(token_text(p->l, value), words[i]))
            return true;
    return false;
}

static uint64_t undone_by(int var)
{
    uint64_t bits = 0;
    for (int i = 0; i < VAR_COUNT; i++)
        if (var_base((enum var)i) == var)
            bits |= UINT64_C(1) << i;
    return bits;
}

/* Which variables that are followed its text may change, and whether it changes others. */
static void note_variables(struct planner *p)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < p->l->count; i++) {
        depth += token_is_op(&p->l->tokens[i], OP_LPAREN);
        depth -= depth && token_is_op(&p->l->tokens[i], OP_RPAREN);
        if (!is_name(&p->l->tokens[i]))
            continue;
        int var = var_find(token_ident(p->l, i, p->arena));
        if (var >= 0 && !stays_off(var))
            p->t->relayed.variables |= UINT64_C(1) << var | undone_by(var);
        else if (stays_off(var) && is_off(p, i + 2))
            continue;
        else if (is_assigned(p, i, depth))
            p->t->relayed.sets_unfollowed = true;
    }
}

/* The character set that texts are read in is known from SET NAMES and the login only. */
static enum err_code check_set(struct planner *p)
{
    static const char *const own[] = { "character_set_client", "names", "charset", "character" };
    for (uint32_t i = 0; i < p->l->count; i++)
        for (size_t n = 0; n < sizeof own / sizeof *own; n++)
            if (is_name(&p->l->tokens[i]) && slice_ieq_cstr(token_ident(p->l, i, p->arena), own[n]))
                return p->reject.code;
    note_variables(p);
    p->t->relayed.sets_global = names_global(p);
    return MQ_OK;
}

/* ---- ways ---- */

/* Plans as if there were no other keyspace; on failure nothing is left but the reason. What lives
 * on a connection without being about queue tables lives on that keyspace's server. */
static bool plan_as_ever(struct planner *p)
{
    const struct planner before = *p;
    const struct template template = *p->t;
    if (plan_tree(p) == MQ_OK && !sets_what_stays_off(p) && !p->t->home)
        return true;
    struct err reason = p->reject;
    struct template *t = p->t;
    *p = before;
    *t = template;
    p->reject = reason;
    return false;
}

/* The database has another name there, and the text is relayed as it is. */
static enum err_code check_qualifier(struct planner *p, uint32_t at)
{
    const struct config *c = p->topology->config;
    const struct token *t = &p->l->tokens[at];
    const struct shard_config *server = &c->unsharded.server;
    if (!is_name(t) || !token_is_op(t + 1, OP_DOT) || (at && token_is_op(t - 1, OP_DOT)))
        return MQ_OK;
    struct slice name = token_ident(p->l, at, p->arena);
    bool ours = config_is_keyspace(c, name) || slice_eq(name, slice_cstr(server->name));
    if (!ours || slice_eq(name, slice_cstr(server->database)))
        return MQ_OK;
    return reject(p, MQ_DATABASE_UNKNOWN,
                  "the database of %.*s's other tables is called %s on their server; leave the "
                  "qualifier out",
                  NAME_FORMAT(name), server->database);
}

static enum err_code check_qualifiers(struct planner *p)
{
    enum err_code code = MQ_OK;
    for (uint32_t i = 0; i < p->l->count && !code; i++)
        code = check_qualifier(p, i);
    return code;
}

static enum err_code relay(struct planner *p, const struct first_word *first)
{
    struct relayed *r = &p->t->relayed;
    r->keeps_state = first->leaves == LEAVES_STATE || has_user_variable(p);
    r->stands_aside = first->way == WAY_ASIDE || first->way == WAY_SHOW;
    r->tells = first->tells;
    if (first->tells == TELLS_INSERT_ID && (has_word(p, KW_DUPLICATE) || has_word(p, KW_SELECT)))
        r->tells |= TELLS_SURELY;
    r->needs_insert_id = r->tells & TELLS_SURELY;
    enum err_code code = first->way == WAY_SET ? check_set(p) : MQ_OK;
    if (!code)
        code = check_qualifiers(p);
    if (!code)
        code = take_words(p, first->way);
    p->t->verdict = VERDICT_UNSHARDED;
    p->t->is_select = first->way == WAY_QUERY;
    p->t->found_rows = (uint8_t)found_rows_relayed(p, p->t->is_select);
    p->t->client_params = p->l->params;
    return code;
}

static const struct first_word *word_at(const struct planner *p, uint32_t at)
{
    static const struct first_word unknown = { KEYWORD_NONE, WAY_OTHER, LEAVES_STATE, TELLS_ALL };
    static const struct first_word query = { KW_SELECT, WAY_QUERY, LEAVES_NOTHING, TELLS_NOTHING };
    const struct token *t = &p->l->tokens[at];
    if (token_is_op(t, OP_LPAREN))
        return &query;
    if (token_is_keyword(t, KW_BEGIN) && plan_is_program(p->l))
        return &unknown;
    for (size_t i = 0; i < sizeof first_words / sizeof *first_words; i++)
        if (token_is_keyword(t, first_words[i].word))
            return &first_words[i];
    return &unknown;
}

/* MariaDB's SET STATEMENT variables FOR statement: where the statement begins; 0 when it is none. */
static uint32_t find_inner(const struct planner *p)
{
    const struct token *t = p->l->tokens;
    uint32_t depth = 0;
    if (!token_is_keyword(t, KW_SET) || !token_is_keyword(t + 1, KW_STATEMENT))
        return 0;
    for (uint32_t i = 2; i < p->l->count; i++) {
        depth += token_is_op(&t[i], OP_LPAREN);
        depth -= depth && token_is_op(&t[i], OP_RPAREN);
        if (!depth && token_is_keyword(&t[i], KW_FOR))
            return i + 1;
    }
    return 0;
}

/* SET STATEMENT sets for one statement, so that what that one leaves is all that is left. What is
 * mqgate's own business cannot be a server's for one statement. */
static const struct first_word *find_first(const struct planner *p)
{
    static const struct first_word own = { KW_SET, WAY_OWN, LEAVES_NOTHING, TELLS_NOTHING };
    uint32_t inner = find_inner(p);
    const struct first_word *first = word_at(p, inner);
    bool ours = first->way == WAY_OWN || first->way == WAY_SET || first->way == WAY_SHOW;
    return inner && ours ? &own : first;
}

/* Is SHOW about the session, rather than about a server? */
static bool shows_own(const struct planner *p)
{
    static const enum keyword own[] = { KW_WARNINGS, KW_ERRORS, KW_MQGATE_FINDINGS, KW_VARIABLES,
                                        KW_PROCESSLIST };
    for (uint32_t i = 1; i < p->l->count && i < 8; i++)
        for (size_t n = 0; n < sizeof own / sizeof *own; n++)
            if (token_is_keyword(&p->l->tokens[i], own[n]))
                return true;
    return false;
}

static bool reads_tables(const struct planner *p)
{
    return has_word(p, KW_FROM) || has_word(p, KW_TABLE) || has_word(p, KW_INTO);
}

enum err_code unsharded_plan(struct planner *p)
{
    const struct first_word *first = find_first(p);
    bool own =
        first->way == WAY_OWN || names_own_variable(p) || (first->way == WAY_SHOW && shows_own(p));
    bool maybe = first->way == WAY_SET || (first->way == WAY_QUERY && !reads_tables(p));
    if ((own || maybe) && plan_as_ever(p))
        return MQ_OK;
    return own ? p->reject.code : relay(p, first);
}
