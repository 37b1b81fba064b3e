/* How mqgate reads statements, for programs that compare it with the servers (tests/peer).
 *
 * Reads from the standard input, any number of times, a line "WHAT VERSION MODES LENGTH" and the
 * statement's LENGTH bytes; MODES is a sql_mode, or - for none. Answers each with one line:
 *
 *   parse   ok KIND, or MQnnnn: why not
 *   items   ok and the items of the SELECT list (see write_item), or MQnnnn: why not
 *   groups  ok and the statement with parentheses around every operator and its operands
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "sql/tree.h"

struct statement {
    struct dialect dialect;
    struct lexed lexed;
    struct arena arena;
    struct node *root;
};

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "peer_view: %s\n", why);
    exit(1);
}

static struct slice span(const struct statement *s, const struct node *n)
{
    const struct token *first = &s->lexed.tokens[n->first], *last = &s->lexed.tokens[n->last];
    return slice_of(s->lexed.text.data + first->start, last->start + last->len - first->start);
}

/* ---- parse ---- */

static void write_kind(const struct statement *s, struct buf *out)
{
    buf_printf(out, "ok %s", node_kind_name(s->root->kind));
}

/* ---- items ---- */

static void write_hex(struct buf *out, struct slice bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        buf_printf(out, "%02x", (unsigned char)bytes.data[i]);
}

static struct slice alias_name(struct statement *s, const struct node *alias)
{
    struct slice value = slice_of("", 0);
    if (alias->child)
        return token_ident(&s->lexed, alias->child->first, &s->arena);
    token_string_value(&s->lexed, &s->dialect, alias->last, alias->last, &s->arena, &value);
    return value;
}

/* N for NULL, S for a string whose bytes mqgate knows, I for an integer, otherwise the kind of
 * the node; then the string in hex; the item's text in hex; its alias in hex. */
static void write_item(struct statement *s, const struct node *item, struct buf *out)
{
    const struct node *expr = item->kind == N_SELECT_ITEM ? item->child : item;
    const struct node *alias = item->kind == N_SELECT_ITEM ? node_find(item, N_ALIAS) : NULL;
    const char *kind = node_kind_name(expr->kind);
    struct slice value = slice_of("", 0);
    if (expr->kind == N_LITERAL) {
        bool one = expr->first == expr->last;
        if (one && s->lexed.tokens[expr->first].kind == TOKEN_INTEGER)
            kind = "I";
        else if (expr->op == KW_NULL)
            kind = "N";
        else if (token_string_value(&s->lexed, &s->dialect, expr->first, expr->last, &s->arena,
                                    &value))
            kind = "S";
    }
    buf_printf(out, " %s:", kind);
    write_hex(out, value);
    buf_append_byte(out, ':');
    write_hex(out, span(s, expr));
    buf_append_byte(out, ':');
    if (alias)
        write_hex(out, alias_name(s, alias));
    else
        buf_append_byte(out, '-');
}

static const struct node *find(const struct node *n, enum node_kind kind)
{
    const struct node *found = n->kind == kind ? n : NULL;
    for (const struct node *child = n->child; child && !found; child = child->next)
        found = find(child, kind);
    return found;
}

static void write_items(struct statement *s, struct buf *out)
{
    const struct node *list = find(s->root, N_SELECT_LIST);
    buf_append_cstr(out, list ? "ok" : "no list");
    for (const struct node *item = list ? list->child : NULL; item; item = item->next)
        write_item(s, item, out);
}

/* ---- groups ---- */

static bool is_operator(const struct node *n)
{
    switch (n->kind) {
    case N_AND:
    case N_OR:
    case N_XOR:
    case N_NOT:
    case N_COMPARE:
    case N_BINARY:
    case N_UNARY:
    case N_IS:
    case N_IN:
    case N_BETWEEN:
    case N_LIKE:
    case N_MEMBER_OF:
    case N_COLLATE:
        return true;
    default:
        return false;
    }
}

static void write_grouped(const struct statement *s, const struct node *n, struct buf *out)
{
    struct slice text = span(s, n);
    const char *at = text.data;
    buf_append_cstr(out, is_operator(n) ? "(" : "");
    for (const struct node *child = n->child; child; child = child->next) {
        struct slice inner = span(s, child);
        buf_append(out, at, (size_t)(inner.data - at));
        write_grouped(s, child, out);
        at = inner.data + inner.len;
    }
    buf_append(out, at, (size_t)(text.data + text.len - at));
    buf_append_cstr(out, is_operator(n) ? ")" : "");
}

/* ---- one statement after the other ---- */

static void answer(const char *what, struct slice text, struct dialect dialect)
{
    struct statement s = { .dialect = dialect };
    struct buf out;
    struct err err;
    buf_init(&out);
    arena_init(&s.arena);
    if (lex(text, &s.dialect, &s.arena, &s.lexed, &err) ||
        (s.lexed.params && strcmp(what, "items") == 0 &&
         err_set(&err, MQ_SYNTAX, "a parameter in a text")) ||
        parse(&s.lexed, &s.dialect, &s.arena, &s.root, &err)) {
        buf_printf(&out, "MQ%d: %s", err.code, err.text);
    } else if (strcmp(what, "parse") == 0) {
        write_kind(&s, &out);
    } else if (strcmp(what, "items") == 0) {
        write_items(&s, &out);
    } else if (strcmp(what, "groups") == 0) {
        buf_append_cstr(&out, "ok ");
        write_grouped(&s, s.root, &out);
    } else {
        give_up("an unknown question");
    }
    for (char *p = (char *)buf_begin(&out), *end = p + buf_len(&out); p < end; p++)
        if (*p == '\n' || *p == '\0')
            *p = ' ';
    fwrite(buf_begin(&out), 1, buf_len(&out), stdout);
    fputc('\n', stdout);
    arena_fini(&s.arena);
    buf_fini(&out);
}

static struct dialect dialect_named(const char *version, const char *modes)
{
    struct dialect dialect;
    if (!dialect_of_version(slice_cstr(version), &dialect))
        give_up("no version");
    if (strcmp(modes, "-") != 0 && dialect_modes(slice_cstr(modes), &dialect.modes, NULL))
        give_up("a sql_mode that mqgate refuses");
    return dialect;
}

int main(void)
{
    char what[16], version[64], modes[256];
    size_t len;
    while (scanf("%15s %63s %255s %zu", what, version, modes, &len) == 4) {
        char *text = mem_alloc(len + 1);
        if (getchar() != '\n' || fread(text, 1, len, stdin) != len)
            give_up("the input ends in a statement");
        answer(what, slice_of(text, len), dialect_named(version, modes));
        mem_free(text);
    }
    return 0;
}
