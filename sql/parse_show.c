/* SHOW, DESCRIBE and EXPLAIN. A SHOW of a kind that is not served is recognised by its
 * subject; what follows the subject is passed over. */
#include "sql/parse_int.h"

/* What may follow the subject of a SHOW. */
enum {
    SHOW_FILTER = 1,   /* [LIKE 'x' | WHERE …] */
    SHOW_DATABASE = 2, /* [FROM db] */
    SHOW_TABLE = 4,    /* FROM t, in front of [FROM db] */
    SHOW_ROWS = 8,     /* [LIMIT …] */
};

struct show_rule {
    uint16_t word, second; /* second is KEYWORD_NONE when one word says it */
    uint16_t subject;      /* the op: one word for all spellings */
    uint8_t parts;         /* SHOW_… */
};

static const struct show_rule shows[] = {
    { KW_VARIABLES, KEYWORD_NONE, KW_VARIABLES, SHOW_FILTER },
    { KW_STATUS, KEYWORD_NONE, KW_STATUS, SHOW_FILTER },
    { KW_WARNINGS, KEYWORD_NONE, KW_WARNINGS, SHOW_ROWS },
    { KW_ERRORS, KEYWORD_NONE, KW_ERRORS, SHOW_ROWS },
    { KW_DATABASES, KEYWORD_NONE, KW_DATABASES, SHOW_FILTER },
    { KW_SCHEMAS, KEYWORD_NONE, KW_DATABASES, SHOW_FILTER },
    { KW_TABLES, KEYWORD_NONE, KW_TABLES, SHOW_DATABASE | SHOW_FILTER },
    { KW_TABLE, KW_STATUS, KW_TABLE, SHOW_DATABASE | SHOW_FILTER },
    { KW_OPEN, KW_TABLES, KW_OPEN, SHOW_DATABASE | SHOW_FILTER },
    { KW_TRIGGERS, KEYWORD_NONE, KW_TRIGGERS, SHOW_DATABASE | SHOW_FILTER },
    { KW_EVENTS, KEYWORD_NONE, KW_EVENTS, SHOW_DATABASE | SHOW_FILTER },
    { KW_COLUMNS, KEYWORD_NONE, KW_COLUMNS, SHOW_TABLE | SHOW_DATABASE | SHOW_FILTER },
    { KW_FIELDS, KEYWORD_NONE, KW_COLUMNS, SHOW_TABLE | SHOW_DATABASE | SHOW_FILTER },
    { KW_INDEX, KEYWORD_NONE, KW_INDEX, SHOW_TABLE | SHOW_DATABASE | SHOW_FILTER },
    { KW_INDEXES, KEYWORD_NONE, KW_INDEX, SHOW_TABLE | SHOW_DATABASE | SHOW_FILTER },
    { KW_KEYS, KEYWORD_NONE, KW_INDEX, SHOW_TABLE | SHOW_DATABASE | SHOW_FILTER },
    { KW_COLLATION, KEYWORD_NONE, KW_COLLATION, SHOW_FILTER },
    { KW_CHARSET, KEYWORD_NONE, KW_CHARACTER, SHOW_FILTER },
    { KW_CHARACTER, KW_SET, KW_CHARACTER, SHOW_FILTER },
    { KW_CHAR, KW_SET, KW_CHARACTER, SHOW_FILTER },
    { KW_ENGINES, KEYWORD_NONE, KW_ENGINES, 0 },
    { KW_STORAGE, KW_ENGINES, KW_ENGINES, 0 },
    { KW_PLUGINS, KEYWORD_NONE, KW_PLUGINS, 0 },
    { KW_PRIVILEGES, KEYWORD_NONE, KW_PRIVILEGES, 0 },
    { KW_PROCESSLIST, KEYWORD_NONE, KW_PROCESSLIST, 0 },
    { KW_MQGATE_FINDINGS, KEYWORD_NONE, KW_MQGATE_FINDINGS, SHOW_FILTER | SHOW_ROWS },
};

/* ---- parts ---- */

static void filter(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_LIKE)) {
        parse_where(p, b);
        return;
    }
    struct branch like = branch_open(p, N_LIKE_PATTERN);
    advance(p);
    branch_add(&like, parse_expression(p));
    branch_add(b, branch_close(p, &like));
}

static bool at_from(const struct parser *p)
{
    return at_word(p, KW_FROM) || at_word(p, KW_IN);
}

static void from_database(struct parser *p, struct branch *b)
{
    if (!at_from(p))
        return;
    struct branch from = branch_open(p, N_SHOW_FROM);
    advance(p);
    branch_add(&from, parse_ident(p, "a database"));
    branch_add(b, branch_close(p, &from));
}

static void from_table(struct parser *p, struct branch *b)
{
    if (at_from(p))
        advance(p);
    else
        fail_expected(p, "FROM");
    branch_add(b, parse_name(p));
}

static void show_parts(struct parser *p, struct branch *b, uint8_t parts)
{
    if (parts & SHOW_TABLE)
        from_table(p, b);
    if (parts & SHOW_DATABASE)
        from_database(p, b);
    if (parts & SHOW_FILTER)
        filter(p, b);
    if (parts & SHOW_ROWS)
        parse_limit(p, b);
}

/* ---- SHOW ---- */

