#include "tests/unit/merge/merge_case.h"

/* What a case leaves out is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define ARRAY(type, ...) (type[]){ __VA_ARGS__ }, COUNT(((type[]){ __VA_ARGS__ }))
#define KEYS(...) ARRAY(struct merge_key, __VA_ARGS__)
#define NODES(...) ARRAY(struct merge_expr, __VA_ARGS__)

#define PASS .filter = -1, .having = -1, .version = -1

/* Nodes. */
#define COLUMN(n) { .op = MERGE_COLUMN, .number = (n) }
#define AGGREGATE(n) { .op = MERGE_AGGREGATE, .number = (n) }
#define VALUE(n) { .op = MERGE_VALUE, .number = (n) }
#define BINARY(o, how, first) { .op = MERGE_##o, .compare = MERGE_AS_##how, \
                                .first_operand = (first), .operand_count = 2 }
#define UNARY(o, first) { .op = MERGE_##o, .first_operand = (first), .operand_count = 1 }
#define MANY(o, first, n) { .op = MERGE_##o, .first_operand = (first), .operand_count = (n) }
#define INTEGER(n) { .kind = MERGE_VALUE_INTEGER, .number = (n) }
#define TEXT(s) { .kind = MERGE_VALUE_TEXT, .text = { s, sizeof(s) - 1 } }

struct merge_case {
    const char *why;
    const char *columns;
    struct merge_recipe recipe;
    const char *parts[PARTS_MAX];
    const char *want;
    struct merge_value values[4];
    uint64_t skip, most; /* most 0: none */
};

