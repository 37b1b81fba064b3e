/* The lexer against facts that were taken from running servers: MySQL 9.7 and MariaDB 10.11.
 * A wanted stream is written as its tokens, each a letter for the kind and the text:
 *
 *   K reserved word   k other keyword   w name        q quoted name   o operator
 *   s string          n N'…'            h hex         b bit           c introducer
 *   i integer         d decimal         f float       p parameter     u @variable   v @@
 *   l literals of IN
 *
 * or as the error's name. */
#include "sql/token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct dialect mysql80 = { FLAVOUR_MYSQL, 80036, 80036, 0 };
static const struct dialect mysql_mixed = { FLAVOUR_MYSQL, 80011, 90700, 0 };
static const struct dialect mysql97 = { FLAVOUR_MYSQL, 90700, 90700, 0 };
static const struct dialect ansi = { FLAVOUR_MYSQL, 80036, 80036, MODE_ANSI_QUOTES };
static const struct dialect raw = { FLAVOUR_MYSQL, 80036, 80036, MODE_NO_BACKSLASH_ESCAPES };
static const struct dialect maria = { FLAVOUR_MARIADB, 101106, 101106, 0 };
static const struct dialect maria_mixed = { FLAVOUR_MARIADB, 100500, 110400, 0 };

static char kind_letter(const struct token *t)
{
    static const char letters[] = "$wqsnhbidfcpuvol";
    if (t->kind == TOKEN_IDENT && t->flags & TOKEN_F_RESERVED)
        return 'K';
    return t->kind == TOKEN_IDENT && t->value ? 'k' : letters[t->kind];
}

static void describe(struct slice text, const struct dialect *dialect, struct buf *out)
{
    struct arena arena;
    struct lexed l;
    struct err err;
    arena_init(&arena);
    enum err_code code = lex(text, dialect, &arena, &l, &err);
    if (code)
        buf_append_cstr(out, err_info(code)->name);
    for (uint32_t i = 0; !code && i < l.count; i++) {
        struct slice s = token_text(&l, i);
        buf_printf(out, "%s%c:%.*s", i ? " " : "", kind_letter(&l.tokens[i]), (int)s.len, s.data);
    }
    arena_fini(&arena);
}

struct stream_case {
    const char *why;
    const struct dialect *dialect;
    const char *text, *want;
};

static void check_stream(const struct stream_case *c)
{
    struct buf got;
    buf_init(&got);
    describe(slice_cstr(c->text), c->dialect, &got);
    if (strcmp(buf_cstr(&got), c->want) != 0)
        fail_msg("%s: %s\n  want %s\n  got  %s", c->why, c->text, c->want, buf_cstr(&got));
    buf_fini(&got);
}

static void check_streams(const struct stream_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_stream(&cases[i]);
}

