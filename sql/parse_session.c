/* Statements about the session: SET, transactions, savepoints, USE, DO. */
#include "sql/parse_int.h"

/* ---- SET: values ---- */

/* A word by itself as the value: ON, DEFAULT, utf8mb4, ANSI. */
static bool at_bare_value(const struct parser *p)
{
    static const uint16_t reserved[] = { KW_ON,  KW_DEFAULT, KW_ALL, KW_BINARY,
                                         KW_ROW, KW_SYSTEM,  KEYWORD_NONE };
    const struct token *next = token_ahead(p, 1);
    bool last = next->kind == TOKEN_END || token_is_op(next, OP_COMMA) ||
                token_is_op(next, OP_SEMICOLON);
    return last && (at_name(p) || at_word_among(p, reserved));
}

static struct node *bare_value(struct parser *p)
{
    struct node *n = leaf(p, N_BARE_VALUE);
    n->op = p->lexed->tokens[n->first].kind == TOKEN_IDENT ? p->lexed->tokens[n->first].value : 0;
    return n;
}

static struct node *value(struct parser *p)
{
    return at_bare_value(p) ? bare_value(p) : parse_expression(p);
}

/* 'utf8mb4', utf8mb4, binary or DEFAULT: a character set or a collation. */
static struct node *charset(struct parser *p, const char *what)
{
    if (at_kind(p, TOKEN_STRING))
        return parse_literal(p);
    if (at_name(p) || at_word(p, KW_BINARY) || at_word(p, KW_DEFAULT))
        return bare_value(p);
    return missing(p, what);
}

/* ---- SET: assignments ---- */

static bool at_assignment_sign(const struct parser *p, uint32_t distance)
{
    return sign_ahead(p, distance, OP_EQ) || sign_ahead(p, distance, OP_ASSIGN);
}

/* GLOBAL x, SESSION x; 0 when the word itself is the variable. */
static uint32_t accept_scope_word(struct parser *p)
{
    static const uint16_t global[] = { KW_GLOBAL, KW_PERSIST, KW_PERSIST_ONLY, KEYWORD_NONE };
    static const uint16_t session[] = { KW_SESSION, KW_LOCAL, KEYWORD_NONE };
    if (at_assignment_sign(p, 1) || sign_ahead(p, 1, OP_DOT))
        return 0;
    uint32_t scope = at_word_among(p, global)    ? NODE_F_GLOBAL
                     : at_word_among(p, session) ? NODE_F_SESSION
                                                 : 0;
    if (scope)
        advance(p);
    return scope;
}

/* A scope word holds for the variables behind it, too, until the next one. */
static struct node *set_variable(struct parser *p, uint32_t *scope)
{
    struct branch b = branch_open(p, N_SET_VARIABLE);
    uint32_t word = accept_scope_word(p);
    if (word)
        *scope = word;
    if (at_kind(p, TOKEN_USER_VAR) && !word)
        branch_add(&b, parse_user_variable(p));
    else {
        bool bare = !at_kind(p, TOKEN_SYSTEM_VAR);
        struct node *variable = parse_system_variable(p);
        b.node->flags |= bare ? *scope : variable->flags;
        branch_add(&b, variable);
    }
    if (!accept_sign(p, OP_ASSIGN))
        expect_sign(p, OP_EQ);
    branch_add(&b, value(p));
    return branch_close(p, &b);
}

/* NAMES utf8mb4 COLLATE utf8mb4_bin */
static struct node *set_names(struct parser *p)
{
    struct branch b = branch_open(p, N_SET_NAMES);
    expect_word(p, KW_NAMES);
    branch_add(&b, charset(p, "a character set"));
    if (at_word(p, KW_COLLATE)) {
        struct branch collation = branch_open(p, N_COLLATION);
        advance(p);
        branch_add(&collation, charset(p, "a collation"));
        branch_add(&b, branch_close(p, &collation));
    }
    return branch_close(p, &b);
}

static struct node *set_item(struct parser *p, uint32_t *scope)
{
    if (at_word(p, KW_NAMES) && !at_assignment_sign(p, 1))
        return set_names(p);
    struct branch b = branch_open(p, N_SET_CHARSET);
    if (!accept_character_set(p))
        return set_variable(p, scope);
    branch_add(&b, charset(p, "a character set"));
    return branch_close(p, &b);
}

