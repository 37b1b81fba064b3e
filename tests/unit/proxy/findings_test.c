/* What is remembered of refused statements: by kind, without literals, within bounds. */
#include "proxy/findings.h"

#include "tests/unit/proxy/gate_test.h"

static struct arena arena;
static struct findings *findings;

static int open_findings(void **state)
{
    (void)state;
    arena_init(&arena);
    findings = findings_create();
    return 0;
}

static int close_findings(void **state)
{
    (void)state;
    findings_destroy(findings);
    arena_fini(&arena);
    return 0;
}

static void note(struct findings *f, const char *text, enum err_code code, const char *reason,
                 uint64_t now_ms)
{
    struct dialect dialect = dialect_default();
    struct lexed lexed;
    struct err why = { .code = code };
    snprintf(why.text, sizeof why.text, "%s", reason);
    assert_int_equal(lex(slice_cstr(text), &dialect, &arena, &lexed, NULL), MQ_OK);
    findings_note(f, &lexed, VERDICT_REJECT, &why, now_ms);
}

static struct findings_report report_of(struct findings *const *tables, size_t count)
{
    struct findings_report report = { 0 };
    for (size_t i = 0; i < count; i++)
        findings_read(tables[i], &arena, &report);
    findings_merge(&report);
    return report;
}

static struct findings_report report(void)
{
    return report_of(&findings, 1);
}

static void an_empty_table(void **state)
{
    (void)state;
    assert_int_equal(report().count, 0);
    assert_int_equal(report().forgotten, 0);
}

static void statements_are_counted_by_kind(void **state)
{
    (void)state;
    note(findings, "SELECT 'a'", MQ_SCATTER, "r", 10);
    note(findings, "select 'b'", MQ_SCATTER, "r", 30);
    note(findings, "SELECT 'a'", MQ_TENANT_MISSING, "r", 40);
    note(findings, "SELECT 'a', 1", MQ_SCATTER, "r", 50);
    struct findings_report r = report();
    assert_int_equal(r.count, 3);
    assert_int_equal(r.items[0].count, 2);
    assert_int_equal(r.items[0].first_ms, 10);
    assert_int_equal(r.items[0].last_ms, 30);
    assert_slice(r.items[0].statement, SLICE_LIT("SELECT ?"), "the first one's words");
    assert_int_equal(r.items[1].last_ms, 50);
    assert_int_equal(r.items[2].code, MQ_TENANT_MISSING);
}

static void unreadable_text_is_counted(void **state)
{
    (void)state;
    struct err why = { .code = MQ_SYNTAX, .text = "not closed near ''secret'" };
    findings_note(findings, NULL, VERDICT_REJECT, &why, 1);
    findings_note(findings, NULL, VERDICT_REJECT, &why, 2);
    struct findings_report r = report();
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].count, 2);
    assert_int_equal(r.items[0].statement.len, 0);
}

static void reasons_hold_no_literals(void **state)
{
    (void)state;
    static const struct {
        enum err_code code;
        const char *reason, *want;
    } cases[] = {
        { MQ_SCATTER, "nothing quoted", "nothing quoted" },
        { MQ_SYNTAX, "syntax near 'secret' at position 7", "syntax near '?' at position 7" },
        { MQ_SYNTAX, "syntax near ''it''s secret' at 1", "syntax near '?' at 1" },
        { MQ_SYNTAX, "'secret' and 'secret'", "'?'" },
        { MQ_NOT_UNDERSTOOD, "the session's own", "the session's own" },
        { MQ_TENANT_CONFLICT, "tenant secret and tenant other",
          "Two sources name different tenants." },
        { MQ_SYNTAX, "near '\xff'", "The statement does not parse." },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        close_findings(NULL);
        open_findings(NULL);
        note(findings, "SELECT 'a'", cases[i].code, cases[i].reason, 1);
        assert_slice(report().items[0].reason, slice_cstr(cases[i].want), cases[i].reason);
    }
}

/* The end of the literal may be missing: nothing behind its beginning is kept. */
static void cut_reasons_hold_no_literals(void **state)
{
    (void)state;
    char reason[ERR_TEXT_MAX + 100] = "it's near 'secret, 'secret";
    memset(reason + strlen(reason), 's', sizeof reason - strlen(reason) - 1);
    note(findings, "SELECT 'a'", MQ_SYNTAX, reason, 1);
    assert_slice(report().items[0].reason, SLICE_LIT("it'?"), "cut");
}