static const struct merge_case cases[] = {
    { "parts follow one another", "a:int b:text", { PASS, .shown = 2 },
      { "3,c/1,a/", "2,~/", "" }, "3,c/1,a/2,~/+0" },
    { "one part", "a:int", { PASS, .shown = 1 }, { "1/" }, "1/+0" },
    { "no rows at all", "a:int", { PASS, .shown = 1 }, { "", "" }, "+0" },
    { "warnings add up", "a:int", { PASS, .shown = 1 }, { "1/+3", "2/+4" }, "1/2/+7" },
    { "but not beyond their field", "a:int", { PASS, .shown = 1 }, { "+65535", "+1" }, "+65535" },
    { "hidden columns go", "a:int b:text c:uint d:double",
      { PASS, .shown = 2, .hidden = 2 }, { "1,x,2,0.5/~,~,~,~/", "3,,4,~/" }, "1,x/~,~/3,/+0" },
    { "other types pass", "a:double b:dec2", { PASS, .shown = 2 }, { "1.5,2.50/" }, "1.5,2.50/+0" },

    { "signed order", "a:int", { PASS, .shown = 1, .order = KEYS({ 0 }) },
      { "~/-9223372036854775808/-2/10/", "-10/2/9223372036854775807/", "~/0/" },
      "~/~/-9223372036854775808/-10/-2/0/2/10/9223372036854775807/+0" },
    { "unsigned order, the other way", "a:uint",
      { PASS, .shown = 1, .order = KEYS({ .descending = true }) },
      { "18446744073709551615/9/~/", "9223372036854775808/10/~/" },
      "18446744073709551615/9223372036854775808/10/9/~/~/+0" },
    { "decimals", "a:dec2", { PASS, .shown = 1, .order = KEYS({ .compare = MERGE_AS_DECIMAL }) },
      { "-10.00/9.90/", "-9.00/-0.00/10.00/" }, "-10.00/-9.00/-0.00/9.90/10.00/+0" },
    { "texts, as if padded with spaces", "a:text b:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT }, { 1 }) },
      { "a\t,1/a,2/b,1/", "a ,1/a!,0/", }, "a\t,1/a ,1/a,2/a!,0/b,1/+0" },
    { "bytes", "a:text", { PASS, .shown = 1, .order = KEYS({ .compare = MERGE_AS_BYTES }) },
      { "a/a\t/b/", "/a /\xc3\xa9/" }, "/a/a\t/a /b/\xc3\xa9/+0" },
    { "equal rows come in the order of the parts", "a:int b:text",
      { PASS, .shown = 2, .order = KEYS({ 0 }) },
      { "1,x/2,x/", "1,y/2,y/", "1,z/1,zz/" }, "1,x/1,y/1,z/1,zz/2,x/2,y/+0" },
    { "several keys, by a hidden column", "a:text b:int c:text",
      { PASS, .shown = 1, .hidden = 2, .order = KEYS({ .column = 1, .descending = true },
                                                     { .column = 2, .compare = MERGE_AS_TEXT }) },
      { "p,2,a/q,2,c/r,1,a/", "s,3,z/t,2,b/" }, "s/p/t/q/r/+0" },
    { "skip and most", "a:int", { PASS, .shown = 1, .order = KEYS({ 0 }) },
      { "1/3/5/", "2/4/6/" }, "3/4/+0", .skip = 2, .most = 2 },
    { "beyond the end", "a:int", { PASS, .shown = 1 }, { "1/", "2/" }, "+0", .skip = 5, .most = 2 },

    { "equal keys are one row", "a:text b:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT }), .unique = 1 },
      { "a,1/b,1/b,2/", "a,2/c,9/", "~,1/~,2/c,8/" }, "~,1/a,1/b,1/c,9/+0" },
    { "the latest version of it", "a:text v:uint",
      { .filter = -1, .having = -1, .version = 1, .shown = 2,
        .order = KEYS({ .compare = MERGE_AS_TEXT }), .unique = 1 },
      { "a,1/b,5/", "a,2/b,4/c,0/", "a,2/b,~/" }, "a,2/b,5/c,0/+0" },
    { "filtered only then", "a:text v:uint",
      { .filter = 2, .having = -1, .version = 1, .shown = 1, .hidden = 1,
        .order = KEYS({ .compare = MERGE_AS_TEXT }), .unique = 1,
        .exprs = NODES(COLUMN(1), VALUE(0), BINARY(LT, INTEGER, 0)) },
      { "a,1/b,5/", "a,9/b,4/c,3/" }, "c/+0", .values = { INTEGER(5) } },
    { "and then counted", "n:int a:text v:uint one:int",
      { .filter = 2, .having = -1, .version = 2, .shown = 1, .hidden = 3,
        .order = KEYS({ .column = 1, .compare = MERGE_AS_TEXT }), .unique = 1, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 3, 0 }),
        .columns = (int32_t[]){ 3 },
        .exprs = NODES(COLUMN(2), VALUE(0), BINARY(GE, INTEGER, 0), AGGREGATE(0)) },
      { "0,a,1,1/0,b,5,1/", "0,a,9,1/0,b,4,1/0,c,3,1/" }, "2/+0", .values = { INTEGER(5) } },

    { "aggregates of all", "c:int s:dec0 lo:text hi:uint v:dec4 vs:dec0 vc:int",
      { PASS, .shown = 5, .hidden = 2, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 0, 0 },
                            { MERGE_SUM, 0, 1, 0 }, { MERGE_MIN, MERGE_AS_TEXT, 2, 0 },
                            { MERGE_MAX, MERGE_AS_INTEGER, 3, 0 }, { MERGE_AVG, 0, 5, 6 }),
        .columns = (int32_t[]){ 0, 1, 2, 3, 4 },
        .exprs = NODES(AGGREGATE(0), AGGREGATE(1), AGGREGATE(2), AGGREGATE(3), AGGREGATE(4)) },
      { "2,5,b,7,2.5000,5,2/", "0,~,~,~,~,~,0/", "1,2,a,18446744073709551615,2.0000,2,1/" },
      "3,7,a,18446744073709551615,2.3333/+0" },
    { "of nothing", "c:int s:dec0 lo:text v:dec4 vs:dec0 vc:int",
      { PASS, .shown = 4, .hidden = 2, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 0, 0 },
                            { MERGE_SUM, 0, 1, 0 }, { MERGE_MIN, MERGE_AS_TEXT, 2, 0 },
                            { MERGE_AVG, 0, 4, 5 }),
        .columns = (int32_t[]){ 0, 1, 2, 3 },
        .exprs = NODES(AGGREGATE(0), AGGREGATE(1), AGGREGATE(2), AGGREGATE(3)) },
      { "0,~,~,~,~,0/", "0,~,~,~,~,0/" }, "0,~,~,~/+0" },
    { "not even a row", "c:int", { PASS, .shown = 1, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 0, 0 }),
        .columns = (int32_t[]){ 0 }, .exprs = NODES(AGGREGATE(0)) },
      { "", "" }, "0/+0" },
    { "an empty text is the least", "lo:text", { PASS, .shown = 1, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_MIN, MERGE_AS_BYTES, 0, 0 }),
        .columns = (int32_t[]){ 0 }, .exprs = NODES(AGGREGATE(0)) },
      { "a/", "/", "~/" }, "/+0" },
    { "groups", "k:text c:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT }), .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 1, 0 }),
        .columns = (int32_t[]){ 0, 1 }, .exprs = NODES(COLUMN(0), AGGREGATE(0)) },
      { "a,1/c,3/", "~,4/a,2/b,1/", "" }, "~,4/a,3/b,1/c,3/+0" },
    { "no groups of no rows", "k:text c:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT }), .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 1, 0 }),
        .columns = (int32_t[]){ 0, 1 }, .exprs = NODES(COLUMN(0), AGGREGATE(0)) },
      { "", "" }, "+0" },
    { "HAVING", "k:text c:int",
      { .filter = -1, .having = 4, .version = -1, .shown = 2,
        .order = KEYS({ .compare = MERGE_AS_TEXT }), .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 1, 0 }),
        .columns = (int32_t[]){ 0, 1 },
        .exprs = NODES(COLUMN(0), AGGREGATE(0), AGGREGATE(0), VALUE(0), BINARY(GT, INTEGER, 2)) },
      { "a,1/c,3/", "a,2/b,1/", "" }, "a,3/c,3/+0", .values = { INTEGER(2) } },
    { "COUNT(DISTINCT)", "k:text d:int x:text n:int",
      { PASS, .shown = 2, .hidden = 2,
        .order = KEYS({ .compare = MERGE_AS_TEXT }, { .column = 2, .compare = MERGE_AS_TEXT }),
        .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate,
                            { MERGE_COUNT_DISTINCT, MERGE_AS_TEXT, 2, 0 }),
        .columns = (int32_t[]){ 0, 1 }, .exprs = NODES(COLUMN(0), AGGREGATE(0)) },
      { "a,0,~,1/a,0,x,1/a,0,y,2/b,0,~,1/", "a,0,x,1/a,0,x ,1/a,0,z,1/" }, "a,3/b,0/+0" },
    { "sorted by an aggregate", "k:text c:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT }), .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 1, 0 }),
        .sort = ARRAY(struct merge_sort_key, { 1, MERGE_AS_INTEGER, true }),
        .columns = (int32_t[]){ 0, 1 }, .exprs = NODES(COLUMN(0), AGGREGATE(0)) },
      { "a,1/c,3/d,1/", "~,4/a,2/b,1/", "" }, "a,3/c,3/b,1/+0", .skip = 1, .most = 3 },
    { "expressions over aggregates", "a:int b:dec2 c:text",
      { PASS, .shown = 3, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 0, 0 },
                            { MERGE_SUM, 0, 1, 0 }, { MERGE_MAX, MERGE_AS_TEXT, 2, 0 }),
        .columns = (int32_t[]){ 2, 5, 8 },
        .exprs = NODES(AGGREGATE(0), VALUE(0), BINARY(MULTIPLY, INTEGER, 0),
                       AGGREGATE(1), VALUE(1), MANY(COALESCE, 3, 2),
                       AGGREGATE(2), VALUE(2), MANY(COALESCE, 6, 2)) },
      { "2,~,~/", "3,~,~/" }, "-5,0.00,none/+0",
      .values = { { .kind = MERGE_VALUE_INTEGER, .negative = true, .number = UINT64_MAX },
                  INTEGER(0), TEXT("none") } },

    { "a sum that its column cannot hold", "c:int", { PASS, .shown = 1, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 0, 0 }),
        .columns = (int32_t[]){ 0 }, .exprs = NODES(AGGREGATE(0)) },
      { "9223372036854775807/", "1/" }, "!MERGE_RANGE" },
    { "an average with other digits", "v:dec2 s:dec0 c:int",
      { PASS, .shown = 1, .hidden = 2, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_AVG, 0, 1, 2 }),
        .columns = (int32_t[]){ 0 }, .exprs = NODES(AGGREGATE(0)) },
      { "2.00,2,1/" }, "!MERGE_UNEQUAL" },
    { "a part that is not sorted", "a:int", { PASS, .shown = 1, .order = KEYS({ 0 }) },
      { "1/3/2/", "1/" }, "1/1/3/!MERGE_UNSORTED" },
    { "nor by its second key, behind NULL and nothing", "a:text b:int",
      { PASS, .shown = 2, .order = KEYS({ .compare = MERGE_AS_TEXT, .descending = true }, { 1 }) },
      { "x,~/x,1/,~/,1/~,2/~,1/", "x,5/" }, "x,~/x,1/x,5/,~/,1/~,2/!MERGE_UNSORTED" },
    { "nor its groups", "a:int c:int",
      { PASS, .shown = 2, .order = KEYS({ 0 }), .grouped = true, .group = 1,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_COUNT, 0, 1, 0 }),
        .columns = (int32_t[]){ 0, 1 }, .exprs = NODES(COLUMN(0), AGGREGATE(0)) },
      { "2,1/1,1/", "2,1/" }, "!MERGE_UNSORTED" },
    { "a text where a number was meant", "a:text", { PASS, .shown = 1, .order = KEYS({ 0 }) },
      { "x/", "y/" }, "!MERGE_VALUE" },
    { "doubles are not added", "a:double", { PASS, .shown = 1, .grouped = true,
        .aggregates = ARRAY(struct merge_aggregate, { MERGE_SUM, 0, 0, 0 }),
        .columns = (int32_t[]){ 0 }, .exprs = NODES(AGGREGATE(0)) },
      { "1/" }, "!MERGE_VALUE" },
    { "a part's error", "a:int", { PASS, .shown = 1 }, { "1/2/", "!boom" }, "!boom of 1" },
    { "in the middle", "a:int", { PASS, .shown = 1, .order = KEYS({ 0 }) },
      { "1/3/", "2/!late" }, "1/2/!late of 1" },
    { "other columns than were asked for", "a:int b:int", { PASS, .shown = 1 }, { "1,1/" },
      "!MERGE_UNEQUAL" },
    { "an OK instead of rows", "", { PASS, .shown = 1 }, { "=1" }, "!MERGE_UNEQUAL" },
    { "rows instead of an OK", "a:int", { PASS, .kind = MERGE_COUNTS_SUM }, { "1/" },
      "!MERGE_UNEQUAL" },

    { "counts add up", "", { PASS, .kind = MERGE_COUNTS_SUM },
      { "=3 Rows matched: 4  Changed: 3  Warnings: 1", "=8 Rows matched: 9  Changed: 8  Warnings: 1" },
      "=11 Rows matched: 13  Changed: 11  Warnings: 2 +2" },
    { "or the largest counts", "", { PASS, .kind = MERGE_COUNTS_MAX }, { "=1", "=2", "=0" },
      "=2  +1" },
    { "info that does not fit together", "", { PASS, .kind = MERGE_COUNTS_SUM },
      { "=3 Rows matched: 4", "=8 Records: 9" }, "=11  +2" },
    { "a count that fails", "", { PASS, .kind = MERGE_COUNTS_SUM }, { "=3", "!no" }, "!no of 1" },
};

