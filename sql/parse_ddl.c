/* CREATE TABLE with its columns and keys, DROP TABLE, TRUNCATE. Other definitions are only
 * recognised. */
#include "sql/parse_int.h"

/* ---- column types ---- */

/* BIGINT UNSIGNED, VARCHAR(255), DOUBLE PRECISION, NATIONAL CHAR VARYING (5), ENUM('a') … */
static struct node *type(struct parser *p)
{
    static const uint16_t more[] = { KW_VARYING,  KW_PRECISION, KW_CHAR,    KW_VARCHAR,
                                     KW_VARBINARY, KW_UNSIGNED,  KW_SIGNED,  KW_ZEROFILL,
                                     KW_BINARY,    KW_ASCII,     KW_UNICODE, KW_BYTE,
                                     KW_VARCHARACTER, KEYWORD_NONE };
    if (!at_kind(p, TOKEN_IDENT))
        return missing(p, "a column type");
    struct branch b = branch_open(p, N_TYPE);
    do {
        advance(p);
        if (accept_sign(p, OP_LPAREN)) {
            skip_plain(p, false);
            expect_sign(p, OP_RPAREN);
        }
    } while (at_word_among(p, more) && !word_ahead(p, 1, KW_SET));
    return branch_close(p, &b);
}

/* ---- column options ---- */

static void in_parentheses(struct parser *p, struct branch *b)
{
    expect_sign(p, OP_LPAREN);
    branch_add(b, parse_expression(p));
    expect_sign(p, OP_RPAREN);
}

static void string_value(struct parser *p, struct branch *b)
{
    branch_add(b, at_kind(p, TOKEN_STRING) ? parse_literal(p) : missing(p, "a string"));
}

/* CHECK (expr) [[NOT] ENFORCED] */
static void check(struct parser *p, struct branch *b)
{
    expect_word(p, KW_CHECK);
    in_parentheses(p, b);
    if (!accept_words(p, KW_NOT, KW_ENFORCED))
        accept_word(p, KW_ENFORCED);
}

/* [GENERATED ALWAYS] AS (expr) [VIRTUAL | STORED | PERSISTENT] */
static void generated(struct parser *p, struct branch *b)
{
    if (accept_word(p, KW_GENERATED))
        expect_word(p, KW_ALWAYS);
    expect_word(p, KW_AS);
    in_parentheses(p, b);
    if (!accept_word(p, KW_VIRTUAL) && !accept_word(p, KW_STORED))
        accept_word(p, KW_PERSISTENT);
}

/* REFERENCES t (a) [MATCH …] [ON DELETE …] [ON UPDATE …], passed over */
static void references(struct parser *p)
{
    expect_word(p, KW_REFERENCES);
    skip_plain(p, true);
}

/* The options that begin with a word of their own and take one value or none. */
static bool accept_simple_option(struct parser *p, struct branch *b)
{
    if (accept_words(p, KW_NOT, KW_NULL) || accept_word(p, KW_NULL) ||
        accept_word(p, KW_AUTO_INCREMENT) || accept_word(p, KW_VISIBLE) ||
        accept_word(p, KW_INVISIBLE) || accept_word(p, KW_BINARY))
        return true;
    if (accept_word(p, KW_COMMENT))
        string_value(p, b);
    else if (accept_word(p, KW_DEFAULT))
        branch_add(b, parse_operand(p));
    else if (accept_words(p, KW_ON, KW_UPDATE))
        branch_add(b, parse_operand(p));
    else if (accept_word(p, KW_COLLATE) || accept_character_set(p) ||
             accept_word(p, KW_COLUMN_FORMAT) || accept_word(p, KW_STORAGE) ||
             accept_word(p, KW_SRID))
        advance(p);
    else
        return false;
    return true;
}

static uint16_t option_word(const struct parser *p)
{
    switch (token_here(p)->value) {
    case KW_KEY:
        return KW_PRIMARY;
    case KW_AS:
        return KW_GENERATED;
    case KW_CHARSET:
    case KW_CHAR:
        return KW_CHARACTER;
    case KW_CONSTRAINT:
        return KW_CHECK;
    default:
        return token_here(p)->value;
    }
}