static const char *kind(size_t number)
{
    static char text[64];
    snprintf(text, sizeof text, "SELECT c%zu", number);
    return text;
}

static void the_least_recently_seen_go_first(void **state)
{
    (void)state;
    note(findings, kind(0), MQ_SCATTER, "r", 1);
    note(findings, kind(1), MQ_SCATTER, "r", 1);
    note(findings, kind(1), MQ_SCATTER, "r", 1);
    for (size_t i = 2; i < FINDINGS_MAX; i++)
        note(findings, kind(i), MQ_SCATTER, "r", 1);
    assert_int_equal(report().count, FINDINGS_MAX);
    assert_int_equal(report().forgotten, 0);
    note(findings, kind(0), MQ_SCATTER, "r", 2);
    note(findings, kind(FINDINGS_MAX), MQ_SCATTER, "r", 3);
    struct findings_report r = report();
    assert_int_equal(r.count, FINDINGS_MAX);
    assert_int_equal(r.forgotten, 2); /* both of kind 1 */
    assert_slice(r.items[0].statement, SLICE_LIT("SELECT c0"), "seen again in time");
}

static void memory_is_bounded(void **state)
{
    (void)state;
    char *text = mem_zalloc(9000);
    for (size_t i = 0; i < FINDINGS_MAX; i++) {
        size_t len = (size_t)snprintf(text, 9000, "SELECT c%zu", i);
        for (size_t room = 9000 - 8; len < room; len += 4)
            memcpy(text + len, ", bb", 5);
        note(findings, text, MQ_SCATTER, "r", i);
        arena_reset(&arena);
    }
    struct findings_report r = report();
    size_t bytes = 0;
    for (size_t i = 0; i < r.count; i++) {
        assert_true(r.items[i].statement.len < FINDING_STATEMENT_MAX);
        bytes += r.items[i].statement.len;
    }
    assert_true(bytes <= FINDINGS_BYTES_MAX);
    assert_true(r.count > FINDINGS_MAX / 2 && r.count < FINDINGS_MAX);
    assert_int_equal(r.forgotten, FINDINGS_MAX - r.count);
    mem_free(text);
}

static void tables_are_merged(void **state)
{
    (void)state;
    struct findings *other = findings_create(), *tables[] = { findings, other };
    note(findings, "SELECT 'a'", MQ_SCATTER, "r", 20);
    note(other, "SELECT 'b'", MQ_SCATTER, "r", 10);
    note(other, "SELECT 'b'", MQ_SCATTER, "r", 15);
    note(other, "SELECT a", MQ_SCATTER, "r", 30);
    struct findings_report r = report_of(tables, 2);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.items[0].count, 3);
    assert_int_equal(r.items[0].first_ms, 10);
    assert_int_equal(r.items[0].last_ms, 20);
    findings_destroy(other);
}

/* ---- SHOW MQGATE_FINDINGS ---- */

enum { FINDING_COLUMNS = 8, FINDING_CODE = 2, FINDING_COUNT = 4, FINDING_STATEMENT = 7 };

static struct slice column_of(struct slice row, int column)
{
    struct reader r = reader_of(row.data, row.len);
    struct slice value = { NULL, 0 };
    for (int i = 0; i <= column; i++) {
        if (reader_left(&r) && *r.next == 0xfb) {
            (void)read_u8(&r);
            value = slice_of(NULL, 0);
        } else {
            value = read_lenenc_slice(&r);
        }
    }
    assert_false(r.bad);
    return value;
}

struct want {
    const char *code, *count, *statement;
};

static void expect_findings(struct peer *p, const struct want *want, size_t count)
{
    uint8_t seq = 1;
    assert_slice(expect_packet(p, seq++), SLICE_LIT("\10"), "column count");
    for (int i = 0; i < FINDING_COLUMNS; i++)
        expect_packet(p, seq++);
    for (size_t i = 0; i < count; i++) {
        struct slice row = expect_packet(p, seq++);
        assert_slice(column_of(row, FINDING_CODE), slice_cstr(want[i].code), "code");
        assert_slice(column_of(row, FINDING_COUNT), slice_cstr(want[i].count), "count");
        assert_slice(column_of(row, FINDING_STATEMENT), slice_cstr(want[i].statement), "statement");
    }
    assert_int_equal((uint8_t)expect_packet(p, seq).data[0], 0xfe);
}