/* TABLE t, DATABASE [IF NOT EXISTS] d; other objects are named by op alone. */
static void show_create(struct parser *p, struct branch *b)
{
    expect_word(p, KW_CREATE);
    if (accept_word(p, KW_TABLE))
        branch_add(b, parse_name(p));
    else if (accept_word(p, KW_DATABASE) || accept_word(p, KW_SCHEMA)) {
        if (accept_word(p, KW_IF)) {
            expect_word(p, KW_NOT);
            expect_word(p, KW_EXISTS);
        }
        struct branch from = branch_open(p, N_SHOW_FROM);
        branch_add(&from, parse_ident(p, "a database"));
        branch_add(b, branch_close(p, &from));
    } else
        skip_to_end(p);
}

/* SHOW COUNT(*) WARNINGS */
static void show_count(struct parser *p, struct node *show)
{
    expect_word(p, KW_COUNT);
    expect_sign(p, OP_LPAREN);
    expect_sign(p, OP_STAR);
    expect_sign(p, OP_RPAREN);
    show->flags |= NODE_F_STAR;
}

static void show_modifiers(struct parser *p, struct node *show)
{
    if (accept_word(p, KW_GLOBAL))
        show->flags |= NODE_F_GLOBAL;
    else if (accept_word(p, KW_SESSION) || accept_word(p, KW_LOCAL))
        show->flags |= NODE_F_SESSION;
    accept_word(p, KW_EXTENDED);
    accept_word(p, KW_FULL);
}

static const struct show_rule *accept_subject(struct parser *p)
{
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        const struct show_rule *rule = &shows[i];
        if (!at_word(p, rule->word) || (rule->second && !word_ahead(p, 1, rule->second)))
            continue;
        p->at += rule->second ? 2 : 1;
        return rule;
    }
    return NULL;
}

static void show_subject(struct parser *p, struct branch *b)
{
    const struct show_rule *rule = accept_subject(p);
    if (rule) {
        b->node->op = rule->subject;
        show_parts(p, b, rule->parts);
        return;
    }
    if (!at_kind(p, TOKEN_IDENT) || !token_here(p)->value)
        fail_expected(p, "what to show");
    b->node->op = token_here(p)->value;
    if (at_word(p, KW_CREATE))
        show_create(p, b);
    else
        skip_to_end(p);
}

struct node *parse_show(struct parser *p)
{
    struct branch b = branch_open(p, N_SHOW);
    expect_word(p, KW_SHOW);
    show_modifiers(p, b.node);
    if (at_word(p, KW_COUNT))
        show_count(p, b.node);
    show_subject(p, &b);
    return branch_close(p, &b);
}

/* ---- DESCRIBE, EXPLAIN ---- */

static bool at_explainable(const struct parser *p)
{
    static const uint16_t verbs[] = { KW_SELECT, KW_WITH,   KW_TABLE,  KW_VALUES,   KW_INSERT,
                                      KW_REPLACE, KW_UPDATE, KW_DELETE, KEYWORD_NONE };
    return at_word_among(p, verbs) || at_sign(p, OP_LPAREN);
}

/* FORMAT = JSON, ANALYZE, EXTENDED, PARTITIONS */
static void explain_options(struct parser *p, struct node *explain)
{
    static const uint16_t words[] = { KW_EXTENDED, KW_PARTITIONS, KW_ANALYZE, KEYWORD_NONE };
    while (at_word_among(p, words) && token_ahead(p, 1)->kind != TOKEN_END) {
        if (at_word(p, KW_ANALYZE))
            explain->op = KW_ANALYZE;
        advance(p);
    }
    if (at_word(p, KW_FORMAT) && sign_ahead(p, 1, OP_EQ)) {
        p->at += 2;
        advance(p);
    }
}

/* t [column | 'pattern'] */
static void describe_table(struct parser *p, struct branch *b)
{
    branch_add(b, parse_name(p));
    if (at_kind(p, TOKEN_STRING))
        branch_add(b, parse_literal(p));
    else if (at_column_name(p))
        branch_add(b, leaf(p, N_IDENT));
}

struct node *parse_describe(struct parser *p)
{
    struct branch b = branch_open(p, N_EXPLAIN);
    advance(p); /* DESCRIBE, DESC or EXPLAIN */
    explain_options(p, b.node);
    if (at_words(p, KW_FOR, KW_CONNECTION)) {
        skip_to_end(p);
        return branch_close(p, &b);
    }
    if (at_word(p, KW_FOR) || at_word(p, KW_INTO))
        fail_not_understood(p, "this form of EXPLAIN");
    if (at_explainable(p))
        branch_add(&b, parse_statement(p));
    else {
        b.node->kind = N_DESCRIBE;
        describe_table(p, &b);
    }
    return branch_close(p, &b);
}

/* MariaDB's ANALYZE [FORMAT = JSON] statement, or ANALYZE TABLE. */
struct node *parse_analyze(struct parser *p)
{
    struct branch b = branch_open(p, N_EXPLAIN);
    advance(p);
    explain_options(p, b.node);
    b.node->op = KW_ANALYZE;
    if (at_word(p, KW_TABLE) || !at_explainable(p)) {
        b.node->kind = N_OTHER;
        skip_to_end(p);
    } else
        branch_add(&b, parse_statement(p));
    return branch_close(p, &b);
}