/* CONSTRAINT [name]: the name, or NULL. */
static struct node *constraint(struct parser *p)
{
    return accept_word(p, KW_CONSTRAINT) && at_name(p) ? leaf(p, N_IDENT) : NULL;
}

static struct node *column_option(struct parser *p)
{
    struct branch b = branch_open(p, N_COLUMN_OPTION);
    b.node->op = option_word(p);
    if (accept_simple_option(p, &b))
        ;
    else if (accept_words(p, KW_PRIMARY, KW_KEY) || accept_word(p, KW_KEY))
        ;
    else if (accept_word(p, KW_UNIQUE))
        accept_word(p, KW_KEY);
    else if (at_word(p, KW_GENERATED) || at_word(p, KW_AS))
        generated(p, &b);
    else if (at_word(p, KW_REFERENCES))
        references(p);
    else if (at_word(p, KW_CHECK) || at_word(p, KW_CONSTRAINT)) {
        constraint(p);
        check(p, &b);
    } else
        fail_not_understood(p, "this column option");
    return branch_close(p, &b);
}

static struct node *column_definition(struct parser *p)
{
    struct branch b = branch_open(p, N_COLUMN_DEF);
    branch_add(&b, at_column_name(p) ? leaf(p, N_IDENT) : missing(p, "a column"));
    branch_add(&b, type(p));
    while (!at_sign(p, OP_COMMA) && !at_sign(p, OP_RPAREN) && !at_end(p))
        branch_add(&b, column_option(p));
    return branch_close(p, &b);
}

/* ---- keys ---- */

/* column [(length)] [ASC | DESC], or (expr) [ASC | DESC] */
static struct node *key_part(struct parser *p)
{
    struct branch b = branch_open(p, N_KEY_PART);
    if (at_sign(p, OP_LPAREN))
        in_parentheses(p, &b);
    else {
        branch_add(&b, parse_column(p));
        if (accept_sign(p, OP_LPAREN)) {
            skip_plain(p, false);
            expect_sign(p, OP_RPAREN);
        }
    }
    if (at_word(p, KW_ASC) || at_word(p, KW_DESC)) {
        b.node->op = token_here(p)->value;
        advance(p);
    }
    return branch_close(p, &b);
}

static void key_parts(struct parser *p, struct branch *b)
{
    expect_sign(p, OP_LPAREN);
    do
        branch_add(b, key_part(p));
    while (accept_sign(p, OP_COMMA));
    expect_sign(p, OP_RPAREN);
}

/* The words before the parenthesis: PRIMARY KEY, UNIQUE [INDEX], FULLTEXT [KEY], KEY … */
static uint16_t key_kind(struct parser *p)
{
    uint16_t kind = token_here(p)->value;
    if (accept_word(p, KW_KEY) || accept_word(p, KW_INDEX))
        return KW_KEY;
    advance(p);
    if (kind == KW_PRIMARY || kind == KW_FOREIGN)
        expect_word(p, KW_KEY);
    else if (!accept_word(p, KW_KEY))
        accept_word(p, KW_INDEX);
    return kind;
}

static bool at_key(const struct parser *p)
{
    static const uint16_t words[] = { KW_PRIMARY,  KW_UNIQUE,  KW_KEY,     KW_INDEX,
                                      KW_FULLTEXT, KW_SPATIAL, KW_FOREIGN, KW_CHECK,
                                      KW_CONSTRAINT, KEYWORD_NONE };
    return at_word_among(p, words);
}

static struct node *key_definition(struct parser *p)
{
    struct branch b = branch_open(p, N_KEY_DEF);
    struct node *name = constraint(p);
    if (at_word(p, KW_CHECK)) {
        b.node->op = KW_CHECK;
        check(p, &b);
        return branch_close(p, &b);
    }
    if (!at_key(p))
        fail_expected(p, "a key");
    b.node->op = key_kind(p);
    if (at_name(p))
        name = leaf(p, N_IDENT);
    if (name)
        branch_add(&b, name);
    if (accept_word(p, KW_USING))
        advance(p); /* BTREE or HASH */
    key_parts(p, &b);
    skip_plain(p, true); /* options, or REFERENCES … */
    return branch_close(p, &b);
}

/* ---- CREATE TABLE ---- */

