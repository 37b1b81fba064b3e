/* Function calls: the general form, those with a syntax of their own, and OVER. */
#include "sql/parse_int.h"

enum {
    CALL_RESERVED = 1,      /* a reserved word that names a function */
    CALL_TIGHT = 2,         /* no space before the parenthesis, unless IGNORE_SPACE */
    CALL_TIGHT_MARIADB = 4, /* the same, in MariaDB only */
    CALL_BARE = 8,          /* the parentheses may be absent: CURRENT_TIMESTAMP */
    CALL_CAST = 16,         /* makes a CAST node */
};

/* What is special about a function; a row of zeros is an ordinary one. */
struct call_rule {
    uint8_t flags; /* CALL_… */
    void (*arguments)(struct parser *p, struct branch *b);
};

/* ---- arguments ---- */

static void argument(struct parser *p, struct branch *b)
{
    branch_add(b, parse_expression(p));
}

static void argument_behind_comma(struct parser *p, struct branch *b)
{
    expect_sign(p, OP_COMMA);
    argument(p, b);
}

/* a [AS] name: loadable functions see the name of their argument. */
static void named_argument(struct parser *p, struct branch *b)
{
    argument(p, b);
    bool as = accept_word(p, KW_AS);
    if (at_name(p) || at_kind(p, TOKEN_STRING))
        advance(p);
    else if (as)
        fail_expected(p, "a name for the argument");
}

/* [DISTINCT | ALL] a, b … */
static void plain(struct parser *p, struct branch *b)
{
    if (at_sign(p, OP_RPAREN))
        return;
    if (accept_distinct(p))
        b->node->flags |= NODE_F_DISTINCT;
    else
        accept_word(p, KW_ALL);
    do
        named_argument(p, b);
    while (accept_sign(p, OP_COMMA));
}

/* COUNT(*) */
static void count(struct parser *p, struct branch *b)
{
    if (at_word(p, KW_ALL) && sign_ahead(p, 1, OP_STAR))
        advance(p);
    if (accept_sign(p, OP_STAR))
        b->node->flags |= NODE_F_STAR;
    else
        plain(p, b);
}

/* GROUP_CONCAT(DISTINCT a, b ORDER BY c SEPARATOR ','), JSON_ARRAYAGG(a ORDER BY b LIMIT 1) */
static void ordered(struct parser *p, struct branch *b)
{
    if (accept_distinct(p))
        b->node->flags |= NODE_F_DISTINCT;
    parse_expressions(p, b);
    parse_order_by(p, b);
    if (accept_word(p, KW_SEPARATOR))
        branch_add(b, parse_operand(p));
    parse_limit(p, b);
}

/* CAST(a AS type), CAST(a AT TIME ZONE … AS type) */
static void cast(struct parser *p, struct branch *b)
{
    argument(p, b);
    if (accept_word(p, KW_AT))
        skip_plain(p, false);
    else {
        expect_word(p, KW_AS);
        skip_plain(p, true);
    }
}

/* CONVERT(a, type), CONVERT(a USING charset) */
static void convert(struct parser *p, struct branch *b)
{
    argument(p, b);
    if (!accept_word(p, KW_USING))
        expect_sign(p, OP_COMMA);
    skip_plain(p, true);
}

/* CHAR(a, b USING charset) */
static void chars(struct parser *p, struct branch *b)
{
    parse_expressions(p, b);
    if (accept_word(p, KW_USING))
        skip_plain(p, true);
}

/* WEIGHT_STRING(a AS CHAR(3)), JSON_VALUE(a, path RETURNING type …) */
static void with_options(struct parser *p, struct branch *b)
{
    parse_expressions(p, b);
    skip_plain(p, true);
}

static void unit(struct parser *p)
{
    if (!accept_unit(p))
        fail_expected(p, "a unit of time");
}

/* EXTRACT(unit FROM a) */
static void extract(struct parser *p, struct branch *b)
{
    unit(p);
    expect_word(p, KW_FROM);
    argument(p, b);
}

/* TIMESTAMPADD(unit, n, a) */
static void behind_unit(struct parser *p, struct branch *b)
{
    unit(p);
    argument_behind_comma(p, b);
    argument_behind_comma(p, b);
}

/* GET_FORMAT(DATE, a) */
static void get_format(struct parser *p, struct branch *b)
{
    static const uint16_t types[] = { KW_DATE, KW_TIME, KW_DATETIME, KW_TIMESTAMP, KEYWORD_NONE };
    if (at_word_among(p, types))
        advance(p);
    else
        fail_expected(p, "DATE, TIME, DATETIME or TIMESTAMP");
    argument_behind_comma(p, b);
}