static size_t part_count(const struct merge_case *c)
{
    size_t n = 0;
    while (n < PARTS_MAX && c->parts[n])
        n++;
    return n;
}

static void run_case(const struct merge_case *c, const struct way *way)
{
    struct columns columns = columns_of(c->columns);
    struct buf parts[PARTS_MAX] = { 0 }, got;
    struct merge_inputs inputs = { .values = (struct merge_value *)c->values,
                                   .value_count = COUNT(c->values),
                                   .skip = c->skip,
                                   .most = c->most ? c->most : UINT64_MAX };
    size_t count = part_count(c);
    buf_init(&got);
    for (size_t i = 0; i < count; i++)
        write_part(&parts[i], &columns, c->parts[i], way);
    run_merge(&c->recipe, &inputs, parts, count, way, &got);
    if (!slice_eq(buf_slice(&got), slice_cstr(c->want)))
        fail_msg("%s (%s, pieces of %zu, bound %zu): got '%s', want '%s'", c->why,
                 way->binary ? "binary" : "text", way->piece, way->bound, buf_cstr(&got), c->want);
    for (size_t i = 0; i < count; i++)
        buf_fini(&parts[i]);
    buf_fini(&got);
}

/* Each case in both protocols, with both ends of rows, cut into pieces of all kinds. */
static void test_cases(void **state)
{
    (void)state;
    static const size_t pieces[] = { 1, 7, 100000 };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t p = 0; p < COUNT(pieces); p++)
            for (unsigned bits = 0; bits < 16; bits++)
                run_case(&cases[i], &(struct way){ bits & 1, bits & 2, bits & 4, pieces[p],
                                                   bits & 8 ? 1 : 100000 });
}

