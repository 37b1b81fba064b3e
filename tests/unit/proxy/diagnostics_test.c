/* Whose warnings a backend holds while it is idle, and who may take them away. */
#include "tests/unit/proxy/stmt_gate.h"

#define CHANGE "UPDATE queue_offsets SET updated_at = 1"
#define CHANGE_ACME CHANGE " WHERE tenant = 'acme'"

static struct peer *one, *two;

static int log_in(void **state)
{
    open_gate(state);
    one = login(&gate, "mq@acme");
    two = login(&gate, "mq@acme");
    return 0;
}

static void answer(struct peer *shard, uint16_t warnings)
{
    say_ok(shard, &(struct ok_packet){ .status = IDLE_STATUS, .warnings = warnings });
}

/* The client's statement leaves that many warnings on the backend that is returned. */
static struct peer *change(struct peer *client, uint16_t warnings)
{
    client_query(&gate, client, CHANGE);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, CHANGE_ACME);
    answer(shard, warnings);
    assert_int_equal(expect_ok(client).warnings, warnings);
    return shard;
}

/* Both sessions at once, so that there are two backends; the first session has warnings. */
static struct peer *two_backends(void)
{
    client_query(&gate, one, CHANGE);
    struct peer *first = gate_asked(&gate);
    shard_expect(first, CHANGE_ACME);
    client_query(&gate, two, CHANGE);
    struct peer *second = gate_asked(&gate);
    shard_expect(second, CHANGE_ACME);
    assert_ptr_not_equal(first, second);
    answer(second, 0);
    expect_ok(two);
    answer(first, 1);
    expect_ok(one);
    return first;
}

static void expect_question(struct peer *client, struct peer *shard)
{
    client_query(&gate, client, "SHOW WARNINGS");
    shard_expect(shard, "SHOW WARNINGS");
    gate_say_row(&gate, shard, "Warning", IDLE_STATUS);
    expect_rows(client, (const char *const[]){ "Warning" }, 1);
}

static void others_are_lent_first(void **state)
{
    (void)state;
    struct peer *first = two_backends();
    for (int i = 0; i < 3; i++)
        assert_ptr_not_equal(change(two, 0), first);
    expect_question(one, first);
    assert_ptr_not_equal(change(two, 0), first);
    expect_question(one, first); /* asking does not use them up */
}

/* Its own next statement may run where the last one did: nobody can ask any more. */
static void its_own_session_takes_it(void **state)
{
    (void)state;
    struct peer *first = two_backends();
    assert_ptr_equal(change(one, 0), first);
    client_query(&gate, one, "SHOW COUNT(*) WARNINGS");
    expect_packet(one, 1);
    expect_packet(one, 2);
    assert_slice(expect_packet(one, 3),
                 SLICE_LIT("\1"
                           "0"),
                 "count");
    expect_nothing(first);
}

static void expect_gone(struct peer *client)
{
    client_query(&gate, client, "SHOW WARNINGS");
    expect_err(client, 1, 1235, "MQ2019");
    assert_null(gate_asked(&gate));
}

static void the_only_backend_is_taken(void **state)
{
    (void)state;
    struct peer *shard = change(one, 1);
    expect_question(one, shard);
    assert_ptr_equal(change(two, 1), shard);
    expect_gone(one);
    expect_question(two, shard);
}

static void the_backend_ends(void **state)
{
    (void)state;
    peer_close(change(one, 1));
    gate_run(&gate);
    expect_gone(one);
    change(two, 0);
}

static void the_session_ends(void **state)
{
    (void)state;
    struct peer *shard = change(one, 1);
    peer_close(one);
    gate_run(&gate);
    assert_ptr_equal(change(two, 1), shard);
    expect_question(two, shard);
}

/* The shard goes away while it is asked: no other one is. */
static void the_question_is_not_repeated(void **state)
{
    (void)state;
    struct peer *shard = change(one, 1);
    client_query(&gate, one, "SHOW WARNINGS");
    shard_expect(shard, "SHOW WARNINGS");
    peer_close(shard);
    gate_run(&gate);
    expect_err(one, 1, err_info(MQ_SHARD_LOST)->mysql_errno, "MQ5");
    assert_null(gate_asked(&gate));
}

static void ask_to_prepare(struct peer *p)
{
    client_command(p, COM_STMT_PREPARE, slice_cstr(PICK));
    gate_run(&gate);
}

/* Who waits for the backend is lent it as soon as the first session gives it back, and may need
 * nothing of it that is not known by then: it is told whose warnings it holds before the first
 * session comes to that. They are of one session, whichever end is asked. */
static void the_only_backend_is_lent_at_once(void **state)
{
    (void)state;
    struct peer *next = login(&gate, "mq@acme"); /* its statements begin at the shard of one's */
    ask_to_prepare(one);
    ask_to_prepare(next);
    struct peer *shard = gate_asked(&gate);
    shard_expect_command(shard, COM_STMT_PREPARE);
    expect_nothing(next);
    shard_say_prepared_warned(&gate, shard, THEIR_ID, 1, 1);
    assert_int_equal(expect_prepared(one, 0).warnings, 1);
    assert_int_equal(expect_prepared(next, 0).warnings, 1);
    expect_gone(one);
    expect_question(next, shard);
    peer_close(next);
    gate_run(&gate);
    client_query(&gate, one, "SHOW WARNINGS");
    expect_packet(one, 1); /* that they are gone, which was its last error */
    assert_null(gate_asked(&gate));
}

/* The same with a statement that runs there: the link of the first is cut on both ends. */
static void the_next_session_cuts_the_link(void **state)
{
    (void)state;
    client_query(&gate, one, CHANGE);
    client_query(&gate, two, CHANGE);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, CHANGE_ACME);
    answer(shard, 1);
    expect_ok(one);
    shard_expect(shard, CHANGE_ACME); /* two's, at once */
    expect_gone(one);
    peer_close(one);
    gate_run(&gate);
    answer(shard, 1);
    expect_ok(two);
    expect_question(two, shard);
}

#define TEST(function) GATE_TEST_WITH(function, log_in, GATE_YAML)
#define NARROW(function) GATE_TEST_WITH(function, log_in, NARROW_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(others_are_lent_first),
        TEST(its_own_session_takes_it),
        NARROW(the_only_backend_is_taken),
        NARROW(the_only_backend_is_lent_at_once),
        NARROW(the_next_session_cuts_the_link),
        TEST(the_backend_ends),
        TEST(the_session_ends),
        TEST(the_question_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