/* ---- SET TRANSACTION ---- */

/* READ UNCOMMITTED, READ COMMITTED, REPEATABLE READ, SERIALIZABLE: the word that names it. */
static uint16_t isolation_level(struct parser *p)
{
    if (accept_words(p, KW_READ, KW_UNCOMMITTED))
        return KW_READ;
    if (accept_words(p, KW_READ, KW_COMMITTED))
        return KW_COMMITTED;
    if (accept_words(p, KW_REPEATABLE, KW_READ))
        return KW_REPEATABLE;
    if (accept_word(p, KW_SERIALIZABLE))
        return KW_SERIALIZABLE;
    fail_expected(p, "an isolation level");
    return KEYWORD_NONE;
}

/* READ ONLY or READ WRITE, once. */
static bool accept_access_mode(struct parser *p, struct node *n)
{
    enum { BOTH = NODE_F_READ_ONLY | NODE_F_READ_WRITE };
    if ((n->flags & BOTH) || !at_word(p, KW_READ))
        return false;
    if (accept_words(p, KW_READ, KW_ONLY))
        n->flags |= NODE_F_READ_ONLY;
    else if (accept_words(p, KW_READ, KW_WRITE))
        n->flags |= NODE_F_READ_WRITE;
    return n->flags & BOTH;
}

static void transaction_characteristic(struct parser *p, struct node *n)
{
    if (accept_access_mode(p, n))
        return;
    if (n->op || !accept_words(p, KW_ISOLATION, KW_LEVEL))
        fail_expected(p, "ISOLATION LEVEL, READ ONLY or READ WRITE");
    n->op = isolation_level(p);
}

static struct node *set_transaction(struct parser *p)
{
    struct branch b = branch_open(p, N_SET_TRANSACTION);
    expect_word(p, KW_SET);
    b.node->flags |= accept_scope_word(p);
    expect_word(p, KW_TRANSACTION);
    do
        transaction_characteristic(p, b.node);
    while (accept_sign(p, OP_COMMA));
    return branch_close(p, &b);
}

/* ---- SET ---- */

static bool at_set_transaction(const struct parser *p)
{
    static const uint16_t scopes[] = { KW_GLOBAL, KW_SESSION, KW_LOCAL, KEYWORD_NONE };
    uint32_t distance = word_among(token_ahead(p, 1), scopes) ? 2 : 1;
    return word_ahead(p, distance, KW_TRANSACTION) && !at_assignment_sign(p, distance + 1);
}

/* SET PASSWORD, SET ROLE, SET DEFAULT ROLE, SET RESOURCE GROUP, SET STATEMENT … FOR. */
static bool at_other_set(const struct parser *p)
{
    static const uint16_t subjects[] = { KW_ROLE, KW_RESOURCE, KW_STATEMENT, KEYWORD_NONE };
    if (word_ahead(p, 1, KW_PASSWORD) || word_ahead(p, 1, KW_DEFAULT))
        return true;
    return word_among(token_ahead(p, 1), subjects) && !at_assignment_sign(p, 2);
}

struct node *parse_set(struct parser *p)
{
    if (at_set_transaction(p))
        return set_transaction(p);
    if (at_other_set(p))
        return parse_other(p);
    struct branch b = branch_open(p, N_SET);
    uint32_t scope = 0;
    expect_word(p, KW_SET);
    do
        branch_add(&b, set_item(p, &scope));
    while (accept_sign(p, OP_COMMA));
    return branch_close(p, &b);
}

/* ---- transactions ---- */

struct node *parse_begin(struct parser *p)
{
    struct branch b = branch_open(p, N_BEGIN);
    expect_word(p, KW_BEGIN);
    if (at_words(p, KW_NOT, KW_ATOMIC))
        fail_not_understood(p, "BEGIN NOT ATOMIC");
    accept_word(p, KW_WORK);
    return branch_close(p, &b);
}

