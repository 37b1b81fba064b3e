/* What the files of the parser share: the cursor over the tokens, the making of nodes, and
 * the grammar's rules. Each rule reads one construct and returns its node.
 *
 * The first error is remembered and moves the cursor to the end of the statement for good.
 * So a rule needs no error path: whatever is asked afterwards is not there, every loop ends,
 * and parse() throws the tree away. */
#ifndef MQ_SQL_PARSE_INT_H
#define MQ_SQL_PARSE_INT_H

#include "sql/tree.h"

struct parser {
    const struct lexed *lexed;
    const struct dialect *dialect;
    struct arena *arena;
    struct err *reterr;
    enum err_code failed; /* the first error, MQ_OK until then */
    uint32_t at;          /* the token to be read next */
    uint32_t depth;       /* rules that are inside one another, at most NESTING_MAX */
    uint32_t nodes;       /* made so far */
};

/* ---- the cursor ---- */

static inline const struct token *token_ahead(const struct parser *p, uint32_t distance)
{
    uint32_t left = p->lexed->count - p->at;
    return &p->lexed->tokens[p->at + (distance < left ? distance : left)];
}

static inline const struct token *token_here(const struct parser *p)
{
    return &p->lexed->tokens[p->at];
}

static inline void advance(struct parser *p)
{
    if (p->at < p->lexed->count)
        p->at++;
}

static inline bool at_kind(const struct parser *p, enum token_kind kind)
{
    return token_here(p)->kind == kind;
}

static inline bool at_word(const struct parser *p, enum keyword word)
{
    return token_is_keyword(token_here(p), word);
}

static inline bool at_sign(const struct parser *p, enum op sign)
{
    return token_is_op(token_here(p), sign);
}

static inline bool word_ahead(const struct parser *p, uint32_t distance, enum keyword word)
{
    return token_is_keyword(token_ahead(p, distance), word);
}

static inline bool sign_ahead(const struct parser *p, uint32_t distance, enum op sign)
{
    return token_is_op(token_ahead(p, distance), sign);
}

/* Two words in a row. */
static inline bool at_words(const struct parser *p, enum keyword first, enum keyword second)
{
    return at_word(p, first) && word_ahead(p, 1, second);
}

/* The end of the statement: behind the last token, or at a semicolon. */
static inline bool at_end(const struct parser *p)
{
    return at_kind(p, TOKEN_END) || at_sign(p, OP_SEMICOLON);
}

bool accept_word(struct parser *p, enum keyword word);
bool accept_words(struct parser *p, enum keyword first, enum keyword second);
bool accept_sign(struct parser *p, enum op sign);
void expect_word(struct parser *p, enum keyword word);
void expect_sign(struct parser *p, enum op sign);

/* Is the word in a list that KEYWORD_NONE ends? */
bool word_among(const struct token *t, const uint16_t *words);
static inline bool at_word_among(const struct parser *p, const uint16_t *words)
{
    return word_among(token_here(p), words);
}

/* ---- errors ---- */

/* MQ_SYNTAX: `what` should stand here. */
void fail_expected(struct parser *p, const char *what);
/* MQ_NOT_UNDERSTOOD: the construct begins here. */
void fail_not_understood(struct parser *p, const char *construct);
/* Around every rule that can contain itself: keeps the C stack and the tree shallow. */
void nest(struct parser *p);
static inline void unnest(struct parser *p)
{
    p->depth--;
}

/* ---- nodes ---- */

struct node *node_new(struct parser *p, enum node_kind kind, uint32_t first);

/* A node whose children are being read; `end` is where the next one goes. */
struct branch {
    struct node *node;
    struct node **end;
};

/* Begins a node at the token to be read next. */
struct branch branch_open(struct parser *p, enum node_kind kind);
/* Begins a node whose first child was read already. */
struct branch branch_around(struct parser *p, enum node_kind kind, struct node *child);
void branch_add(struct branch *b, struct node *child);
/* Ends the node at the last token that was read. */
struct node *branch_close(struct parser *p, struct branch *b);
/* A node of the one token to be read next. */
struct node *leaf(struct parser *p, enum node_kind kind);
/* MQ_SYNTAX, and a node to return in place of the one that is missing. */
struct node *missing(struct parser *p, const char *what);

/* ---- names ---- */

/* A quoted name, or a word that the dialect does not reserve. */
bool token_is_name(const struct token *t);
static inline bool at_name(const struct parser *p)
{
    return token_is_name(token_here(p));
}
/* The same, or a reserved word that is a column of the legacy schema. */
bool at_column_name(const struct parser *p);
struct node *parse_ident(struct parser *p, const char *what);
/* (a, b, …): adds IDENTs. */
void parse_ident_list(struct parser *p, struct branch *b, const char *what);
/* The IDENT behind a dot, where no word is reserved. */
struct node *parse_ident_behind_dot(struct parser *p);
/* CHARACTER SET, CHAR SET or CHARSET. */
bool accept_character_set(struct parser *p);
/* DISTINCT or DISTINCTROW. */
bool accept_distinct(struct parser *p);