/* POSITION(a IN b) */
static void position(struct parser *p, struct branch *b)
{
    branch_add(b, parse_level(p, PREC_BIT_OR));
    expect_word(p, KW_IN);
    argument(p, b);
}

/* SUBSTRING(a FROM b FOR c), SUBSTRING(a, b, c) */
static void substring(struct parser *p, struct branch *b)
{
    argument(p, b);
    if (accept_word(p, KW_FROM)) {
        argument(p, b);
        if (accept_word(p, KW_FOR))
            argument(p, b);
    } else if (accept_sign(p, OP_COMMA))
        parse_expressions(p, b);
}

/* TRIM(a), TRIM(a FROM b), TRIM(BOTH FROM b), TRIM(BOTH a FROM b) */
static void trim(struct parser *p, struct branch *b)
{
    static const uint16_t sides[] = { KW_BOTH, KW_LEADING, KW_TRAILING, KEYWORD_NONE };
    bool side = at_word_among(p, sides);
    if (side)
        advance(p);
    if (!side || !at_word(p, KW_FROM))
        argument(p, b);
    if (accept_word(p, KW_FROM))
        argument(p, b);
}

/* ---- the tables ---- */

static const struct call_rule call_rules[KEYWORD_COUNT] = {
    [KW_CHAR] = { CALL_RESERVED, chars },
    [KW_CONVERT] = { CALL_RESERVED | CALL_CAST, convert },
    [KW_CUME_DIST] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_CURRENT_DATE] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_CURRENT_ROLE] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_CURRENT_TIME] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_CURRENT_TIMESTAMP] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_CURRENT_USER] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_DATABASE] = { CALL_RESERVED, NULL },
    [KW_DENSE_RANK] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_FIRST_VALUE] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_GET_FORMAT] = { 0, get_format },
    [KW_GROUPING] = { CALL_RESERVED, NULL },
    [KW_IF] = { CALL_RESERVED, NULL },
    [KW_INSERT] = { CALL_RESERVED, NULL },
    [KW_JSON_VALUE] = { 0, with_options },
    [KW_LAG] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_LAST_VALUE] = { CALL_RESERVED, NULL },
    [KW_LEAD] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_LEFT] = { CALL_RESERVED, NULL },
    [KW_LOCALTIME] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_LOCALTIMESTAMP] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_MOD] = { CALL_RESERVED, NULL },
    [KW_NTH_VALUE] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_NTILE] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_PERCENT_RANK] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_RANK] = { CALL_RESERVED | CALL_TIGHT_MARIADB, NULL },
    [KW_REPEAT] = { CALL_RESERVED, NULL },
    [KW_REPLACE] = { CALL_RESERVED, NULL },
    [KW_RIGHT] = { CALL_RESERVED, NULL },
    [KW_ROW_NUMBER] = { CALL_RESERVED, NULL },
    [KW_SCHEMA] = { CALL_RESERVED, NULL },
    [KW_TIMESTAMPADD] = { 0, behind_unit },
    [KW_TIMESTAMPDIFF] = { 0, behind_unit },
    [KW_UTC_DATE] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_UTC_TIME] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_UTC_TIMESTAMP] = { CALL_RESERVED | CALL_BARE, NULL },
    [KW_WEIGHT_STRING] = { 0, with_options },

    /* The names that IGNORE_SPACE is about (manual, "Function Name Parsing and Resolution").
     * With a space they would call a stored function of that name. */
    [KW_ADDDATE] = { CALL_TIGHT, NULL },
    [KW_BIT_AND] = { CALL_TIGHT, NULL },
    [KW_BIT_OR] = { CALL_TIGHT, NULL },
    [KW_BIT_XOR] = { CALL_TIGHT, NULL },
    [KW_CAST] = { CALL_TIGHT | CALL_CAST, cast },
    [KW_COUNT] = { CALL_TIGHT, count },
    [KW_CURDATE] = { CALL_TIGHT, NULL },
    [KW_CURTIME] = { CALL_TIGHT, NULL },
    [KW_DATE_ADD] = { CALL_TIGHT, NULL },
    [KW_DATE_SUB] = { CALL_TIGHT, NULL },
    [KW_EXTRACT] = { CALL_TIGHT, extract },
    [KW_GROUP_CONCAT] = { CALL_TIGHT, ordered },
    [KW_JSON_ARRAYAGG] = { CALL_TIGHT, ordered },
    [KW_JSON_OBJECTAGG] = { CALL_TIGHT, NULL },
    [KW_MAX] = { CALL_TIGHT, NULL },
    [KW_MEDIAN] = { CALL_TIGHT_MARIADB, NULL },
    [KW_MID] = { CALL_TIGHT, substring },
    [KW_MIN] = { CALL_TIGHT, NULL },
    [KW_NOW] = { CALL_TIGHT, NULL },
    [KW_PERCENTILE_CONT] = { CALL_TIGHT_MARIADB, NULL },
    [KW_PERCENTILE_DISC] = { CALL_TIGHT_MARIADB, NULL },
    [KW_POSITION] = { CALL_TIGHT, position },
    [KW_SESSION_USER] = { CALL_TIGHT, NULL },
    [KW_STD] = { CALL_TIGHT, NULL },
    [KW_STDDEV] = { CALL_TIGHT, NULL },
    [KW_STDDEV_POP] = { CALL_TIGHT, NULL },
    [KW_STDDEV_SAMP] = { CALL_TIGHT, NULL },
    [KW_ST_COLLECT] = { CALL_TIGHT, NULL },
    [KW_SUBDATE] = { CALL_TIGHT, NULL },
    [KW_SUBSTR] = { CALL_TIGHT, substring },
    [KW_SUBSTRING] = { CALL_TIGHT, substring },
    [KW_SUM] = { CALL_TIGHT, NULL },
    [KW_SYSDATE] = { CALL_TIGHT, NULL },
    [KW_SYSTEM_USER] = { CALL_TIGHT, NULL },
    [KW_TRIM] = { CALL_TIGHT, trim },
    [KW_VARIANCE] = { CALL_TIGHT, NULL },
    [KW_VAR_POP] = { CALL_TIGHT, NULL },
    [KW_VAR_SAMP] = { CALL_TIGHT, NULL },
};