static void refuse(struct peer *p, const char *text)
{
    struct packet packet;
    client_query(&gate, p, text);
    assert_true(peer_packet(p, &packet));
    assert_int_equal((uint8_t)packet.payload.data[0], 0xff);
}

static void refusals_of_all_stages_are_shown(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT),
                *admin = log_in_as("admin", "mq", GATE_CLIENT);
    struct packet packet;
    refuse(p, "DELETE FROM queue_messages WHERE topic = 'secret'"); /* routing */
    refuse(p, "DELETE FROM queue_messages WHERE topic = 'other'");
    client_command(p, COM_STMT_PREPARE, SLICE_LIT("SELECT 'secret' FROM elsewhere")); /* planning */
    gate_run(&gate);
    assert_true(peer_packet(p, &packet));
    refuse(p, "SET @secret = 1");
    refuse(p, "SELECT 'secret"); /* lexing */
    refuse(p, "USE elsewhere");  /* the session */
    client_query(&gate, admin, "SHOW MQGATE_FINDINGS LIKE '%FROM%'");
    static const struct want from[] = {
        { "MQ3001", "2", "DELETE FROM queue_messages WHERE topic = ?" },
        { "MQ2004", "1", "SELECT ? FROM elsewhere" },
    };
    expect_findings(admin, from, 2);
    client_query(&gate, admin, "show mqgate_findings limit 1");
    expect_findings(admin, from, 1);
    client_query(&gate, admin, "SHOW MQGATE_FINDINGS LIKE 'USE%'");
    expect_findings(admin, &(struct want){ "MQ2013", "1", "USE elsewhere" }, 1);
    client_query(&gate, admin, "SHOW MQGATE_FINDINGS LIKE ''");
    expect_findings(admin, &(struct want){ "MQ2001", "1", NULL }, 1);
    client_query(&gate, admin, "SHOW MQGATE_FINDINGS LIKE 'nothing' LIMIT 5");
    expect_findings(admin, NULL, 0);
}

static void only_administrators_may_ask(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT);
    client_query(&gate, p, "SHOW MQGATE_FINDINGS");
    expect_err(p, 1, 1235, "MQ2003");
}

static void what_is_served_leaves_nothing(void **state)
{
    (void)state;
    struct peer *admin = log_in_as("admin", "mq", GATE_CLIENT);
    client_query(&gate, admin, "SET @mq_tenant = 'acme'");
    expect_ok(admin);
    client_query(&gate, admin, "SHOW MQGATE_FINDINGS");
    expect_findings(admin, NULL, 0);
}

static void other_forms_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SHOW MQGATE_FINDINGS WHERE 1",        "SHOW MQGATE_FINDINGS LIMIT 1, 2",
        "SHOW MQGATE_FINDINGS LIMIT 1.5",      "SHOW MQGATE_FINDINGS LIKE 5",
        "SHOW MQGATE_FINDINGS LIKE a LIMIT 1", "SHOW MQGATE_FINDINGS FROM x",
    };
    struct peer *admin = log_in_as("admin", "mq", GATE_CLIENT);
    for (size_t i = 0; i < COUNT(texts); i++)
        refuse(admin, texts[i]);
}

#define TABLE_TEST(function) \
    cmocka_unit_test_setup_teardown(function, open_findings, close_findings)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(an_empty_table),
        TABLE_TEST(statements_are_counted_by_kind),
        TABLE_TEST(unreadable_text_is_counted),
        TABLE_TEST(reasons_hold_no_literals),
        TABLE_TEST(cut_reasons_hold_no_literals),
        TABLE_TEST(the_least_recently_seen_go_first),
        TABLE_TEST(memory_is_bounded),
        TABLE_TEST(tables_are_merged),
        GATE_TEST(refusals_of_all_stages_are_shown, GATE_YAML),
        GATE_TEST(only_administrators_may_ask, GATE_YAML),
        GATE_TEST(what_is_served_leaves_nothing, GATE_YAML),
        GATE_TEST(other_forms_are_refused, GATE_YAML),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