/* The truth of `column op value` as a filter, by what passes. */
static void test_three_valued_logic(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct merge_expr exprs[8];
        int32_t root;
        const char *want;
    } table[] = {
        { "=", { COLUMN(0), VALUE(0), BINARY(EQ, INTEGER, 0) }, 2, "2/+0" },
        { "<>", { COLUMN(0), VALUE(0), BINARY(NE, INTEGER, 0) }, 2, "1/3/+0" },
        { "<", { COLUMN(0), VALUE(0), BINARY(LT, INTEGER, 0) }, 2, "1/+0" },
        { "<=", { COLUMN(0), VALUE(0), BINARY(LE, INTEGER, 0) }, 2, "1/2/+0" },
        { ">", { COLUMN(0), VALUE(0), BINARY(GT, INTEGER, 0) }, 2, "3/+0" },
        { ">=", { COLUMN(0), VALUE(0), BINARY(GE, INTEGER, 0) }, 2, "2/3/+0" },
        { "= NULL", { COLUMN(0), VALUE(1), BINARY(EQ, INTEGER, 0) }, 2, "+0" },
        { "<=> NULL", { COLUMN(0), VALUE(1), BINARY(NULL_SAFE_EQ, INTEGER, 0) }, 2, "~/+0" },
        { "<=> 2", { COLUMN(0), VALUE(0), BINARY(NULL_SAFE_EQ, INTEGER, 0) }, 2, "2/+0" },
        { "IS NULL", { COLUMN(0), UNARY(IS_NULL, 0) }, 1, "~/+0" },
        { "NOT =", { COLUMN(0), VALUE(0), BINARY(EQ, INTEGER, 0), UNARY(NOT, 2) }, 3, "1/3/+0" },
        { "a bare column", { COLUMN(0) }, 0, "1/2/3/+0" },
        { "= OR IS NULL",
          { COLUMN(0), VALUE(0), COLUMN(0), BINARY(EQ, INTEGER, 0), UNARY(IS_NULL, 2),
            MANY(OR, 3, 2) }, 5, "~/2/+0" },
        { "NOT (= AND NULL): unknown where = holds",
          { COLUMN(0), VALUE(0), BINARY(EQ, INTEGER, 0), VALUE(1), MANY(AND, 2, 2),
            UNARY(NOT, 4) }, 5, "1/3/+0" },
        { "minus", { COLUMN(0), VALUE(0), BINARY(SUBTRACT, INTEGER, 0) }, 2, "1/3/+0" },
        { "plus NULL", { COLUMN(0), VALUE(1), BINARY(ADD, INTEGER, 0) }, 2, "+0" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct merge_case c = { table[i].why, "a:int",
                                { .filter = table[i].root, .having = -1, .version = -1, .shown = 1,
                                  .order = KEYS({ 0 }),
                                  .exprs = (struct merge_expr *)table[i].exprs, .expr_count = 8 },
                                { "~/1/", "2/3/" }, table[i].want,
                                .values = { INTEGER(2), { .kind = MERGE_VALUE_NULL } } };
        run_case(&c, &(struct way){ false, false, false, 100000, 100000 });
        run_case(&c, &(struct way){ true, false, false, 100000, 100000 });
    }
}