static const bool is_unit[KEYWORD_COUNT] = {
    [KW_MICROSECOND] = true,
    [KW_SECOND] = true,
    [KW_MINUTE] = true,
    [KW_HOUR] = true,
    [KW_DAY] = true,
    [KW_WEEK] = true,
    [KW_MONTH] = true,
    [KW_QUARTER] = true,
    [KW_YEAR] = true,
    [KW_SECOND_MICROSECOND] = true,
    [KW_MINUTE_MICROSECOND] = true,
    [KW_MINUTE_SECOND] = true,
    [KW_HOUR_MICROSECOND] = true,
    [KW_HOUR_SECOND] = true,
    [KW_HOUR_MINUTE] = true,
    [KW_DAY_MICROSECOND] = true,
    [KW_DAY_SECOND] = true,
    [KW_DAY_MINUTE] = true,
    [KW_DAY_HOUR] = true,
    [KW_YEAR_MONTH] = true,
    [KW_SQL_TSI_SECOND] = true,
    [KW_SQL_TSI_MINUTE] = true,
    [KW_SQL_TSI_HOUR] = true,
    [KW_SQL_TSI_DAY] = true,
    [KW_SQL_TSI_WEEK] = true,
    [KW_SQL_TSI_MONTH] = true,
    [KW_SQL_TSI_QUARTER] = true,
    [KW_SQL_TSI_YEAR] = true,
};

bool accept_unit(struct parser *p)
{
    bool found = at_kind(p, TOKEN_IDENT) && is_unit[token_here(p)->value];
    if (found)
        advance(p);
    return found;
}

/* ---- OVER ---- */

static void frame_bound(struct parser *p, struct branch *b)
{
    if (accept_words(p, KW_CURRENT, KW_ROW))
        return;
    if (!accept_word(p, KW_UNBOUNDED))
        branch_add(b, parse_level(p, PREC_BIT_OR));
    if (!accept_word(p, KW_PRECEDING))
        expect_word(p, KW_FOLLOWING);
}

/* ROWS BETWEEN 1 PRECEDING AND CURRENT ROW */
static void frame(struct parser *p, struct branch *b)
{
    static const uint16_t units[] = { KW_ROWS, KW_RANGE, KW_GROUPS, KEYWORD_NONE };
    if (!at_word_among(p, units))
        return;
    advance(p);
    if (accept_word(p, KW_BETWEEN)) {
        frame_bound(p, b);
        expect_word(p, KW_AND);
    }
    frame_bound(p, b);
    if (accept_word(p, KW_EXCLUDE))
        skip_plain(p, true);
}

