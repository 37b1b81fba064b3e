/* Plans that were seen before, and those that only look like it. */
#include "tests/fuzz/sql/same_tokens.h"
#include "tests/unit/proxy/proxy_test.h"

enum { FIXTURE_CACHE_BYTES = 1 << 20 };

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
    f->cache = plan_cache_create(FIXTURE_CACHE_BYTES);
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
        { "refusals name positions", "SELECT id FROM mysql.user", "SELECT id FROM mysql.user", false,
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

/* The plan of a text that is found without being lexed; 0 when it is not found. */
static uint64_t known(struct fixture *f, const char *text)
{
    struct lexed want;
    struct plan_entry *e = plan_cache_find_text(f->cache, f->topology, &f->dialect,
                                                slice_cstr(text), &f->arena, &f->lexed);
    uint64_t n = e ? e->serial : 0;
    if (e) {
        assert_int_equal(lex(slice_cstr(text), &f->dialect, &f->arena, &want, NULL), MQ_OK);
        assert_null(tokens_differ(&f->lexed, &want));
    }
    plan_entry_release(e);
    return n;
}

static void texts_are_known_again(void **state)
{
    static const char first[] = "SELECT id FROM queue_messages WHERE topic = 'a' AND offset IN (1)";
    static const struct {
        const char *why, *text;
        bool known;
    } cases[] = {
        { "itself", first, true },
        { "values", "SELECT id FROM queue_messages WHERE topic = 'b''c' AND offset IN (-1, 2)", true },
        { "space", "SELECT id FROM queue_messages  WHERE topic = 'a' AND offset IN (1)", false },
        { "a parameter", "SELECT id FROM queue_messages WHERE topic = ? AND offset IN (1)", false },
        { "cut short", "SELECT id FROM queue_messages WHERE topic = 'a", false },
        { "too short", "SELECT 1", false },
        { "nothing", "", false },
    };
    struct fixture *f = *state;
    assert_int_equal(known(f, first), 0);
    uint64_t number = serial(f, first, false);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (known(f, cases[i].text) != (cases[i].known ? number : 0))
            fail_msg("%s", cases[i].why);
    f->dialect.modes = MODE_ANSI_QUOTES;
    assert_int_equal(known(f, first), 0);
    f->dialect.modes = 0;
    assert_int_equal(known(f, first), number);
    plan_cache_clear(f->cache);
    assert_int_equal(known(f, first), 0);
}

/* What is compared byte by byte must have been text: an EXECUTE reads literals where it was. */
/* A list is one token, comments within it included. */
static void a_tenant_within_a_list_stays_its_own(void **state)
{
    static const char plain[] = "SELECT id FROM queue_messages WHERE topic IN ('a', 'b')",
                      named[] = "SELECT id FROM queue_messages WHERE topic IN ('a' /*tenant='t'*/)";
    struct fixture *f = *state;
    uint64_t number = serial(f, named, false);
    assert_int_equal(known(f, plain), 0);
    assert_int_equal(known(f, named), number);
    number = serial(f, plain, false);
    assert_int_equal(known(f, plain), number);
    assert_int_not_equal(known(f, named), number);
}

static void prepared_is_not_known_as_text(void **state)
{
    struct fixture *f = *state;
    const char *text = "SELECT id FROM queue_messages WHERE topic = 'a'";
    serial(f, text, true);
    assert_int_equal(known(f, text), 0);
    serial(f, "SELECT id FROM mysql.user WHERE topic = 'a'", false); /* nor are refusals */
    assert_int_equal(known(f, "SELECT id FROM mysql.user WHERE topic = 'a'"), 0);
}

/* More that begin alike than are compared: the ones used are found, the others lexed. */
static void many_that_begin_alike(void **state)
{
    enum { TEXTS = 100 };
    struct fixture *f = *state;
    char text[96];
    uint64_t numbers[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "SELECT id FROM queue_messages AS m%d WHERE topic = 'a'", i);
        numbers[i] = serial(f, text, false);
    }
    assert_int_equal(known(f, text), numbers[TEXTS - 1]);
    assert_int_equal(known(f, "SELECT id FROM queue_messages AS m0 WHERE topic = 'a'"), 0);
    assert_int_equal(serial(f, "SELECT id FROM queue_messages AS m0 WHERE topic = 'a'", false),
                     numbers[0]);
}

static const char *list_text(struct fixture *f, const char *head, const char *part, int count,
                             const char *tail)
{
    struct buf b;
    buf_init(&b);
    buf_append_cstr(&b, head);
    for (int i = 0; i < count; i++)
        buf_append_cstr(&b, part);
    buf_append_cstr(&b, tail);
    const char *text = arena_copy(&f->arena, buf_slice(&b)).data;
    buf_fini(&b);
    return text;
}

static void lists_of_every_length(void **state)
{
    struct fixture *f = *state;
    const char *head = "SELECT id FROM queue_messages WHERE offset IN (0";
    uint64_t number = serial(f, list_text(f, head, "", 0, ")"), false);
    size_t bytes = plan_cache_bytes(f->cache);
    for (int length = 1; length < 300; length++) {
        const char *text = list_text(f, head, ", 1", length, ")");
        assert_int_equal(serial(f, text, false), number);
        assert_int_equal(known(f, text), number);
        arena_reset(&f->arena);
    }
    assert_int_equal(plan_cache_bytes(f->cache), bytes);
}