static void words(void **state)
{
    static const struct stream_case cases[] = {
        { "nothing", &mysql80, "", "" },
        { "only space", &mysql80, " \t\n\v\f\r", "" },
        { "keywords in any case", &mysql80,
          "Select offset FROM t", "K:Select k:offset K:FROM w:t" },
        { "MariaDB reserves offset", &maria, "select offset", "K:select K:offset" },
        { "reserved by the newest of several", &mysql_mixed, "qualify", "K:qualify" },
        { "and not yet by an older one", &mysql80, "qualify", "k:qualify" },
        { "a dot makes a name of what follows", &mysql80, "t.select", "w:t o:. w:select" },
        { "unless space stands between", &mysql80, "t. select", "w:t o:. K:select" },
        { "and of what precedes", &mysql80, "select.x", "w:select o:. w:x" },
        { "if a word follows it", &mysql80, "select.*", "K:select o:. o:*" },
        { "space before the dot", &mysql80, "select .x", "K:select o:. w:x" },
        { "three parts", &mysql80, "a.group.order", "w:a o:. w:group o:. w:order" },
        { "digits behind a dot", &mysql80, "t.1t, t.1", "w:t o:. w:1t o:, w:t o:. w:1" },
        { "a number behind a quoted name", &mysql80, "`t`.1t", "q:`t` d:.1 w:t" },
        { "a number behind a space", &mysql80, "t .1t", "w:t d:.1 w:t" },
        { "a name behind dot and space", &mysql80, "t. 1t", "w:t o:. w:1t" },
        { "quoted behind a dot", &mysql80, "t.`a`", "w:t o:. q:`a`" },
        { "no hexadecimal behind a dot", &mysql80, "t.x'41'", "w:t o:. w:x s:'41'" },
        { "dollar inside", &mysql80, "a$b $a", "w:a$b w:$a" },
        { "dollar quotes", &mysql80, "select $$", "SYNTAX" },
        { "dollar quotes with a tag", &mysql97, "$a$ x $a$", "SYNTAX" },
        { "names to MariaDB", &maria, "$$ $a$", "w:$$ w:$a$" },
        { "names that begin with digits", &mysql80, "1a 12_3 1ea", "w:1a w:12_3 w:1ea" },
        { "doubled backticks", &mysql80, "`a``b` ``", "q:`a``b` q:``" },
        { "no backslash in names", &mysql80, "`a\\` b", "q:`a\\` w:b" },
        { "quoted name without end", &mysql80, "`a``", "SYNTAX" },
        { "letters beyond ASCII", &mysql80, "gr\xc3\xb6\xc3\x9f" "e", "w:gr\xc3\xb6\xc3\x9f" "e" },
        { "no UTF-8", &mysql80, "gr\xf6\xdf" "e", "SYNTAX" },
        { "white space in latin1", &mysql80, "@a\xc2\xa0" "from t", "NOT_UNDERSTOOD" },
        { "the same inside a letter", &mysql80, "\xc3\xa0", "NOT_UNDERSTOOD" },
        { "quoted it is safe", &mysql80, "`\xc3\xa0`", "q:`\xc3\xa0`" },
        { "byte order mark", &mysql80, "\xef\xbb\xbfselect 1", "SYNTAX" },
        { "two dots", &mysql80, "a..b", "SYNTAX" },
        { "two dots between names", &maria, "a..b", "w:a o:.. w:b" },
        { "three dots", &maria, "a...b", "w:a o:.. o:. w:b" },
        { "two dots of a variable", &maria, "@@a..b", "SYNTAX" },
        { "control characters", &mysql80, "a \x01", "SYNTAX" },
        { "brackets", &mysql80, "[a]", "SYNTAX" },
        { "\\N", &maria, "select \\N", "NOT_UNDERSTOOD" },
        { "ODBC braces", &mysql80, "{d '2020-01-01'}", "o:{ w:d s:'2020-01-01' o:}" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void literals(void **state)
{
    static const struct stream_case cases[] = {
        { "both quotes", &mysql80, "'a' \"b\"", "s:'a' s:\"b\"" },
        { "doubled quotes", &mysql80, "'a''b' \"a\"\"b\"", "s:'a''b' s:\"a\"\"b\"" },
        { "the other quote inside", &mysql80, "'a\"b' \"a'b\"", "s:'a\"b' s:\"a'b\"" },
        { "adjacent strings", &mysql80, "'a' 'b'", "s:'a' s:'b'" },
        { "escapes", &mysql80, "'a\\'b' '\\\\'", "s:'a\\'b' s:'\\\\'" },
        { "an escaped quote hides the end", &mysql80, "'\\' or '1'", "SYNTAX" },
        { "backslash is a byte", &raw, "'\\' or '1'", "s:'\\' K:or s:'1'" },
        { "backslash at the end", &mysql80, "'a\\", "SYNTAX" },
        { "string without end", &mysql80, "'a''", "SYNTAX" },
        { "names in double quotes", &ansi, "\"a\"\"b\" 'c'", "q:\"a\"\"b\" s:'c'" },
        { "no escapes in those", &ansi, "\"\\\" x", "q:\"\\\" w:x" },
        { "a multibyte character before the quote", &mysql80,
          "'\xe2\x84\xaa'", "s:'\xe2\x84\xaa'" },
        { "half a character before the quote", &mysql80, "'\xe2' 1", "s:'\xe2' i:1" },
        { "national", &mysql80, "N'a' n'b' n 'c' n", "n:N'a' n:n'b' w:n s:'c' w:n" },
        { "hexadecimal", &mysql80, "X'4d' x'' 0x4D", "h:X'4d' h:x'' h:0x4D" },
        { "hexadecimal of odd length", &mysql80, "x'4'", "SYNTAX" },
        { "but bare", &mysql80, "0x4", "h:0x4" },
        { "no digit", &mysql80, "x'4g'", "SYNTAX" },
        { "a capital X is a name", &mysql80, "0X41", "w:0X41" },
        { "no digits", &mysql80, "0x 0b 0xZZ 0b2 0x1g", "w:0x w:0b w:0xZZ w:0b2 w:0x1g" },
        { "bits", &mysql80, "b'01' B'' 0b01 b", "b:b'01' b:B'' b:0b01 w:b" },
        { "no bits", &mysql80, "b'2'", "SYNTAX" },
        { "introducers", &mysql80,
          "_utf8mb4'a' _LATIN1 x'41' _binary", "c:_utf8mb4 s:'a' c:_LATIN1 h:x'41' c:_binary" },
        { "no introducers", &mysql80,
          "_nosuch t._utf8 _ __a", "w:_nosuch w:t o:. w:_utf8 w:_ w:__a" },
        { "a set of MariaDB's", &maria, "_filename _gb18030", "c:_filename w:_gb18030" },
        { "a set of MySQL's", &mysql80, "_filename _gb18030", "w:_filename c:_gb18030" },
        { "integers", &mysql80, "0 12 18446744073709551616", "i:0 i:12 i:18446744073709551616" },
        { "decimals", &mysql80, "1.5 .5 1. 1.a", "d:1.5 d:.5 d:1. d:1. w:a" },
        { "floats", &mysql80, "1e5 1E+5 1.5e-5 .5e1 1.e5", "f:1e5 f:1E+5 f:1.5e-5 f:.5e1 f:1.e5" },
        { "not quite a float", &mysql80, "1e 1e+ 1e+x", "w:1e w:1e o:+ w:1e o:+ w:x" },
        { "a word behind a float", &mysql80, "1e5abc 1e5.5", "f:1e5 w:abc f:1e5 d:.5" },
        { "MySQL drops this", &mysql80, "1.5e(2)", "SYNTAX" },
        { "and this", &mysql80, ".5e+", "SYNTAX" },
        { "a range", &maria, "1..2 1 .. 2 1.5..2", "i:1 o:.. i:2 i:1 o:.. i:2 d:1.5 o:.. i:2" },
        { "no range to MySQL", &mysql80, "1..2", "SYNTAX" },
        { "parameters", &mysql80, "? ?,(?)", "p:? p:? o:, o:( p:? o:)" },
        { "a parameter before a word", &mysql80, "?a", "SYNTAX" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void operators(void **state)
{
    static const struct stream_case cases[] = {
        { "comparisons", &mysql80,
          "= < > <= >= <> != <=> !", "o:= o:< o:> o:<= o:>= o:<> o:!= o:<=> o:!" },
        { "shifts", &mysql80, "1<<2>>3", "i:1 o:<< i:2 o:>> i:3" },
        { "three less-than signs", &mysql80, "<<<", "o:<< o:<" },
        { "a bang behind two characters", &mysql80,
          "1>=!0 1<=>!0", "i:1 o:>= o:! i:0 i:1 o:<=> o:! i:0" },
        { "MySQL drops the bang", &mysql80, "1=!0", "SYNTAX" },
        { "here as well", &mysql80, "1<=!0", "SYNTAX" },
        { "and one of these", &mysql80, "!!1", "SYNTAX" },
        { "MariaDB would not", &maria, "1=!0", "SYNTAX" },
        { "once and twice", &mysql80, "& && | ||", "o:& o:&& o:| o:||" },
        { "arrows", &mysql80, "a->'$' a->>'$'", "w:a o:-> s:'$' w:a o:->> s:'$'" },
        { "assignment", &mysql80, "@a:=1 :", "u:@a o::= i:1 o::" },
        { "the rest", &mysql80, "+-*/%^~(),;", "o:+ o:- o:* o:/ o:% o:^ o:~ o:( o:) o:, o:;" },
        { "star and slash outside a comment", &mysql80, "*/", "o:* o:/" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void variables(void **state)
{
    static const struct stream_case cases[] = {
        { "names", &mysql80, "@a @a.b$_1 @1", "u:@a u:@a.b$_1 u:@1" },
        { "quoted", &mysql80, "@'a b' @`a``b` @\"a\"", "u:@'a b' u:@`a``b` u:@\"a\"" },
        { "quoted with escapes", &mysql80, "@'a\\'b'", "u:@'a\\'b'" },
        { "a quoted name has none", &ansi, "@\"a\\\" b", "u:@\"a\\\" w:b" },
        { "no name", &mysql80, "@ a", "SYNTAX" },
        { "nothing behind", &mysql80, "@", "SYNTAX" },
        { "an empty name", &mysql80, "@'' @``", "u:@'' u:@``" },
        { "not for MariaDB", &maria, "@''", "SYNTAX" },
        { "a user's host", &mysql80, "root@localhost 'a'@'%'", "w:root u:@localhost s:'a' u:@'%'" },
        { "system", &mysql80, "@@x @@global.read_only", "v:@@ w:x v:@@ k:global o:. w:read_only" },
        { "system with a reserved word behind", &mysql80,
          "@@session.sql_big_result", "v:@@ k:session o:. w:sql_big_result" },
        { "quoted system", &mysql80, "@@`x`", "v:@@ q:`x`" },
        { "no system name", &mysql80, "@@ x", "SYNTAX" },
        { "three signs", &mysql80, "@@@x", "SYNTAX" },
        { "no string there", &mysql80, "@@'x'", "SYNTAX" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void comments(void **state)
{
    static const struct stream_case cases[] = {
        { "as white space", &mysql80, "select/**/1", "K:select i:1" },
        { "not nested", &mysql80, "1/* /* */2", "i:1 i:2" },
        { "a slash does not close", &mysql80, "1/*/ 2 */", "i:1" },
        { "stars", &mysql80, "1/***/2", "i:1 i:2" },
        { "without end", &mysql80, "1 /* 2", "SYNTAX" },
        { "nearly", &mysql80, "1 /*", "SYNTAX" },
        { "hash", &mysql80, "1 # 2 '\n3", "i:1 i:3" },
        { "hash to the end", &mysql80, "1 # '", "i:1" },
        { "hash ends a word", &mysql80, "a#b", "w:a" },
        { "dashes and space", &mysql80, "1 -- 2\n3", "i:1 i:3" },
        { "dashes and tab", &mysql80, "1 --\t2\n3", "i:1 i:3" },
        { "dashes and line end", &mysql80, "1 --\n3", "i:1 i:3" },
        { "dashes and a control character", &mysql80, "1 --\x01" "2", "i:1" },
        { "dashes and DEL", &mysql80, "1 --\x7f" "2", "i:1" },
        { "dashes at the end", &mysql80, "1 --", "i:1" },
        { "dashes without space", &mysql80, "1--5 --a", "i:1 o:- o:- i:5 o:- o:- w:a" },
        { "a letter or a control character", &mysql80, "1--\xc3\xa9", "NOT_UNDERSTOOD" },
        { "carriage return does not end it", &mysql80, "1 -- 2\r3", "i:1" },
        { "a comment inside a string", &mysql80,
          "'/*' 1 '*/' '-- ' '#'", "s:'/*' i:1 s:'*/' s:'-- ' s:'#'" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void hints(void **state)
{
    static const struct stream_case cases[] = {
        { "a hint", &mysql80, "select /*+ NO_MERGE(`t`) */ 1", "K:select i:1" },
        { "short", &mysql80, "select /*+*/ 1", "K:select i:1" },
        { "a string", &mysql80, "select /*+ SET_VAR(time_zone='+01:00') */ 1", "K:select i:1" },
        { "its end in quotes", &mysql80, "select /*+ '*/ 1, ' */ 2", "NOT_UNDERSTOOD" },
        { "a quote in other quotes", &mysql80,
          "select /*+ \"a' b\" */ 2 /* ' */", "NOT_UNDERSTOOD" },
        { "one quote", &mysql80, "select /*+ ` */ 1", "NOT_UNDERSTOOD" },
        { "without end", &mysql80, "select /*+ x", "SYNTAX" },
        { "sql_mode", &mysql80,
          "select /*+ SET_VAR(Sql_Mode=ANSI_QUOTES) */ 1", "SQL_MODE_UNSAFE" },
        { "sql_mode with accents", &mysql80,
          "select /*+ Set_Var(sql_m\u00f3de=ANSI_QUOTES) */ 1", "SQL_MODE_UNSAFE" },
        { "accents elsewhere", &mysql80, "select /*+ NO_MERGE(`\u00e9`) */ 1", "K:select i:1" },
        { "what stays off", &mysql80,
          "select /*+ SET_VAR(sql_auto_is_null=1) */ 1", "VARIABLE_VALUE" },
        { "a counter", &mysql80,
          "insert /*+ SET_VAR(insert_id = 18446744073709551615) */ into t", "COUNTER_VALUE" },
        { "a counter's step", &mysql80,
          "insert /*+ SET_VAR(auto_increment_increment = 65535) */ into t", "COUNTER_VALUE" },
        { "an index", &mysql80, "select /*+ NO_MERGE(t) index(t i) */ 1", "NOT_UNDERSTOOD" },
        { "no index", &mysql80, "select /*+ NO_ORDER_INDEX(t PRIMARY) */ 1", "NOT_UNDERSTOOD" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void versioned_comments(void **state)
{
    static const struct stream_case cases[] = {
        { "code", &mysql80, "1 /*! +1 */", "i:1 o:+ i:1" },
        { "code to both", &maria, "1 /*! +1 */", "i:1 o:+ i:1" },
        { "of an old version", &mysql80, "1 /*!50000 +1 */", "i:1 o:+ i:1" },
        { "no space needed", &mysql80, "1 /*!50000+1*/", "i:1 o:+ i:1" },
        { "a digit that is no version", &mysql80, "1 /*!5000 +1 */", "i:1 i:5000 o:+ i:1" },
        { "of a version to come", &mysql80, "1 /*!99999 +1 */", "i:1" },
        { "of this version", &mysql80, "1 /*!80036 +1 */", "i:1 o:+ i:1" },
        { "of the next", &mysql80, "1 /*!80037 +1 */", "i:1" },
        { "servers differ", &mysql_mixed, "1 /*!80036 +1 */", "VERSIONED_COMMENT" },
        { "all have it", &mysql_mixed, "1 /*!80011 +1 */", "i:1 o:+ i:1" },
        { "none has it", &mysql_mixed, "1 /*!90701 +1 */", "i:1" },
        { "MariaDB ignores 5.7 and later", &maria, "1 /*!50700 +1 */ /*!80013 x */", "i:1" },
        { "not 5.6", &maria, "1 /*!50699 +1 */", "i:1 o:+ i:1" },
        { "six digits", &maria, "1 /*!100100 +1 */", "i:1 o:+ i:1" },
        { "six digits without space", &maria, "1 /*!100100+1 */", "i:1 o:+ i:1" },
        { "six digits to come", &maria, "1 /*!120000 +1 */", "i:1" },
        { "six digits with a zero", &maria, "1 /*!080013 +1 */", "i:1" },
        { "MariaDB's servers differ", &maria_mixed, "1 /*!100600 +1 */", "VERSIONED_COMMENT" },
        { "MariaDB's own", &maria, "1 /*M! +1 */ /*M!50700 +2 */", "i:1 o:+ i:1 o:+ i:2" },
        { "MariaDB's own to come", &maria, "1 /*M!120000 +1 */", "i:1" },
        { "a small m", &maria, "1 /*m! +1 */", "i:1" },
        { "a comment to MySQL", &mysql80, "1 /*M! +1 */", "i:1" },
        { "Galera's number", &maria, "1 /*!99997 +1 */", "VERSIONED_COMMENT" },
        { "MySQL reads five digits or six", &mysql97, "1 /*!080013 +1 */", "VERSIONED_COMMENT" },
        { "the same, more than one way", &mysql80, "1 /*!100100 +1 */", "VERSIONED_COMMENT" },
        { "either way to come", &mysql80, "/*!999999\\- enable the sandbox mode */ 1", "i:1" },
        { "all zeros", &mysql80, "1 /*!000000 +1 */", "VERSIONED_COMMENT" },
        { "a comment inside", &mysql80, "1 /*! /* x */ +1 */", "i:1 o:+ i:1" },
        { "one inside what is ignored", &mysql80, "1 /*!99999 /* */ +1 */ 2", "i:1 i:2" },
        { "two are too many", &mysql80, "1 /*!99999 /* /* */ */ 2", "i:1 i:2" },
        { "ignored inside code", &mysql80, "1 /*! /*!99999 9 */ +1 */", "i:1 o:+ i:1" },
        { "one end ends both", &mysql80, "1 /*! /*! +1 */ +1", "i:1 o:+ i:1 o:+ i:1" },
        { "so this is too much", &mysql80, "/*! /*! 1 */ */", "i:1 o:* o:/" },
        { "a line comment hides the end", &mysql80, "/*! 1 -- */ \n */ 2", "i:1 i:2" },
        { "a string hides the end", &mysql80, "/*! '*/' */ 2", "s:'*/' i:2" },
        { "a hint inside", &mysql80, "/*! select /*+ a */ 5 */", "K:select i:5" },
        { "code without end", &mysql80, "/*!50000 1", "SYNTAX" },
        { "ignored without end", &mysql80, "/*!99999 1", "SYNTAX" },
        { "ignored, nested without end", &mysql80, "/*!99999 /* */", "SYNTAX" },
        { "nothing but the beginning", &mysql80, "/*!", "SYNTAX" },
    };
    (void)state;
    check_streams(cases, COUNT(cases));
}

static void nul_bytes(void **state)
{
    static const struct {
        const char *why, *text;
        size_t len;
        const char *want;
    } cases[] = {
        { "at the end", "1\0", 2, "SYNTAX" },
        { "between tokens", "1 \0 2", 5, "SYNTAX" },
        { "behind a hash", "1 # \0 2", 7, "SYNTAX" },
        { "behind dashes", "1 -- \0, 2", 9, "SYNTAX" },
        { "in a quoted name", "`\0`", 3, "SYNTAX" },
        { "in a quoted variable", "@`\0`", 4, "SYNTAX" },
        { "in a hint", "1/*+ \0 */", 9, "NOT_UNDERSTOOD" },
        { "behind dashes at once", "1 --\0", 5, "SYNTAX" },
    };
    struct buf got;
    (void)state;
    buf_init(&got);
    for (size_t i = 0; i < COUNT(cases); i++) {
        buf_clear(&got);
        describe(slice_of(cases[i].text, cases[i].len), &mysql80, &got);
        if (strcmp(buf_cstr(&got), cases[i].want) != 0)
            fail_msg("NUL %s: %s", cases[i].why, buf_cstr(&got));
    }
    buf_clear(&got);
    describe(SLICE_LIT("1 /* \0 */ + '\0'"), &mysql80, &got);
    assert_int_equal(strncmp(buf_cstr(&got), "i:1 o:+ s:'", 11), 0);
    buf_fini(&got);
}

static void flags_and_counts(void **state)
{
    struct arena arena;
    struct lexed l;
    (void)state;
    arena_init(&arena);
    struct slice text = SLICE_LIT("f(?)/**/g /*! (?*/x");
    assert_int_equal(lex(text, &mysql80, &arena, &l, NULL), MQ_OK);
    static const uint8_t want[] = { 0, 0, 0, 0, TOKEN_F_SPACE_BEFORE,
                                    TOKEN_F_SPACE_BEFORE | TOKEN_F_IN_COMMENT, TOKEN_F_IN_COMMENT,
                                    TOKEN_F_SPACE_BEFORE };
    assert_int_equal(l.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(l.tokens[i].flags, want[i]);
    assert_int_equal(l.params, 2);
    assert_int_equal(l.tokens[l.count].kind, TOKEN_END);
    assert_int_equal(l.tokens[l.count].start, text.len);
    arena_fini(&arena);
}

static void messages_name_the_place(void **state)
{
    struct arena arena;
    struct lexed l;
    struct err err;
    (void)state;
    arena_init(&arena);
    assert_int_equal(lex(SLICE_LIT("select 1, [x] from t"), &mysql80, &arena, &l, &err), MQ_SYNTAX);
    assert_non_null(strstr(err.text, "at byte 11 near '[x] from t'"));
    assert_int_equal(lex(SLICE_LIT("'\x01\xff"), &mysql80, &arena, &l, &err), MQ_SYNTAX);
    assert_non_null(strstr(err.text, "at byte 1 near ''..'"));
    arena_fini(&arena);
}

/* ---- fingerprints ---- */

static void fingerprints(void **state)
{
    static const struct {
        const char *why, *a, *b;
        bool same;
    } cases[] = {
        { "values", "select 'a', 1, x'41'", "select 'bcd', 22, x''", true },
        { "white space and comments", "select a /* x */ from t", "select\n a from t -- y", true },
        { "case of reserved words", "SELECT a FROM t", "select a from t", true },
        { "case of names", "select A", "select a", false },
        { "names", "select a", "select b", false },
        { "long names that begin alike", "select abcdefgh1", "select abcdefgh2", false },
        { "names and quoted names", "select a", "select `a`", false },
        { "kinds of literals", "select 1", "select '1'", false },
        { "integers and floats", "select 1", "select 1e0", false },
        { "parameters are no literals", "select ?", "select 1", false },
        { "number of literals", "select 1, 2", "select 1", false },
        { "NULL is no literal", "select null", "select true", false },
        { "operators", "select a = 1", "select a < 1", false },
        { "variables", "select @a", "select @b", false },
        { "introducers", "select _utf8mb4'a'", "select _latin1'a'", false },
        { "space before a parenthesis", "select count(*)", "select count (*)", false },
        { "but not elsewhere", "select (1), (2)", "select (1),(2)", false },
        { "space before a comma", "select a , b", "select a,b", true },
        { "code inside a comment", "select /*! a */ b", "select a b", false },
        { "reserved word or name", "select t.order", "select t. order", false },
        { "where one name ends", "select ab c", "select a bc", false },
        { "a comment and nothing", "/* a */", "", false },
        { "comments alone", "/* a */", "/*!99999 b */ -- c", true },
    };
    struct arena arena;
    struct lexed a, b;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(lex(slice_cstr(cases[i].a), &mysql80, &arena, &a, NULL), MQ_OK);
        assert_int_equal(lex(slice_cstr(cases[i].b), &mysql80, &arena, &b, NULL), MQ_OK);
        if ((a.fingerprint == b.fingerprint) != cases[i].same)
            fail_msg("fingerprint: %s", cases[i].why);
        if (lexed_same(&a, &b) != cases[i].same)
            fail_msg("lexed_same: %s", cases[i].why);
        b.fingerprint = a.fingerprint; /* as if they collided */
        if (lexed_same(&a, &b) != cases[i].same)
            fail_msg("lexed_same does not look itself: %s", cases[i].why);
    }
    arena_fini(&arena);
}

/* ---- sqlcommenter ---- */

static void comment_tenants(void **state)
{
    static const struct {
        const char *why, *text, *want; /* NULL: none; "!": bad */
    } cases[] = {
        { "none", "select 1", NULL },
        { "another comment", "select 1 /* hello */", NULL },
        { "encoded", "select 1 /*tenant='monorepo%2Fmain',action='x'*/", "monorepo/main" },
        { "in front", "/*tenant='a'*/ select 1", "a" },
        { "in the middle, with spaces", "select /* action = 'x' , tenant = 'a' */ 1", "a" },
        { "in a versioned comment", "select /*! /*tenant='a'*/ 1 */", "a" },
        { "not in one that is ignored", "select 1 /*!99999 tenant='a' */", NULL },
        { "not in a string", "select '/*tenant=\\'a\\'*/'", NULL },
        { "not behind dashes", "select 1 -- tenant='a'", NULL },
        { "a quote in it", "select 1 /*tenant='a\\'b'*/", "a'b" },
        { "a backslash in it", "select 1 /*tenant='a\\\\'*/", "a\\" },
        { "plus is plus", "select 1 /*tenant='a+b'*/", "a+b" },
        { "empty", "select 1 /*tenant=''*/", "" },
        { "twice the same", "select 1 /*tenant='a'*/ /*tenant='%61'*/", "a" },
        { "twice and different", "select 1 /*tenant='a'*/ /*tenant='b'*/", "!" },
        { "different within one", "select 1 /*tenant='a',tenant='b'*/", "!" },
        { "no quotes", "select 1 /*tenant=a*/", "!" },
        { "no closing quote", "select 1 /*tenant='a*/", "!" },
        { "half a code", "select 1 /*tenant='a%2'*/", "!" },
        { "no code", "select 1 /*tenant='a%zz'*/", "!" },
        { "something behind", "select 1 /*tenant='a' x*/", "!" },
        { "something before", "select 1 /* see tenant='a' */", "!" },
        { "a comma too many", "select 1 /*tenant='a',*/", "!" },
        { "another key", "select 1 /*tenants='a'*/", NULL },
        { "case counts", "select 1 /*Tenant='a'*/", NULL },
        { "only the word", "select 1 /* by tenant */", NULL },
    };
    struct arena arena;
    struct lexed l;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *want = cases[i].want;
        assert_int_equal(lex(slice_cstr(cases[i].text), &mysql80, &arena, &l, NULL), MQ_OK);
        if (l.has_comment_tenant != (want != NULL) ||
            l.comment_tenant_bad != (want && want[0] == '!'))
            fail_msg("sqlcommenter: %s", cases[i].why);
        if (want && want[0] != '!' && !slice_eq(l.comment_tenant, slice_cstr(want)))
            fail_msg("sqlcommenter: %s: %.*s", cases[i].why, (int)l.comment_tenant.len,
                     l.comment_tenant.data);
    }
    arena_fini(&arena);
}

/* Those that do no harm are not told of. */
static void directives(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "select 1", "" },
        { "select /*vt+ PRIORITY=5 workload_name=a */ 1", "" },
        { "select /*vt+*/ 1", "" },
        { "select /* vt+ ALLOW_SCATTER */ 1", "" },
        { "select '/*vt+ ALLOW_SCATTER */'", "" },
        { "select /*vt+ ALLOW_SCATTER */ 1", "ALLOW_SCATTER" },
        { "select /*vt+allow_scatter=1*/ 1", "allow_scatter=1" },
        { "select /*VT+ ALLOW_SCATTER */ 1", "ALLOW_SCATTER" },
        { "select 1 /*vt+ PRIORITY=5\tSCATTER_ERRORS_AS_WARNINGS=1 */", "SCATTER_ERRORS_AS_WARNINGS=1" },
        { "select 1 where 1 in (1, /*vt+ ALLOW_SCATTER */ 2)", "ALLOW_SCATTER" },
        { "select /*vt+ PRIORITY=1 */ /*vt+ NEW_ONE */ 1", "NEW_ONE" },
        { "select /*vt+ PRIORITY=1\xc2\xa0""ALLOW_SCATTER */ 1", "" },
        { "select /*vt+ =1 */ 1", "=1" },
    };
    struct arena arena;
    struct lexed l;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(lex(slice_cstr(cases[i].text), &mysql80, &arena, &l, NULL), MQ_OK);
        if (!slice_eq(l.directive, slice_cstr(cases[i].want)))
            fail_msg("%s: %.*s", cases[i].text, (int)l.directive.len, l.directive.data);
    }
    arena_fini(&arena);
}

/* ---- what tokens stand for ---- */

static void string_values(void **state)
{
    static const struct {
        const char *why;
        const struct dialect *dialect;
        const char *text, *want; /* NULL: not known */
    } cases[] = {
        { "plain", &mysql80, "'abc'", "abc" },
        { "empty", &mysql80, "''", "" },
        { "doubled quotes", &mysql80, "'a''b'", "a'b" },
        { "the other quote", &mysql80, "\"a''b\"\"c\"", "a''b\"c" },
        { "escapes", &mysql80, "'\\n\\t\\r\\b\\Z\\'\\\"\\\\\\x'", "\n\t\r\b\x1a'\"\\x" },
        { "wildcards keep their backslash", &mysql80, "'\\%\\_'", "\\%\\_" },
        { "no escapes", &raw, "'a\\n'", "a\\n" },
        { "adjacent", &mysql80, "'a' \"b\" 'c'", "abc" },
        { "national and adjacent", &mysql80, "N'a' 'b'", "ab" },
        { "national beyond ASCII", &mysql80, "N'\xc3\xa9'", NULL },
        { "beyond ASCII", &mysql80, "'\xc3\xa9'", "\xc3\xa9" },
        { "hexadecimal", &mysql80, "X'4d4E'", "MN" },
        { "bare hexadecimal", &mysql80, "0x4d4E", "MN" },
        { "odd hexadecimal", &mysql80, "0xA41", "\nA" },
        { "introduced", &mysql80, "_utf8mb4'a' 'b'", "ab" },
        { "introduced hexadecimal", &mysql80, "_binary X'41'", "A" },
        { "introduced beyond ASCII", &mysql80, "_latin1'\xc3\xa9'", NULL },
        { "another character set", &mysql80, "_ucs2'a'", NULL },
        { "introducer alone", &mysql80, "_utf8mb4", NULL },
        { "two hexadecimals", &mysql80, "X'41' X'42'", NULL },
        { "a number", &mysql80, "1", NULL },
        { "bits", &mysql80, "b'01'", NULL },
        { "a name", &ansi, "\"a\"", NULL },
        { "an expression", &mysql80, "'a' + 'b'", NULL },
        { "a parameter", &mysql80, "?", NULL },
    };
    struct arena arena;
    struct lexed l;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct slice got = SLICE_LIT("");
        assert_int_equal(lex(slice_cstr(cases[i].text), cases[i].dialect, &arena, &l, NULL), MQ_OK);
        bool known = token_string_value(&l, cases[i].dialect, 0, l.count - 1, &arena, &got);
        if (known != (cases[i].want != NULL) ||
            (known && !slice_eq(got, slice_cstr(cases[i].want))))
            fail_msg("%s: %s: %.*s", cases[i].why, cases[i].text, (int)got.len, got.data);
    }
    struct slice got;
    assert_int_equal(lex(SLICE_LIT("'a\\0b'"), &mysql80, &arena, &l, NULL), MQ_OK);
    assert_true(token_string_value(&l, &mysql80, 0, 0, &arena, &got));
    assert_true(slice_eq(got, SLICE_LIT("a\0b")));
    assert_false(token_string_value(&l, &mysql80, 0, 1, &arena, &got));
    arena_fini(&arena);
}

static void names(void **state)
{
    static const struct {
        const char *text, *want;
        bool is_topic;
    } cases[] = {
        { "topic", "topic", true },         { "TOPIC", "TOPIC", true },
        { "`Topic`", "Topic", true },       { "top`", NULL, false },
        { "`a``b````c`", "a`b``c", false }, { "``", "", false },
        { "topics", "topics", false },      { "topi", "topi", false },
        { "\"topic\"", "topic", true },     { "\"a\"\"b\"", "a\"b", false },
        { "'topic'", NULL, false },         { "`top\xc4\xb0" "c`", "top\xc4\xb0" "c", true },
        { "`top\xc4\xb1" "c`", "top\xc4\xb1" "c", false },
        { "`topic `", "topic ", false },    { "t\xc3\xb6pic", "t\xc3\xb6pic", false },
    };
    struct arena arena;
    struct lexed l;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (lex(slice_cstr(cases[i].text), &ansi, &arena, &l, NULL))
            continue;
        assert_int_equal(token_is_ident(&l, 0, "topic"), cases[i].is_topic);
        if (cases[i].want)
            assert_true(slice_eq(token_ident(&l, 0, &arena), slice_cstr(cases[i].want)));
    }
    assert_int_equal(lex(SLICE_LIT("`ac\xe2\x84\xaa" "ed`"), &mysql80, &arena, &l, NULL), MQ_OK);
    assert_true(token_is_ident(&l, 0, "acked"));
    arena_fini(&arena);
}

/* ---- words that the lexer knows ---- */

static void every_keyword_is_found(void **state)
{
    (void)state;
    for (int kw = KEYWORD_NONE + 1; kw < KEYWORD_COUNT; kw++) {
        char word[64];
        const char *text = keyword_text((enum keyword)kw);
        snprintf(word, sizeof word, "%s", text);
        if (keyword_find(slice_cstr(word)) != (enum keyword)kw)
            fail_msg("%s: run sql/keyword_hash.py", text);
        for (char *c = word; *c; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c - 'A' + 'a');
        assert_int_equal(keyword_find(slice_cstr(word)), kw);
        word[strlen(word) - 1] = '$';
        assert_int_equal(keyword_find(slice_cstr(word)), KEYWORD_NONE);
    }
    assert_int_equal(keyword_find(SLICE_LIT("partition_key")), KEYWORD_NONE);
    assert_int_equal(keyword_find(SLICE_LIT("")), KEYWORD_NONE);
    assert_string_equal(keyword_text(KEYWORD_NONE), "");
    assert_string_equal(operator_text(OP_NULL_SAFE_EQ), "<=>");
}

static void reserved_words(void **state)
{
    static const struct {
        enum keyword kw;
        const struct dialect *dialect;
        bool want;
    } cases[] = {
        { KW_SELECT, &mysql80, true },    { KW_SELECT, &maria, true },
        { KW_OFFSET, &mysql97, false },   { KW_OFFSET, &maria, true },
        { KW_LATERAL, &mysql80, true },   { KW_LATERAL, &maria, false },
        { KW_QUALIFY, &mysql80, false },  { KW_QUALIFY, &mysql97, true },
        { KW_QUALIFY, &mysql_mixed, true }, { KW_STATUS, &mysql80, false },
        { KEYWORD_NONE, &mysql80, false }, { KW_RETURNING, &maria, true },
        { KW_RETURNING, &mysql80, false },
    };
    static const struct dialect before_lateral = { FLAVOUR_MYSQL, 80011, 80013, 0 };
    static const struct dialect maria_105 = { FLAVOUR_MARIADB, 100500, 100500, 0 };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (keyword_reserved(cases[i].kw, cases[i].dialect) != cases[i].want)
            fail_msg("%s", keyword_text(cases[i].kw));
    assert_false(keyword_reserved(KW_LATERAL, &before_lateral));
    assert_false(keyword_reserved(KW_OFFSET, &maria_105));
}

static void builtin_functions(void **state)
{
    static const char *const known[] = {
        "count",          "ABS",      "Json_Extract", "yearweek",
        "last_insert_id", "database", "sleep",        "if",       "uuid_to_bin",
    };
    static const char *const unknown[] = {
        "values_",         "load_file", "get_lock", "release_all_locks",
        "master_pos_wait", "sys_exec",  "",         "absolute",          "ab",
    };
    struct dialect mysql = dialect_default(), mariadb = mysql;
    (void)state;
    mariadb.flavour = FLAVOUR_MARIADB;
    mariadb.version_min = mariadb.version_max = 101106;
    for (size_t i = 0; i < COUNT(known); i++)
        if (!function_is_builtin(slice_cstr(known[i]), &mysql))
            fail_msg("%s", known[i]);
    for (size_t i = 0; i < COUNT(unknown); i++)
        if (function_is_builtin(slice_cstr(unknown[i]), &mysql))
            fail_msg("%s", unknown[i]);
    assert_false(function_is_builtin(SLICE_LIT("ABS\0"), &mysql));
    /* What one flavour, or an older version, does not have would be a stored function. */
    assert_false(function_is_builtin(SLICE_LIT("nvl"), &mysql));
    assert_true(function_is_builtin(SLICE_LIT("nvl"), &mariadb));
    assert_false(function_is_builtin(SLICE_LIT("uuid_to_bin"), &mariadb));
    assert_false(function_is_builtin(SLICE_LIT("uuid_v7"), &mariadb));
    mariadb.version_min = 110700;
    assert_true(function_is_builtin(SLICE_LIT("uuid_v7"), &mariadb));
}

static void functions_are_sorted(void **state)
{
    static const char *const rows[] = {
#define FUNCTION_ROW(name, mysql, mariadb) #name,
#include "sql/functions.def"
#undef FUNCTION_ROW
    };
    (void)state;
    for (size_t i = 1; i < COUNT(rows); i++)
        assert_true(strcmp(rows[i - 1], rows[i]) < 0);
}

/* ---- size ---- */

static char *repeated(const char *unit, size_t count)
{
    size_t len = strlen(unit);
    char *text = malloc(len * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, unit, len);
    text[len * count] = '\0';
    return text;
}

static void large_texts(void **state)
{
    static const struct {
        const char *why, *unit;
        size_t repeat;
        enum err_code want;
        uint32_t count;
    } cases[] = {
        { "spaces", " ", 16 << 20, MQ_OK, 0 },
        { "many tokens", "a,", 500000, MQ_OK, 1000000 },
        { "too many tokens", ",", TOKENS_MAX + 100, MQ_TOO_COMPLEX, 0 },
        { "backslashes", "'\\\\\\\\\\\\\\\\' ", 200000, MQ_OK, 200000 },
        { "a string of quotes", "''", 1000000, MQ_OK, 1 },
        { "backslashes without end", "'\\", 1000001, MQ_SYNTAX, 0 },
        { "comments", "/**/", 1000000, MQ_OK, 0 },
        { "open comments", "/*!", 1000000, MQ_SYNTAX, 0 },
        { "a long word", "a", 1 << 20, MQ_OK, 1 },
        { "open hints", "/*+ ", 1000000, MQ_SYNTAX, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct lexed l;
        arena_init(&arena);
        char *text = repeated(cases[i].unit, cases[i].repeat);
        if (lex(slice_cstr(text), &mysql80, &arena, &l, NULL) != cases[i].want)
            fail_msg("%s", cases[i].why);
        if (cases[i].want == MQ_OK)
            assert_int_equal(l.count, cases[i].count);
        free(text);
        arena_fini(&arena);
    }
}

/* Statements of a text, each in brackets as it is cut off, then an error's name, if any. */
static void describe_statements(struct slice text, const struct dialect *dialect, struct buf *out)
{
    struct arena arena;
    struct lexed l, alone;
    struct slice rest = text;
    enum err_code code;
    arena_init(&arena);
    do {
        code = lex_first(rest, dialect, &arena, &l, &rest, NULL);
        if (code) {
            buf_append_cstr(out, err_info(code)->name);
            break;
        }
        buf_printf(out, "[%.*s]", (int)l.text.len, l.text.data);
        if (l.has_comment_tenant)
            buf_printf(out, "=%.*s", (int)l.comment_tenant.len, l.comment_tenant.data);
        assert_int_equal(lex(l.text, dialect, &arena, &alone, NULL), MQ_OK);
        assert_true(lexed_same(&l, &alone));
        assert_int_equal(l.fingerprint, alone.fingerprint);
    } while (rest.len);
    arena_fini(&arena);
}

static void several_statements(void **state)
{
    (void)state;
    static const struct stream_case cases[] = {
        { "one", &mysql80, "SELECT 1", "[SELECT 1]" },
        { "none", &mysql80, " ", "[ ]" },
        { "one with its end", &mysql80, "SELECT 1 ; ", "[SELECT 1 ; ]" },
        { "two", &mysql80, "SELECT 1;\n SELECT 2", "[SELECT 1][SELECT 2]" },
        { "without space", &mysql80, "a;b;c", "[a][b][c]" },
        { "in strings and names", &mysql80, "a ';' \";\" `;` b;c", "[a ';' \";\" `;` b][c]" },
        { "in comments", &mysql80, "a /*;*/ -- ;\n # ;\n ;c", "[a /*;*/ -- ;\n # ;\n ][c]" },
        { "in a list", &mysql80, "a IN (1, ';', 2);b", "[a IN (1, ';', 2)][b]" },
        { "in parentheses", &mysql80, "a IN (1;b", "[a IN (1][b]" },
        { "behind an escaped quote", &mysql80, "'\\';' ;b", "['\\';' ][b]" },
        { "behind a backslash", &raw, "'\\';b", "['\\'][b]" },
        { "no comment before it", &mysql80, "a --; b", "SYNTAX" },
        { "empty first", &mysql80, ";a", "SYNTAX" },
        { "empty within", &mysql80, "a; ;b", "[a]SYNTAX" },
        { "only a comment within", &mysql80, "a;/*x*/;b", "[a]SYNTAX" },
        { "comments behind the last", &mysql80, "a; /*x*/ -- y", "[a][/*x*/ -- y]" },
        { "skipped code behind the last", &mysql80, "a; /*!99999 x */", "[a][/*!99999 x */]" },
        { "space behind the last", &mysql80, "a; ", "[a; ]" },
        { "an open string behind", &mysql80, "a; 'x", "[a]SYNTAX" },
        { "an open comment behind", &mysql80, "a; /*x", "[a]SYNTAX" },
        { "no token behind", &mysql80, "a; @@", "[a]SYNTAX" },
        { "in a versioned comment", &mysql80, "a /*! ; */ ; b", "SYNTAX" },
        { "a versioned comment behind", &mysql80, "a; /*! b */", "[a][/*! b */]" },
        { "tenants", &mysql80, "a /*tenant='x'*/; /*tenant='y'*/ b; c; /*tenant='z'*/",
          "[a /*tenant='x'*/]=x[/*tenant='y'*/ b]=y[c; /*tenant='z'*/]=z" },
        { "a tenant and more behind", &mysql80, "a /*tenant='x'*/; /*x*/ /*tenant='z'*/",
          "[a /*tenant='x'*/; /*x*/ /*tenant='z'*/]=x" },
        { "the next one's tenant", &maria, "a; /*tenant='y'*/ b", "[a][/*tenant='y'*/ b]=y" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf got;
        buf_init(&got);
        describe_statements(slice_cstr(cases[i].text), cases[i].dialect, &got);
        if (strcmp(buf_cstr(&got), cases[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].why, buf_cstr(&got), cases[i].want);
        buf_fini(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(literals),
        cmocka_unit_test(operators),
        cmocka_unit_test(variables),
        cmocka_unit_test(comments),
        cmocka_unit_test(hints),
        cmocka_unit_test(versioned_comments),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(flags_and_counts),
        cmocka_unit_test(messages_name_the_place),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(comment_tenants),
        cmocka_unit_test(directives),
        cmocka_unit_test(string_values),
        cmocka_unit_test(names),
        cmocka_unit_test(every_keyword_is_found),
        cmocka_unit_test(reserved_words),
        cmocka_unit_test(builtin_functions),
        cmocka_unit_test(functions_are_sorted),
        cmocka_unit_test(large_texts),
        cmocka_unit_test(several_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