/* ---- k sorted parts are all rows, sorted ---- */

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void print_numbers(const int *numbers, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%d/", numbers[i]);
}

static void test_merging_is_sorting(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1, .order = KEYS({ 0 }) };
    const struct columns columns = columns_of("a:int");
    const struct merge_inputs inputs = { .most = UINT64_MAX };
    for (int round = 0; round < 200; round++) {
        int all[400];
        size_t count = 1 + random_below(PARTS_MAX), total = 0;
        struct way way = { round & 1, round & 2, round & 4, 1 + random_below(200),
                           1 + random_below(300) };
        struct buf parts[PARTS_MAX] = { 0 }, want, got;
        buf_init(&want);
        buf_init(&got);
        for (size_t p = 0; p < count; p++) {
            size_t rows = random_below(50);
            struct buf text;
            buf_init(&text);
            for (size_t i = 0; i < rows; i++)
                all[total + i] = (int)random_below(100) - 50;
            qsort(all + total, rows, sizeof *all, by_number);
            print_numbers(all + total, rows, &text);
            write_part(&parts[p], &columns, buf_cstr(&text), &way);
            total += rows;
            buf_fini(&text);
        }
        qsort(all, total, sizeof *all, by_number);
        print_numbers(all, total, &want);
        buf_append_cstr(&want, "+0");
        run_merge(&recipe, &inputs, parts, count, &way, &got);
        assert_slice(buf_slice(&got), buf_slice(&want), "merged");
        for (size_t p = 0; p < count; p++)
            buf_fini(&parts[p]);
        buf_fini(&want);
        buf_fini(&got);
    }
}