/* Each number of rows is a plan of its own; what they take is bounded all the same. */
static void rows_of_every_number(void **state)
{
    struct fixture *f = *state;
    for (int rows = 1; rows < 300; rows++) {
        const char *text = list_text(f, "INSERT INTO queue_offsets (topic) VALUES ('a')", ", ('b')",
                                     rows, "");
        struct plan_entry *e = get(f, text, false);
        assert_int_equal(e->template->check_count, rows + 1);
        assert_true(plan_cache_bytes(f->cache) <= FIXTURE_CACHE_BYTES);
        plan_entry_release(e);
        arena_reset(&f->arena);
    }
}

/* A text larger than its share is planned each time, and pushes nobody out. */
static void large_texts_are_not_kept(void **state)
{
    struct fixture *f = *state;
    const char *small = "SELECT id FROM queue_messages WHERE topic = 'a'";
    uint64_t number = serial(f, small, false);
    for (int prepared = 0; prepared < 2; prepared++) {
        const char *large = list_text(f, "SELECT id FROM queue_messages WHERE topic = '",
                                      "0123456789", FIXTURE_CACHE_BYTES / 100, "' OR 1");
        size_t bytes = plan_cache_bytes(f->cache);
        uint64_t first = serial(f, large, prepared);
        assert_int_not_equal(serial(f, large, prepared), first);
        assert_int_equal(plan_cache_bytes(f->cache), bytes);
    }
    assert_int_equal(serial(f, small, false), number);
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

/* Two that collide push each other out, and never serve for one another. */
static void collisions_take_turns(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 6; i++) {
        const char *text = i % 2 ? "SELECT id FROM queue_messages" : "DELETE FROM queue_offsets";
        assert_int_equal(lex(slice_cstr(text), &f->dialect, &f->arena, &f->lexed, NULL), MQ_OK);
        f->lexed.fingerprint = 1;
        struct plan_entry *e = plan_cache_get(f->cache, f->topology, &f->dialect, &f->lexed, false);
        assert_int_equal(e->template->writes, i % 2 == 0);
        plan_entry_release(e);
    }
}

/* Sessions of different modes share a cache: each keeps its plan. */
static void modes_take_turns(void **state)
{
    static const uint32_t modes[] = { 0, MODE_ANSI_QUOTES, MODE_NO_BACKSLASH_ESCAPES };
    struct fixture *f = *state;
    const char *text = "SELECT id FROM queue_messages WHERE topic = \"a\" OR id = '\\\\'";
    uint64_t numbers[COUNT(modes)];
    for (size_t i = 0; i < 3 * COUNT(modes); i++) {
        f->dialect.modes = modes[i % COUNT(modes)];
        uint64_t number = serial(f, text, false);
        if (i < COUNT(modes))
            numbers[i] = number;
        assert_int_equal(number, numbers[i % COUNT(modes)]);
        assert_int_equal(known(f, text), number);
    }
    assert_true(numbers[0] != numbers[1] && numbers[1] != numbers[2] && numbers[0] != numbers[2]);
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

static const char *get_table(struct fixture *f, const char *text)
{
    struct plan_entry *e = get(f, text, false);
    const char *name = e->template->table->name;
    assert_ptr_equal(e->topology, f->topology);
    plan_entry_release(e);
    return name;
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
    assert_int_equal(known(f, text), now);
    struct topology *new = f->topology;
    f->topology = old; /* a transaction that began before the reload */
    assert_int_equal(known(f, text), 0);
    assert_string_equal(get_table(f, text), "queue_messages");
    f->topology = new;
    now = serial(f, text, false);
    topology_release(old);
    assert_string_equal(e->template->table->name, "queue_messages");
    plan_entry_release(e);
    assert_int_equal(serial(f, text, false), now);
}

/* The least recently used goes first, however it was found. */
static void eviction_follows_use(void **state)
{
    struct fixture *f = *state;
    char text[96];
    const char *lexed_text = "SELECT id AS lexed FROM queue_messages WHERE topic = 'a'";
    const char *known_text = "SELECT id AS known FROM queue_messages WHERE topic = 'a'";
    const char *prepared = "SELECT id AS prepared FROM queue_messages";
    const char *unused = "SELECT id AS unused FROM queue_messages WHERE topic = 'a'";
    uint64_t numbers[] = { serial(f, lexed_text, false), serial(f, known_text, false),
                           serial(f, prepared, true), serial(f, unused, false) };
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "SELECT id AS c%d FROM queue_messages WHERE topic = 'a'", i);
        serial(f, text, false);
        assert_int_equal(serial(f, lexed_text, false), numbers[0]);
        assert_int_equal(known(f, known_text), numbers[1]);
        assert_int_equal(serial(f, prepared, true), numbers[2]);
        assert_true(plan_cache_bytes(f->cache) <= FIXTURE_CACHE_BYTES);
        arena_reset(&f->arena);
    }
    assert_int_equal(known(f, unused), 0);
    assert_int_not_equal(serial(f, unused, false), numbers[3]);
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
        TEST(texts_are_known_again),
        TEST(a_tenant_within_a_list_stays_its_own),
        TEST(prepared_is_not_known_as_text),
        TEST(many_that_begin_alike),
        TEST(lists_of_every_length),
        TEST(rows_of_every_number),
        TEST(large_texts_are_not_kept),
        TEST(collisions_are_seen),
        TEST(collisions_take_turns),
        TEST(modes_take_turns),
        TEST(another_reading_is_another_plan),
        TEST(another_topology_is_another_plan),
        TEST(memory_is_bounded),
        TEST(eviction_follows_use),
        TEST(answers_are_bounded_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
