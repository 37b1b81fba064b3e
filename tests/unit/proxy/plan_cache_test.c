/* Plans that were seen before, and those that only look like it. */
#include "tests/unit/proxy/proxy_test.h"

struct fixture {
    struct topology *topology;
    struct dialect dialect;
    struct plan_cache *cache;
    struct arena arena;
    struct lexed lexed;
};

static int open_fixture(void **state)
{
    struct fixture *f = mem_new(struct fixture);
    f->topology = gate_topology(GATE_YAML);
    f->dialect = dialect_default();
    f->cache = plan_cache_create(1 << 20);
    arena_init(&f->arena);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    plan_cache_destroy(f->cache);
    arena_fini(&f->arena);
    topology_release(f->topology);
    mem_free(f);
    return 0;
}

static struct plan_entry *get(struct fixture *f, const char *text, bool prepared)
{
    assert_int_equal(lex(slice_cstr(text), &f->dialect, &f->arena, &f->lexed, NULL), MQ_OK);
    return plan_cache_get(f->cache, f->topology, &f->dialect, &f->lexed, prepared);
}

/* The plan's serial number, which tells whether it was made anew. */
static uint64_t serial(struct fixture *f, const char *text, bool prepared)
{
    struct plan_entry *e = get(f, text, prepared);
    uint64_t n = e->serial;
    plan_entry_release(e);
    return n;
}

static void hits(void **state)
{
    static const struct {
        const char *why, *first, *second;
        bool prepared, same;
    } cases[] = {
        { "another literal", "SELECT id FROM queue_messages WHERE topic = 'a'",
          "SELECT id FROM queue_messages WHERE topic = 'bcd'", false, true },
        { "white space and case of words", "SELECT id FROM queue_messages WHERE topic = 'a'",
          "select id  FROM queue_messages\nwhere topic = 'a'", false, true },
        { "a longer list", "SELECT id FROM queue_messages WHERE offset IN (1)",
          "SELECT id FROM queue_messages WHERE offset IN (1, -2, 3, 4)", false, true },
        { "another column", "SELECT id FROM queue_messages", "SELECT topic FROM queue_messages",
          false, false },
        { "the same bytes", "SELECT id FROM queue_messages WHERE topic = 'a'",
          "SELECT id FROM queue_messages WHERE topic = 'a'", true, true },
        { "a literal in what is prepared", "SELECT id FROM queue_messages WHERE topic = 'a'",
          "SELECT id FROM queue_messages WHERE topic = 'b'", true, false },
        { "refusals name positions", "SELECT id FROM elsewhere", "SELECT id FROM elsewhere", false,
          false },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t first = serial(f, cases[i].first, cases[i].prepared);
        uint64_t second = serial(f, cases[i].second, cases[i].prepared);
        if ((first == second) != cases[i].same)
            fail_msg("%s: %s", cases[i].why, first == second ? "the same plan" : "two plans");
    }
}

static void text_and_prepared_are_apart(void **state)
{
    struct fixture *f = *state;
    const char *text = "SELECT id FROM queue_messages WHERE topic = 'a'";
    assert_int_not_equal(serial(f, text, false), serial(f, text, true));
}

/* A fingerprint made to collide gives its own plan all the same. */
static void collisions_are_seen(void **state)
{
    struct fixture *f = *state;
    struct plan_entry *victim = get(f, "SELECT id FROM queue_messages WHERE topic = 'a'", false);
    uint64_t stolen = f->lexed.fingerprint;
    assert_int_equal(
        lex(SLICE_LIT("DELETE FROM queue_messages"), &f->dialect, &f->arena, &f->lexed, NULL),
        MQ_OK);
    f->lexed.fingerprint = stolen;
    struct plan_entry *e = plan_cache_get(f->cache, f->topology, &f->dialect, &f->lexed, false);
    assert_ptr_not_equal(e, victim);
    assert_true(e->template->writes);
    plan_entry_release(e);
    plan_entry_release(victim);
}

static void another_reading_is_another_plan(void **state)
{
    struct fixture *f = *state;
    const char *text = "SELECT \"id\" FROM queue_messages";
    uint64_t before = serial(f, text, false);
    f->dialect.modes = MODE_ANSI_QUOTES;
    uint64_t quotes = serial(f, text, false);
    assert_int_not_equal(before, quotes);
    f->dialect.version_max++;
    assert_int_not_equal(serial(f, text, false), quotes);
}

/* A template points into its topology's catalogue. */
static void another_topology_is_another_plan(void **state)
{
    struct fixture *f = *state;
    const char *text = "SELECT id FROM queue_messages";
    struct topology *old = f->topology;
    struct plan_entry *e = get(f, text, false);
    f->topology = gate_topology(GATE_YAML);
    uint64_t now = serial(f, text, false);
    assert_int_not_equal(now, e->serial);
    topology_release(old);
    assert_string_equal(e->template->table->name, "queue_messages");
    plan_entry_release(e);
    assert_int_equal(serial(f, text, false), now);
}

static void memory_is_bounded(void **state)
{
    struct fixture *f = *state;
    plan_cache_destroy(f->cache);
    f->cache = plan_cache_create(64 << 10);
    char text[64];
    struct plan_entry *held = get(f, "SELECT id AS held FROM queue_messages", false);
    const char *used = "SELECT id AS used FROM queue_messages";
    uint64_t number = serial(f, used, false);
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "SELECT id AS c%d FROM queue_messages", i);
        serial(f, text, false);
        assert_int_equal(serial(f, used, false), number); /* least recently used goes first */
        arena_reset(&f->arena);
    }
    assert_false(held->cached);
    assert_string_equal(held->template->table->name, "queue_messages");
    plan_entry_release(held);
    assert_true(serial(f, "SELECT id AS c0 FROM queue_messages", false) > number + 400);
    plan_cache_clear(f->cache);
    assert_int_not_equal(serial(f, used, false), number);
}

static void answers_are_bounded_and_forgotten(void **state)
{
    struct fixture *f = *state;
    struct plan_entry *e = get(f, "SELECT id FROM queue_messages", true);
    for (uint64_t key = 1; key <= 20; key++) {
        struct prepare_answer *a = mem_zalloc(sizeof *a);
        a->key = key;
        plan_entry_keep_answer(e, a);
        assert_int_equal(plan_entry_answer(e, key)->key, key);
    }
    assert_null(plan_entry_answer(e, 1));
    assert_non_null(plan_entry_answer(e, 19));
    plan_cache_forget_answers(f->cache);
    assert_null(plan_entry_answer(e, 20));
    plan_entry_release(e);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hits),
        TEST(text_and_prepared_are_apart),
        TEST(collisions_are_seen),
        TEST(another_reading_is_another_plan),
        TEST(another_topology_is_another_plan),
        TEST(memory_is_bounded),
        TEST(answers_are_bounded_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