void parse_window(struct parser *p, struct branch *b)
{
    expect_sign(p, OP_LPAREN);
    if (at_name(p) && !at_word(p, KW_RANGE) && !at_word(p, KW_GROUPS) && !at_word(p, KW_ROWS))
        branch_add(b, leaf(p, N_IDENT));
    if (accept_words(p, KW_PARTITION, KW_BY))
        parse_expressions(p, b);
    parse_order_by(p, b);
    frame(p, b);
    expect_sign(p, OP_RPAREN);
}

static struct node *over(struct parser *p)
{
    struct branch b = branch_open(p, N_OVER);
    expect_word(p, KW_OVER);
    if (at_sign(p, OP_LPAREN))
        parse_window(p, &b);
    else
        branch_add(&b, parse_ident(p, "a window"));
    return branch_close(p, &b);
}

/* [WITHIN GROUP (ORDER BY …)] [FROM FIRST | LAST] [RESPECT | IGNORE NULLS] [OVER …] */
static void window_clause(struct parser *p, struct branch *b, enum keyword function)
{
    if (at_words(p, KW_WITHIN, KW_GROUP) && sign_ahead(p, 2, OP_LPAREN)) {
        p->at += 3;
        parse_order_by(p, b);
        expect_sign(p, OP_RPAREN);
    }
    if (function == KW_NTH_VALUE && !accept_words(p, KW_FROM, KW_FIRST))
        accept_words(p, KW_FROM, KW_LAST);
    if (!accept_words(p, KW_RESPECT, KW_NULLS))
        accept_words(p, KW_IGNORE, KW_NULLS);
    bool window = at_word(p, KW_OVER) && (sign_ahead(p, 1, OP_LPAREN) ||
                                          token_is_name(token_ahead(p, 1)));
    if (!window)
        return;
    b->node->flags |= NODE_F_WINDOW;
    branch_add(b, over(p));
}

/* ---- calls ---- */

static const struct call_rule *rule_of(const struct token *t)
{
    static const struct call_rule ordinary;
    return t->kind == TOKEN_IDENT ? &call_rules[t->value] : &ordinary;
}

bool at_call(const struct parser *p)
{
    const struct token *name = token_here(p);
    const struct call_rule *rule = rule_of(name);
    if (!token_is_name(name) && !(rule->flags & CALL_RESERVED))
        return false;
    if (sign_ahead(p, 1, OP_LPAREN))
        return true;
    if (sign_ahead(p, 1, OP_DOT))
        return token_is_name(name) && sign_ahead(p, 3, OP_LPAREN);
    return (rule->flags & CALL_BARE) && (name->flags & TOKEN_F_RESERVED);
}

static bool must_be_tight(const struct parser *p, const struct call_rule *rule)
{
    unsigned tight = CALL_TIGHT;
    if (p->dialect->flavour == FLAVOUR_MARIADB)
        tight |= CALL_TIGHT_MARIADB;
    return (rule->flags & tight) && !(p->dialect->modes & MODE_IGNORE_SPACE);
}

/* name(…), where name is one token. */
static void call_builtin(struct parser *p, struct branch *b, const struct call_rule *rule)
{
    advance(p);
    if (must_be_tight(p, rule) && (token_here(p)->flags & TOKEN_F_SPACE_BEFORE))
        fail_expected(p, "the parenthesis directly behind the function's name");
    if (!at_sign(p, OP_LPAREN))
        return; /* CALL_BARE */
    advance(p);
    (rule->arguments ? rule->arguments : plain)(p, b);
    expect_sign(p, OP_RPAREN);
}

/* db.name(…) is a stored function, whatever the name. */
static void call_stored(struct parser *p, struct branch *b)
{
    advance(p);
    expect_sign(p, OP_DOT);
    parse_ident_behind_dot(p);
    expect_sign(p, OP_LPAREN);
    plain(p, b);
    expect_sign(p, OP_RPAREN);
}

struct node *parse_call(struct parser *p)
{
    const struct token *name = token_here(p);
    const struct call_rule *rule = rule_of(name);
    struct branch b = branch_open(p, rule->flags & CALL_CAST ? N_CAST : N_FUNCTION);
    if (sign_ahead(p, 1, OP_DOT)) {
        b.node->kind = N_FUNCTION;
        call_stored(p, &b);
    } else
        call_builtin(p, &b, rule);
    window_clause(p, &b, name->kind == TOKEN_IDENT ? name->value : KEYWORD_NONE);
    return branch_close(p, &b);
}