/* ---- bounds ---- */

static struct merge *begin(const struct merge_recipe *recipe, size_t parts)
{
    static const struct merge_inputs all = { .most = UINT64_MAX };
    static const struct merge_setting setting = { .capabilities = CAP_DEPRECATE_EOF,
                                                  .part_capabilities = CAP_DEPRECATE_EOF };
    return merge_create(recipe, &all, parts, &setting);
}

static void feed(struct merge *m, size_t part, struct buf *from)
{
    size_t n = buf_len(from) < MERGE_READ ? buf_len(from) : MERGE_READ;
    assert_true(merge_wants(m, part));
    merge_feed(m, part, buf_begin(from), n);
    buf_consume(from, n);
}

/* The second part has more than fits while the first one is slow: its server may not wait until
 * it gives up. */
static void test_who_presses_has_a_turn(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1 };
    const struct columns columns = columns_of("a:int");
    const struct way way = { .piece = 1, .bound = 1 };
    struct merge *m = begin(&recipe, 2);
    struct buf parts[2] = { 0 }, rows, out;
    struct err e;
    uint8_t seq = 1;
    buf_init(&rows);
    buf_init(&out);
    for (int i = 0; i < 40000; i++)
        buf_append_cstr(&rows, "7/");
    write_part(&parts[0], &columns, "1/", &way);
    write_part(&parts[1], &columns, buf_cstr(&rows), &way);
    size_t end = buf_len(&parts[0]);
    merge_feed(m, 0, buf_begin(&parts[0]), end - 14); /* within its row */
    feed(m, 1, &parts[1]);
    assert_int_equal(merge_run(m, &out, 1 << 20, &seq, &e), MERGE_WAITING);
    size_t head = buf_len(&out);
    assert_true(merge_wants(m, 1)); /* some more, to fill what it may hold */
    feed(m, 1, &parts[1]);
    assert_false(merge_wants(m, 1));
    assert_int_equal(merge_run(m, &out, 1 << 20, &seq, &e), MERGE_WAITING);
    assert_true(buf_len(&out) > head + MERGE_READ / 2);
    merge_destroy(m);
    buf_fini(&parts[0]);
    buf_fini(&parts[1]);
    buf_fini(&rows);
    buf_fini(&out);
}

