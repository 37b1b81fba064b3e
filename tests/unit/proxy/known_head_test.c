/* The list of heads that were told before: what counts as known, and that it stays small. */
#include "proxy/known_head.h"
#include "tests/unit/proxy/proxy_test.h"

static const struct head_form form = { .client = 1, .server = 2, .database = "mq",
                                       .server_database = "shard" };

static void keep(struct known_head **list, const char *came, const char *told)
{
    struct known_head head = { .form = form, .columns = 1, .came = slice_cstr(came),
                               .told = slice_cstr(told) };
    known_head_keep(list, &head);
}

static void all_of_it_has_to_be_there_in_the_same_form(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct head_form form;
        const char *data;
        bool known;
    } cases[] = {
        { "the same", { 1, 2, "mq", "shard" }, "came", true },
        { "rows follow", { 1, 2, "mq", "shard" }, "came and more", true },
        { "cut short", { 1, 2, "mq", "shard" }, "cam", false },
        { "nothing", { 1, 2, "mq", "shard" }, "", false },
        { "another", { 1, 2, "mq", "shard" }, "cane", false },
        { "another client", { 3, 2, "mq", "shard" }, "came", false },
        { "another backend", { 1, 3, "mq", "shard" }, "came", false },
        { "another name", { 1, 2, "queue", "shard" }, "came", false },
        { "no name to change", { 1, 2, NULL, NULL }, "came", false },
        { "another shard's name", { 1, 2, "mq", "shard2" }, "came", false },
    };
    struct known_head *list = NULL;
    keep(&list, "other", "other");
    keep(&list, "came", "told");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct known_head *h =
            known_head_find(list, &cases[i].form, slice_cstr(cases[i].data));
        if (!h != !cases[i].known)
            fail_msg("%s", cases[i].why);
        if (h)
            assert_slice(h->told, SLICE_LIT("told"), cases[i].why);
    }
    known_heads_free(list);
}

static void what_goes_as_it_came_is_kept_once(void **state)
{
    (void)state;
    struct known_head *list = NULL;
    struct known_head head = { .form = form, .came = SLICE_LIT("came") };
    head.told = head.came;
    known_head_keep(&list, &head);
    assert_ptr_equal(list->told.data, list->came.data);
    assert_ptr_not_equal(list->came.data, head.came.data);
    known_heads_free(list);
}

static void the_list_stays_small(void **state)
{
    (void)state;
    static char large[10000];
    struct known_head *list = NULL;
    char came[32];
    for (int i = 0; i < 100; i++) {
        snprintf(came, sizeof came, "came %d", i);
        keep(&list, came, "told");
    }
    assert_non_null(known_head_find(list, &form, SLICE_LIT("came 99")));
    assert_null(known_head_find(list, &form, SLICE_LIT("came 91")));
    size_t bytes = known_heads_bytes(list);
    assert_in_range(bytes, 1, 8 * (sizeof *list + 32));
    memset(large, 'x', sizeof large - 1);
    keep(&list, large, "told");
    keep(&list, "came", large);
    assert_int_equal(known_heads_bytes(list), bytes);
    known_heads_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_has_to_be_there_in_the_same_form),
        cmocka_unit_test(what_goes_as_it_came_is_kept_once),
        cmocka_unit_test(the_list_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