static void definitions(struct parser *p, struct branch *b)
{
    expect_sign(p, OP_LPAREN);
    do
        branch_add(b, at_key(p) ? key_definition(p) : column_definition(p));
    while (accept_sign(p, OP_COMMA));
    expect_sign(p, OP_RPAREN);
}

/* Everything else up to the end. A query in it must not go unnoticed. */
static void table_options(struct parser *p, struct branch *b)
{
    if (at_end(p))
        return;
    struct branch options = branch_open(p, N_TABLE_OPTIONS);
    if (at_word(p, KW_LIKE) || (at_sign(p, OP_LPAREN) && word_ahead(p, 1, KW_LIKE)))
        options.node->op = KW_LIKE;
    for (; !at_end(p); advance(p))
        if (at_word(p, KW_SELECT) || at_word(p, KW_TABLE) || at_words(p, KW_VALUES, KW_ROW))
            options.node->op = KW_SELECT;
    branch_add(b, branch_close(p, &options));
}

static bool at_definitions(const struct parser *p)
{
    static const uint16_t others[] = { KW_LIKE, KW_SELECT, KW_WITH, KW_TABLE, KW_VALUES,
                                       KEYWORD_NONE };
    return at_sign(p, OP_LPAREN) && !sign_ahead(p, 1, OP_LPAREN) &&
           !word_among(token_ahead(p, 1), others);
}

static void if_exists(struct parser *p, struct node *statement, bool negated)
{
    if (!accept_word(p, KW_IF))
        return;
    if (negated)
        expect_word(p, KW_NOT);
    expect_word(p, KW_EXISTS);
    statement->flags |= NODE_F_IF_EXISTS;
}

/* CREATE or DROP, [TEMPORARY], TABLE: what may follow is a table. */
static bool at_table_statement(const struct parser *p)
{
    uint32_t distance = word_ahead(p, 1, KW_TEMPORARY) ? 2 : 1;
    return word_ahead(p, distance, KW_TABLE) || word_ahead(p, distance, KW_TABLES);
}

/* The node, and the words up to TABLE. */
static struct branch open_table_statement(struct parser *p, enum node_kind kind)
{
    struct branch b = branch_open(p, kind);
    advance(p);
    if (accept_word(p, KW_TEMPORARY))
        b.node->flags |= NODE_F_TEMPORARY;
    advance(p);
    return b;
}

/* A stored program's body has semicolons of its own. */
static struct node *other_definition(struct parser *p)
{
    static const uint16_t programs[] = { KW_PROCEDURE, KW_FUNCTION, KW_TRIGGER,
                                         KW_EVENT,     KW_PACKAGE,  KEYWORD_NONE };
    struct branch b = branch_open(p, N_OTHER);
    b.node->op = token_here(p)->value;
    bool program = false;
    for (; !at_kind(p, TOKEN_END) && (program || !at_sign(p, OP_SEMICOLON)); advance(p))
        program |= at_word_among(p, programs);
    return branch_close(p, &b);
}

struct node *parse_create(struct parser *p)
{
    if (!at_table_statement(p))
        return other_definition(p);
    struct branch b = open_table_statement(p, N_CREATE_TABLE);
    if_exists(p, b.node, true);
    branch_add(&b, parse_target(p));
    if (at_definitions(p))
        definitions(p, &b);
    table_options(p, &b);
    return branch_close(p, &b);
}

/* ---- DROP TABLE, TRUNCATE ---- */

static struct node *bare_table(struct parser *p)
{
    struct branch b = branch_around(p, N_TABLE, parse_name(p));
    return branch_close(p, &b);
}

struct node *parse_drop(struct parser *p)
{
    if (!at_table_statement(p))
        return parse_other(p);
    struct branch b = open_table_statement(p, N_DROP_TABLE);
    if_exists(p, b.node, false);
    do
        branch_add(&b, bare_table(p));
    while (accept_sign(p, OP_COMMA));
    if (!accept_word(p, KW_RESTRICT))
        accept_word(p, KW_CASCADE);
    return branch_close(p, &b);
}

struct node *parse_truncate(struct parser *p)
{
    struct branch b = branch_open(p, N_TRUNCATE);
    expect_word(p, KW_TRUNCATE);
    accept_word(p, KW_TABLE);
    branch_add(&b, bare_table(p));
    return branch_close(p, &b);
}
