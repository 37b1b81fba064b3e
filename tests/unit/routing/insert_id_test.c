#include "routing/insert_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { KEPT = INSERT_ID_KEPT, TOLD = INSERT_ID_TOLD, HIDDEN = INSERT_ID_HIDDEN };

/* What the servers were seen to do; the insert id is 7 unless the OK packet has none. */
static const struct {
    const char *why;
    struct template t;
    enum counters counters;
    struct insert_outcome o;
    int want;
} cases[] = {
    { "UPDATE", { 0 }, COUNTERS_MADE, { .affected = 1 }, KEPT },
    { "INSERT", { .has_counter = true, .insert_rows = 1 }, COUNTERS_MADE,
      { .affected = 1, .insert_id = 7 }, TOLD },
    { "INSERT of no table with a counter", { .insert_rows = 2 }, COUNTERS_MADE, { .affected = 2 },
      KEPT },
    { "INSERT … SELECT", { .has_counter = true }, COUNTERS_MADE, { .affected = 3, .insert_id = 7 },
      TOLD },
    { "INSERT IGNORE, all met", { .has_counter = true, .insert_rows = 2 }, COUNTERS_MADE, { 0 },
      KEPT },
    { "all numbered by the client", { .has_counter = true, .insert_rows = 2 }, COUNTERS_GIVEN,
      { .affected = 2, .insert_id = 7 }, KEPT },
    { "some numbered by the client", { .has_counter = true, .insert_rows = 2 }, COUNTERS_MIXED,
      { .affected = 2, .insert_id = 7 }, HIDDEN },
    { "RETURNING", { .has_counter = true, .insert_rows = 1, .is_select = true }, COUNTERS_MADE,
      { .has_rows = true }, HIDDEN },
    { "RETURNING, numbered by the client",
      { .has_counter = true, .insert_rows = 1, .is_select = true }, COUNTERS_GIVEN,
      { .has_rows = true }, KEPT },
    { "one row failed", { .has_counter = true, .insert_rows = 1 }, COUNTERS_MADE,
      { .failed = true }, KEPT },
    { "one of several failed", { .has_counter = true, .insert_rows = 2 }, COUNTERS_MADE,
      { .failed = true }, HIDDEN },
    { "INSERT … SELECT failed", { .has_counter = true }, COUNTERS_MADE, { .failed = true }, HIDDEN },

    { "upsert inserted", { .has_counter = true, .upsert = true, .insert_rows = 1 }, COUNTERS_MADE,
      { .affected = 1, .insert_id = 7 }, TOLD },
    { "upsert changed", { .has_counter = true, .upsert = true, .insert_rows = 1 }, COUNTERS_MADE,
      { .affected = 2, .insert_id = 7 }, KEPT },
    { "upsert left alone, FOUND_ROWS",
      { .has_counter = true, .upsert = true, .insert_rows = 1 }, COUNTERS_MADE,
      { .affected = 1, .found_rows = true }, KEPT },
    { "upsert of two changed both", { .has_counter = true, .upsert = true, .insert_rows = 2 },
      COUNTERS_MADE, { .affected = 4, .insert_id = 7 }, KEPT },
    { "upsert of two, one changed or two inserted",
      { .has_counter = true, .upsert = true, .insert_rows = 2 }, COUNTERS_MADE,
      { .affected = 2, .insert_id = 7 }, HIDDEN },
    { "upsert of two, one inserted", { .has_counter = true, .upsert = true, .insert_rows = 2 },
      COUNTERS_MADE, { .affected = 3, .insert_id = 7 }, TOLD },
    { "upsert of two, FOUND_ROWS: none changed, so one inserted",
      { .has_counter = true, .upsert = true, .insert_rows = 2 }, COUNTERS_MADE,
      { .affected = 2, .insert_id = 7, .found_rows = true }, TOLD },
    { "upsert of two, FOUND_ROWS: one changed, the other left or inserted",
      { .has_counter = true, .upsert = true, .insert_rows = 2 }, COUNTERS_MADE,
      { .affected = 3, .insert_id = 7, .found_rows = true }, HIDDEN },
    { "upsert IGNORE of two, FOUND_ROWS: one changed, one thrown away",
      { .has_counter = true, .upsert = true, .insert_rows = 2, .flags = NODE_F_IGNORE },
      COUNTERS_MADE, { .affected = 2, .insert_id = 7, .found_rows = true }, HIDDEN },
    { "upsert of a SELECT", { .has_counter = true, .upsert = true }, COUNTERS_MADE,
      { .affected = 2, .insert_id = 7 }, HIDDEN },

    { "UPDATE sets it", { .sets_insert_id = SETS_PERHAPS }, COUNTERS_MADE,
      { .affected = 1, .insert_id = 7 }, TOLD },
    { "UPDATE sets it to 0, or meets no row", { .sets_insert_id = SETS_ALWAYS }, COUNTERS_MADE,
      { .affected = 1 }, HIDDEN },
    { "UPDATE sets it and fails", { .sets_insert_id = SETS_ALWAYS }, COUNTERS_MADE,
      { .failed = true }, HIDDEN },
    { "upsert sets it",
      { .sets_insert_id = SETS_ALWAYS, .has_counter = true, .upsert = true, .insert_rows = 2 },
      COUNTERS_MADE, { .affected = 2, .insert_id = 7 }, TOLD },
    { "upsert sets it, or not",
      { .sets_insert_id = SETS_PERHAPS, .has_counter = true, .upsert = true, .insert_rows = 1 },
      COUNTERS_MADE, { .affected = 2, .insert_id = 7 }, HIDDEN },
    { "upsert sets it, or inserts what the client has numbered",
      { .sets_insert_id = SETS_ALWAYS, .has_counter = true, .upsert = true, .insert_rows = 1 },
      COUNTERS_GIVEN, { .affected = 1, .insert_id = 7 }, HIDDEN },
};

static void effects(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int got = insert_id_effect(&cases[i].t, cases[i].counters, &cases[i].o);
        if (got != cases[i].want)
            fail_msg("%s: %d, not %d", cases[i].why, got, cases[i].want);
    }
}

/* Only what was announced may be hidden, but for errors. */
static void hidden_effects_are_foreseen(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (cases[i].want == HIDDEN && !cases[i].o.failed &&
            !insert_id_may_hide(&cases[i].t, cases[i].counters))
            fail_msg("%s", cases[i].why);
}

static void plain_statements_cost_nothing(void **state)
{
    (void)state;
    struct template insert = { .has_counter = true, .insert_rows = 3 };
    struct template upsert = { .has_counter = true, .upsert = true, .insert_rows = 1 };
    struct template other = { .upsert = true, .insert_rows = 3 };
    assert_false(insert_id_may_hide(&insert, COUNTERS_MADE));
    assert_false(insert_id_may_hide(&upsert, COUNTERS_MADE));
    assert_false(insert_id_may_hide(&other, COUNTERS_MADE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects),
        cmocka_unit_test(hidden_effects_are_foreseen),
        cmocka_unit_test(plain_statements_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