static void test_bound(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1 };
    const struct columns columns = columns_of("a:text");
    const struct way way = { 0 };
    struct merge *m = begin(&recipe, 1);
    struct buf part, out;
    struct err e;
    uint8_t seq = 1;
    buf_init(&part);
    buf_init(&out);
    write_part(&part, &columns, "aaaaaaaaaa/bbbbbbbbbb/cccccccccc/", &way);
    feed(m, 0, &part);
    int runs = 0;
    while (merge_run(m, &out, 12, &seq, &e) == MERGE_FULL) {
        assert_true(buf_len(&out) < 12 + 64);
        buf_clear(&out);
        runs++;
    }
    assert_true(runs >= 4);
    merge_destroy(m);
    buf_fini(&part);
    buf_fini(&out);
}

/* Rows of several packets pass; what is larger than a row may be is refused by its first
 * packets. */
static void test_large_rows(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1, .hidden = 1,
                                         .order = KEYS({ .column = 1 }) };
    const struct columns columns = columns_of("a:text b:int");
    struct buf part, out, row;
    struct err e;
    uint8_t seq = 1, mine = 1;
    buf_init(&part);
    buf_init(&out);
    buf_init(&row);
    write_head(&part, &mine, &columns, false);
    char *large = mem_alloc(PACKET_MAX + 10);
    memset(large, 'x', PACKET_MAX + 10);
    write_lenenc_slice(&row, slice_of(large, PACKET_MAX + 10));
    write_lenenc_slice(&row, SLICE_LIT("1"));
    packet_append(&part, &mine, buf_slice(&row));
    write_end_packet(&part, &mine, 0, false);
    struct merge *m = begin(&recipe, 1);
    enum merge_outcome outcome = MERGE_WAITING;
    while (outcome == MERGE_WAITING || outcome == MERGE_FULL) {
        outcome = merge_run(m, &out, 1 << 30, &seq, &e);
        if (outcome == MERGE_WAITING)
            feed(m, 0, &part);
    }
    assert_int_equal(outcome, MERGE_ENDED);
    assert_true(buf_len(&out) > PACKET_MAX + 10 && buf_len(&out) < PACKET_MAX + 200);
    merge_destroy(m);
    mem_free(large);
    buf_fini(&part);
    buf_fini(&out);
    buf_fini(&row);
}

