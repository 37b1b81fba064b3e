/* Statements and their trees, as node_print shows them: tests/unit/sql/parse_trees.txt. Run
 * with MQ_GOLDEN=update to write the trees anew, then read the diff. */
#include <stdlib.h>

#include "base/memory.h"
#include "tests/unit/sql/parsed.h"

#define TREES TEST_DATA "/unit/sql/parse_trees.txt"

/* One case of the file:
 *
 *   # why
 *   [server version] statement, on several lines
 *   =>
 *   tree
 *   (empty line)
 */
struct tree_case {
    char *version; /* NULL when none is named */
    char *sql;
    char *want;
};

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("no file %s", path);
    struct buf content;
    buf_init(&content);
    size_t got;
    do {
        got = fread(buf_reserve(&content, 65536), 1, 65536, f);
        buf_commit(&content, got);
    } while (got);
    fclose(f);
    char *text = mem_strndup(buf_slice(&content));
    buf_fini(&content);
    return text;
}

/* Cuts the text at the separator, which must be there, and returns what follows. */
static char *cut(char *text, const char *separator)
{
    char *at = strstr(text, separator);
    if (!at)
        fail_msg("no %s behind: %.60s", separator, text);
    *at = '\0';
    return at + strlen(separator);
}

/* Takes one case off the text; false at the end. The heading comes back for the update. */
static bool next_case(char **text, char **ret_heading, struct tree_case *ret)
{
    if (**text != '#')
        return false;
    *ret_heading = *text;
    ret->version = NULL;
    ret->sql = cut(*text, "\n");
    ret->want = cut(ret->sql, "\n=>\n");
    *text = *ret->want == '\n' ? ret->want + 1 : cut(ret->want, "\n\n");
    if (*ret->want == '\n')
        *ret->want = '\0';
    if (*ret->sql == '[') {
        ret->version = ret->sql + 1;
        ret->sql = cut(ret->sql, "] ");
    }
    return true;
}

static void print_case(const struct tree_case *c, struct buf *tree)
{
    struct dialect dialect = dialect_named(c->version, 0);
    struct parsed p;
    parsed_good(&p, c->sql, &dialect);
    node_print(&p.lexed, p.root, tree);
    parsed_fini(&p);
}

static void write_case(const char *heading, const struct tree_case *c, struct buf *tree,
                       struct buf *out)
{
    buf_printf(out, "%s\n", heading);
    if (c->version)
        buf_printf(out, "[%s] ", c->version);
    buf_printf(out, "%s\n=>\n%s\n", c->sql, buf_cstr(tree));
}

static void check_case(const char *heading, const struct tree_case *c, struct buf *tree)
{
    size_t len = strlen(c->want);
    if (len + 1 != buf_len(tree) || memcmp(buf_cstr(tree), c->want, len) != 0)
        fail_msg("%s: %s\nwant\n%s\ngot\n%s", heading, c->sql, c->want, buf_cstr(tree));
}

static void write_file(const char *path, struct slice content)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content.data, 1, content.len, f), content.len);
    fclose(f);
}

static void test_trees(void **state)
{
    (void)state;
    const char *golden = getenv("MQ_GOLDEN");
    bool update = golden && strcmp(golden, "update") == 0;
    char *file = read_file(TREES), *rest = file, *heading;
    struct tree_case c;
    struct buf anew;
    buf_init(&anew);
    while (next_case(&rest, &heading, &c)) {
        struct buf tree;
        buf_init(&tree);
        print_case(&c, &tree);
        if (update)
            write_case(heading, &c, &tree, &anew);
        else
            check_case(heading, &c, &tree);
        buf_fini(&tree);
    }
    assert_int_equal(*rest, '\0');
    if (update)
        write_file(TREES, buf_slice(&anew));
    buf_fini(&anew);
    mem_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_trees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