static void start_characteristic(struct parser *p, struct node *n)
{
    if (accept_access_mode(p, n))
        return;
    if (!(n->flags & NODE_F_SNAPSHOT) && accept_words(p, KW_WITH, KW_CONSISTENT)) {
        expect_word(p, KW_SNAPSHOT);
        n->flags |= NODE_F_SNAPSHOT;
    } else
        fail_expected(p, "WITH CONSISTENT SNAPSHOT, READ ONLY or READ WRITE");
}

struct node *parse_start(struct parser *p)
{
    struct branch b = branch_open(p, N_BEGIN);
    if (!accept_words(p, KW_START, KW_TRANSACTION))
        return parse_other(p);
    if (!at_end(p))
        do
            start_characteristic(p, b.node);
        while (accept_sign(p, OP_COMMA));
    return branch_close(p, &b);
}

/* [AND [NO] CHAIN] [[NO] RELEASE], but not AND CHAIN RELEASE */
static void completion(struct parser *p, struct node *n)
{
    if (accept_word(p, KW_AND)) {
        n->flags |= accept_word(p, KW_NO) ? NODE_F_NO_CHAIN : NODE_F_CHAIN;
        expect_word(p, KW_CHAIN);
    }
    if (!(n->flags & NODE_F_CHAIN) && accept_word(p, KW_RELEASE))
        n->flags |= NODE_F_RELEASE;
    else if (accept_word(p, KW_NO)) {
        n->flags |= NODE_F_NO_RELEASE;
        expect_word(p, KW_RELEASE);
    }
}

struct node *parse_commit(struct parser *p)
{
    struct branch b = branch_open(p, N_COMMIT);
    expect_word(p, KW_COMMIT);
    accept_word(p, KW_WORK);
    completion(p, b.node);
    return branch_close(p, &b);
}

struct node *parse_rollback(struct parser *p)
{
    struct branch b = branch_open(p, N_ROLLBACK);
    expect_word(p, KW_ROLLBACK);
    accept_word(p, KW_WORK);
    if (accept_word(p, KW_TO)) {
        accept_word(p, KW_SAVEPOINT);
        branch_add(&b, parse_ident(p, "a savepoint"));
    } else
        completion(p, b.node);
    return branch_close(p, &b);
}

struct node *parse_savepoint(struct parser *p)
{
    struct branch b = branch_open(p, N_SAVEPOINT);
    expect_word(p, KW_SAVEPOINT);
    branch_add(&b, parse_ident(p, "a savepoint"));
    return branch_close(p, &b);
}

struct node *parse_release(struct parser *p)
{
    struct branch b = branch_open(p, N_RELEASE_SAVEPOINT);
    expect_word(p, KW_RELEASE);
    expect_word(p, KW_SAVEPOINT);
    branch_add(&b, parse_ident(p, "a savepoint"));
    return branch_close(p, &b);
}

/* ---- KILL ---- */

/* MariaDB says how firmly, which is all the same to a connection of mqgate's. */
struct node *parse_kill(struct parser *p)
{
    struct branch b = branch_open(p, N_KILL);
    expect_word(p, KW_KILL);
    if (p->dialect->flavour == FLAVOUR_MARIADB && !accept_word(p, KW_HARD))
        accept_word(p, KW_SOFT);
    b.node->op = KW_CONNECTION;
    if (accept_word(p, KW_QUERY))
        b.node->op = KW_QUERY;
    else
        accept_word(p, KW_CONNECTION);
    branch_add(&b, parse_expression(p));
    return branch_close(p, &b);
}

/* ---- UNLOCK ---- */

struct node *parse_unlock(struct parser *p)
{
    if (!at_words(p, KW_UNLOCK, KW_TABLES) && !at_words(p, KW_UNLOCK, KW_TABLE))
        return parse_other(p);
    struct branch b = branch_open(p, N_UNLOCK_TABLES);
    p->at += 2;
    return branch_close(p, &b);
}

/* ---- USE, DO ---- */

struct node *parse_use(struct parser *p)
{
    struct branch b = branch_open(p, N_USE);
    expect_word(p, KW_USE);
    branch_add(&b, parse_ident(p, "a database"));
    return branch_close(p, &b);
}

struct node *parse_do(struct parser *p)
{
    struct branch b = branch_open(p, N_DO);
    expect_word(p, KW_DO);
    parse_expressions(p, &b);
    return branch_close(p, &b);
}