/* Passes over words, plain literals and balanced parentheses that carry no expression (types,
 * options), up to an unbalanced parenthesis, the end or, if wanted, a comma. */
void skip_plain(struct parser *p, bool to_comma);
void skip_to_end(struct parser *p);

/* ---- expressions ---- */

/* From the weakest binding to the strongest. */
enum precedence {
    PREC_NONE, /* binds nothing */
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_NOT,
    PREC_COMPARE,
    PREC_PREDICATE, /* IN, BETWEEN, LIKE, REGEXP, MEMBER OF */
    PREC_BIT_OR,
    PREC_BIT_AND,
    PREC_SHIFT,
    PREC_ADD,
    PREC_MULTIPLY,
    PREC_BIT_XOR,
    PREC_CONCAT, /* || under PIPES_AS_CONCAT */
    PREC_UNARY,
    PREC_COLLATE,
    PREC_PATH, /* -> and ->> */
};

struct node *parse_expression(struct parser *p);
/* An expression without operators that bind weaker than `lowest`. */
struct node *parse_level(struct parser *p, enum precedence lowest);
/* Goes on behind an operand that was read already. */
struct node *parse_operators(struct parser *p, struct node *left, enum precedence lowest);
/* An operand with its prefix operators. */
struct node *parse_operand(struct parser *p);
/* What stands in parentheses within an expression: SUBQUERY, PAREN or ROW_EXPR. */
struct node *parse_parenthesis(struct parser *p);
/* The same where it must be a SUBQUERY. */
struct node *parse_subquery(struct parser *p);
/* INTERVAL 1 DAY, or the function INTERVAL(n, a, b …). */
struct node *parse_interval(struct parser *p);
struct node *parse_column(struct parser *p);
struct node *parse_literal(struct parser *p);
struct node *parse_user_variable(struct parser *p);
struct node *parse_system_variable(struct parser *p);
/* expr, expr, … */
void parse_expressions(struct parser *p, struct branch *b);

/* Does a function's name stand here, its parenthesis next? */
bool at_call(const struct parser *p);
struct node *parse_call(struct parser *p);
/* (PARTITION BY a ORDER BY b …): adds the expressions. */
void parse_window(struct parser *p, struct branch *b);
bool accept_unit(struct parser *p);

/* ---- queries ---- */

/* SELECT, WITH, TABLE or VALUES ROW: what a query within parentheses begins with. */
bool at_query(const struct parser *p);
/* Behind a query in parentheses: does the query go on around it? */
bool at_query_tail(const struct parser *p);
struct node *parse_query(struct parser *p);
/* The rest of a sub-query whose parenthesis was read: the query and `)`. */
struct node *parse_subquery_rest(struct parser *p, uint32_t first);
/* Turns a sub-query into the first branch of a query and reads on, up to `)`. */
struct node *parse_subquery_around(struct parser *p, uint32_t first, struct node *subquery);
void parse_select_items(struct parser *p, struct branch *b);
/* [(expr, …)]: the rows behind VALUES. */
void parse_rows(struct parser *p, struct branch *b);
/* Each is there or not; adds the clause. */
void parse_where(struct parser *p, struct branch *b);
void parse_order_by(struct parser *p, struct branch *b);
void parse_limit(struct parser *p, struct branch *b);

/* ---- tables ---- */

struct node *parse_name(struct parser *p);
/* t or db.t with PARTITION, no alias. */
struct node *parse_target(struct parser *p);
/* Reads on behind a table's name. */
struct node *parse_table_around(struct parser *p, struct node *name);
void parse_table_references(struct parser *p, struct branch *b);
/* (a, b): COLUMNS. */
struct node *parse_columns(struct parser *p);

/* ---- statements ---- */

struct node *parse_statement(struct parser *p);
struct node *parse_other(struct parser *p);
struct node *parse_insert(struct parser *p);
struct node *parse_update(struct parser *p, struct node *with);
struct node *parse_delete(struct parser *p, struct node *with);
/* WITH …, then SELECT, UPDATE or DELETE. */
struct node *parse_with_statement(struct parser *p);
struct node *parse_set(struct parser *p);
struct node *parse_begin(struct parser *p);
struct node *parse_start(struct parser *p);
struct node *parse_commit(struct parser *p);
struct node *parse_rollback(struct parser *p);
struct node *parse_savepoint(struct parser *p);
struct node *parse_kill(struct parser *p);
struct node *parse_unlock(struct parser *p);
struct node *parse_release(struct parser *p);
struct node *parse_use(struct parser *p);
struct node *parse_do(struct parser *p);
struct node *parse_show(struct parser *p);
struct node *parse_describe(struct parser *p);
struct node *parse_analyze(struct parser *p);
struct node *parse_create(struct parser *p);
struct node *parse_drop(struct parser *p);
struct node *parse_truncate(struct parser *p);

#endif
