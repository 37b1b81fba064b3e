/* How commands come: several at once, large ones, too large ones. */
#include "tests/unit/proxy/gate_test.h"

static void pipelined_commands_are_answered_in_order(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_PING, SLICE_LIT(""));
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_INIT_DB, SLICE_LIT("mq@globex"));
    client_command(p, COM_PING, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect(shard, PICK_ACME);
    expect_nothing(shard);
    gate_say_err(&gate, shard, 1146, "first");
    expect_err(p, 1, 1146, "first");
    expect_ok(p);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1146, "second");
    expect_err(p, 1, 1146, "second");
    expect_err(p, 1, 1105, "MQ"); /* acme was chosen at login */
    expect_ok(p);
    expect_nothing(p);
}

/* A command of some size behind another one: reading goes on once it is its turn. */
static void a_large_command_may_be_pipelined(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf text;
    buf_init(&text);
    buf_append_cstr(&text, "SELECT id FROM queue_messages WHERE topic = '");
    append_fill(&text, 't', 3 << 20);
    buf_append_cstr(&text, "'");
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&gate);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    assert_true(shard_expect_command(shard, COM_QUERY).len > 3 << 20);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    buf_fini(&text);
}

/* Statements of several packets: the tenant's condition may make one more of them. */
static void commands_above_16_mib(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    static const size_t sizes[] = { PACKET_MAX - 60, PACKET_MAX + 100 };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct buf text, answer;
        buf_init(&text);
        buf_append_cstr(&text, "DELETE FROM queue_messages WHERE payload = '");
        size_t fill = sizes[i] - buf_len(&text) - 1;
        append_fill(&text, 't', fill);
        buf_append_cstr(&text, "'");
        client_command(p, COM_QUERY, buf_slice(&text));
        gate_run(&gate);
        struct packet packet;
        assert_true(peer_packet(shard, &packet));
        assert_true(packet.payload.len > sizes[i]);
        uint8_t seq = (uint8_t)(packet.last_seq + 1);
        buf_init(&answer);
        shard_ok(&answer, &seq, &(struct ok_packet){ .status = IDLE_STATUS });
        peer_send_buf(shard, &answer);
        gate_run(&gate);
        expect_packet(p, (uint8_t)((sizes[i] + 1) / PACKET_MAX + 1));
        buf_fini(&text);
    }
}

static void too_large_commands_are_refused(void **state)
{
    (void)state;
    reopen_gate(GATE_YAML "limits: {max_statement_size: 1MiB}\n");
    struct peer *p = login(&gate, "mq@acme");
    struct buf text;
    buf_init(&text);
    append_fill(&text, 't', 4 << 20);
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&gate);
    expect_err(p, 1, 1153, "MQ");
    assert_int_equal(buf_len(&p->unsent),
                     0); /* all was taken, so that the client sees the answer */
    assert_false(p->closed);
    gate_pass_time(&gate, 10000);
    assert_true(p->closed);
    buf_fini(&text);
}

static void held_behind_a_command_of_its_own(void **state)
{
    (void)state;
    gate.worker->dialect_known = false;
    struct peer *p = login(&gate, "mq@acme");
    gate.by_hand = true;
    /* Kept while held, then one that holds again behind one that does not. */
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_PING, SLICE_LIT(""));
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    gate_run(&gate);
    gate.by_hand = false;
    gate_run(&gate);
    for (int i = 0; i < 2; i++) {
        struct peer *shard = gate_asked(&gate);
        shard_expect(shard, PICK_ACME);
        gate.worker->dialect_known = false;
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(p);
        if (i == 0)
            expect_ok(p);
    }
}

static void an_answer_before_the_end_of_the_command(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    shard->deaf = true;
    struct buf text;
    buf_init(&text);
    buf_append_cstr(&text, "SELECT id FROM queue_messages WHERE topic = '");
    append_fill(&text, 't', 4 << 20);
    buf_append_cstr(&text, "'");
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&gate);
    gate_say_err(&gate, shard, 1153, "Got a packet bigger than 'max_allowed_packet' bytes");
    expect_err(p, 1, 1153, "Got a packet");
    shard->deaf = false;
    gate_run(&gate);
    assert_true(shard->closed);
    buf_fini(&text);
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pipelined_commands_are_answered_in_order),
        TEST(a_large_command_may_be_pipelined),
        TEST(commands_above_16_mib),
        TEST(too_large_commands_are_refused),
        TEST(held_behind_a_command_of_its_own),
        TEST(an_answer_before_the_end_of_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