static void test_too_large_row(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1 };
    const struct columns columns = columns_of("a:text");
    uint8_t header[PACKET_HEADER] = { 0xff, 0xff, 0xff, 3 };
    struct merge *m = begin(&recipe, 1);
    struct buf part, out;
    struct err e;
    uint8_t seq = 1, mine = 1;
    buf_init(&part);
    buf_init(&out);
    write_head(&part, &mine, &columns, false);
    uint8_t *piece = mem_zalloc(PACKET_MAX);
    enum merge_outcome outcome = MERGE_WAITING;
    merge_feed(m, 0, buf_begin(&part), buf_len(&part));
    for (int i = 0; i < 6 && outcome == MERGE_WAITING; i++) {
        merge_feed(m, 0, header, sizeof header);
        merge_feed(m, 0, piece, PACKET_MAX);
        header[3]++;
        outcome = merge_run(m, &out, 1 << 30, &seq, &e);
    }
    assert_int_equal(outcome, MERGE_FAILED);
    assert_int_equal(e.code, MQ_MERGE_ROW_TOO_LARGE);
    merge_destroy(m);
    mem_free(piece);
    buf_fini(&part);
    buf_fini(&out);
}

static void test_sort_buffer(void **state)
{
    (void)state;
    const struct merge_recipe recipe = { PASS, .shown = 1, .exprs = NODES(COLUMN(0)),
                                         .sort = ARRAY(struct merge_sort_key,
                                                       { 0, MERGE_AS_TEXT, false }) };
    const struct columns columns = columns_of("a:text");
    struct merge *m = begin(&recipe, 1);
    struct buf part, out;
    struct err e;
    uint8_t seq = 1;
    buf_init(&part);
    buf_init(&out);
    write_head(&part, &seq, &columns, false);
    enum merge_outcome outcome = MERGE_WAITING;
    for (int i = 0; i < 200000 && outcome == MERGE_WAITING; i++) {
        size_t mark = packet_open(&part);
        write_row(&part, &columns, SLICE_LIT("abcdefghijklmnopqrstuvwxyz"), false);
        packet_close(&part, mark, &seq);
        if (buf_len(&part) < MERGE_READ)
            continue;
        merge_feed(m, 0, buf_begin(&part), buf_len(&part));
        buf_clear(&part);
        outcome = merge_run(m, &out, 1 << 30, &seq, &e);
    }
    assert_int_equal(outcome, MERGE_FAILED);
    assert_int_equal(e.code, MQ_MERGE_SORT_TOO_LARGE);
    merge_destroy(m);
    buf_fini(&part);
    buf_fini(&out);
}

/* A server's definitions beside those of another. */
static void test_definitions(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *want;
    } table[] = {
        { "a:int", "a:int", "1/2/+0" },
        { "a:int", "a:uint", "!MERGE_UNEQUAL" },
        { "a:int", "b:int", "!MERGE_UNEQUAL" },
        { "a:int", "a:text", "!MERGE_UNEQUAL" },
        { "a:text", "a:blob", "1/2/+0" },
        { "a:dec0", "a:dec1", "!MERGE_UNEQUAL" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const struct merge_recipe recipe = { PASS, .shown = 1 };
        const struct merge_inputs inputs = { .most = UINT64_MAX };
        const struct columns a = columns_of(table[i].a), b = columns_of(table[i].b);
        const struct way way = { .piece = 1000, .bound = 1000 };
        struct buf parts[2] = { 0 }, got;
        buf_init(&got);
        write_part(&parts[0], &a, "1/", &way);
        write_part(&parts[1], &b, "2/", &way);
        run_merge(&recipe, &inputs, parts, 2, &way, &got);
        assert_slice(buf_slice(&got), slice_cstr(table[i].want), table[i].b);
        buf_fini(&parts[0]);
        buf_fini(&parts[1]);
        buf_fini(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_three_valued_logic),
        cmocka_unit_test(test_merging_is_sorting),
        cmocka_unit_test(test_who_presses_has_a_turn),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_large_rows),
        cmocka_unit_test(test_too_large_row),
        cmocka_unit_test(test_sort_buffer),
        cmocka_unit_test(test_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
