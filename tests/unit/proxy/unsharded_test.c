/* The unsharded keyspace: what is relayed to its server, and the connection that a session keeps
 * there beside those that shards lend it. */
#include "tests/unit/proxy/gate_test.h"

#define ORDERS "SELECT * FROM orders /* queue_messages */ WHERE s = 'queue_offsets'"
#define OFFSETS "SELECT topic FROM queue_offsets"
#define OFFSETS_SENT "SELECT topic FROM queue_offsets WHERE tenant = 'acme'"

#define LIMITED_YAML                                               \
    GATE_UNSHARDED_YAML "limits: {transaction_idle_timeout: 2s}\n" \
                        "pool: {silence_timeout: 3s}\n"

enum { UNSHARDED = 2 };

static struct peer *client;

static int log_in(void **state)
{
    open_gate(state);
    client = login(&gate, "mq@acme");
    return 0;
}

/* The only connection to the unsharded server on which something was asked. */
static struct peer *asked_server(void)
{
    struct peer *server = gate_asked(&gate);
    assert_non_null(server);
    assert_int_equal(server->shard, UNSHARDED);
    return server;
}

static struct peer *expect_database(const char *name)
{
    struct peer *server = asked_server();
    assert_slice(shard_expect_command(server, COM_INIT_DB), slice_cstr(name), "database");
    gate_say_ok(&gate, server, IDLE_STATUS);
    return server;
}

/* A statement that reaches the server as it is, on the connection that is returned. */
static struct peer *relay(struct peer *p, const char *text, uint16_t status)
{
    client_query(&gate, p, text);
    struct peer *server = asked_server();
    shard_expect(server, text);
    gate_say_ok(&gate, server, status);
    expect_ok(p);
    return server;
}

/* The same on a new connection, which is brought to the database first. */
static struct peer *relay_first(struct peer *p, const char *text, uint16_t status)
{
    client_query(&gate, p, text);
    struct peer *server = expect_database("app_db");
    shard_expect(server, text);
    gate_say_ok(&gate, server, status);
    expect_ok(p);
    return server;
}

/* A queue statement, for a shard. */
static void ask_shard(struct peer *p)
{
    client_query(&gate, p, OFFSETS);
    struct peer *shard = gate_asked(&gate);
    assert_non_null(shard);
    assert_int_equal(shard->shard, 0);
    shard_expect(shard, OFFSETS_SENT);
    gate_say_row(&gate, shard, "t", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "t" }, 1);
}

static void expect_refusal(struct peer *p, const char *text, uint16_t code, const char *message)
{
    client_query(&gate, p, text);
    expect_err(p, 1, code, message);
    assert_null(gate_asked(&gate));
}

static void it_is_relayed_as_it_is(void **state)
{
    (void)state;
    struct peer *server = relay_first(client, ORDERS, IDLE_STATUS);
    assert_ptr_equal(relay(client, ORDERS, IDLE_STATUS), server);
    ask_shard(client);
}

static void its_connections_are_shared(void **state)
{
    struct peer *other = login(&gate, "mq@globex");
    (void)state;
    struct peer *server = relay_first(client, ORDERS, IDLE_STATUS);
    assert_ptr_equal(relay(other, "INSERT INTO orders VALUES (1)", IDLE_STATUS), server);
}

static void what_is_kept_there_keeps_the_connection(void **state)
{
    struct peer *other = login(&gate, "mq@globex");
    (void)state;
    struct peer *home = relay_first(client, "CREATE TEMPORARY TABLE t (a INT)", IDLE_STATUS);
    assert_ptr_not_equal(relay_first(other, ORDERS, IDLE_STATUS), home);
    ask_shard(client);
    assert_ptr_equal(relay(client, "SELECT a FROM t", IDLE_STATUS), home);
    peer_close(client);
    gate_run(&gate);
    assert_true(home->closed);
}

/* Every statement that is not known to leave nothing. */
static void what_keeps_it(void **state)
{
    static const char *const statements[] = {
        "LOCK TABLES t READ",
        "HANDLER t OPEN",
        "PREPARE p FROM 'SELECT 1'",
        "SELECT GET_LOCK('a', 1)",
        "DO GET_LOCK('a', 1)",
        "SELECT `get_lock`('a', 1)",
        "DO `GET_LOCK` ('a', 1)",
        "SELECT SQL_CALC_FOUND_ROWS * FROM t",
        "SELECT a INTO @x FROM t",
        "SELECT NEXT VALUE FOR seq",
        "FROBNICATE t",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(statements); i++) {
        struct peer *p = login(&gate, "mq@acme");
        client_query(&gate, p, statements[i]);
        struct peer *home = expect_database("app_db");
        shard_expect(home, statements[i]);
        gate_say_ok(&gate, home, IDLE_STATUS);
        expect_ok(p);
        peer_close(p);
        gate_run(&gate);
        if (!home->closed)
            fail_msg("another session gets what %s has left", statements[i]);
    }
}

static void a_reset_gives_it_up(void **state)
{
    (void)state;
    struct peer *home = relay_first(client, "LOCK TABLES t READ", IDLE_STATUS);
    client_command(client, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(home, COM_RESET_CONNECTION);
    expect_nothing(client); /* not before the lock is gone */
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
    assert_true(home->closed);
    relay_first(client, ORDERS, IDLE_STATUS);
}

static void its_loss_ends_the_session(void **state)
{
    (void)state;
    struct peer *home = relay_first(client, "LOCK TABLES t READ", IDLE_STATUS);
    peer_close(home);
    gate_run(&gate);
    client_query(&gate, client, OFFSETS);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed);
}

static void its_loss_during_a_statement(void **state)
{
    (void)state;
    struct peer *home = relay_first(client, "LOCK TABLES t READ", IDLE_STATUS);
    client_query(&gate, client, ORDERS);
    peer_close(home);
    gate_run(&gate);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed);
}

/* What CALL has left is asked for before the next statement, and nobody answers, or badly. */
static void its_loss_while_it_is_asked(void **state)
{
    static const char question[] = "SELECT 0, DATABASE(), @@sql_mode";
    enum { CLOSED, REFUSED, ONE_COLUMN, WAYS };
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        struct peer *p = login(&gate, "mq@acme");
        struct peer *home = relay_first(p, "CALL p()", IDLE_STATUS);
        client_query(&gate, p, ORDERS);
        shard_expect(home, question);
        if (way == CLOSED)
            peer_close(home);
        else if (way == REFUSED)
            gate_say_err(&gate, home, 1317, "Query execution was interrupted");
        else
            gate_say_row(&gate, home, "0", IDLE_STATUS);
        gate_run(&gate);
        expect_err(p, 1, 1158, "MQ5002");
        gate_run(&gate);
        assert_true(p->closed);
    }
}

static void a_transaction_is_of_one_keyspace(void **state)
{
    (void)state;
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
    client_query(&gate, client, ORDERS);
    struct peer *server = expect_database("app_db");
    shard_expect(server, "BEGIN");
    gate_say_ok(&gate, server, OPEN_STATUS);
    shard_expect(server, ORDERS);
    gate_say_ok(&gate, server, OPEN_STATUS);
    expect_ok(client);
    expect_refusal(client, OFFSETS, 1105, "MQ3017");
    client_query(&gate, client, "COMMIT");
    shard_expect(server, "COMMIT");
    gate_say_ok(&gate, server, IDLE_STATUS);
    expect_ok(client);
    ask_shard(client);
}

static void nor_the_other_way_round(void **state)
{
    (void)state;
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
    client_query(&gate, client, OFFSETS);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "BEGIN");
    gate_say_ok(&gate, shard, OPEN_STATUS);
    shard_expect(shard, OFFSETS_SENT);
    gate_say_row(&gate, shard, "t", OPEN_STATUS);
    expect_rows(client, (const char *const[]){ "t" }, 1);
    expect_refusal(client, ORDERS, 1105, "MQ3017");
    client_query(&gate, client, "SELECT 1"); /* which names no table */
    shard_expect(shard, "SELECT 1");
    gate_say_row(&gate, shard, "1", OPEN_STATUS);
    expect_rows(client, (const char *const[]){ "1" }, 1);
}

/* Whether the statement has used it up is not known. */
static void the_level_of_one_transaction_goes_no_further(void **state)
{
    (void)state;
    struct peer *other = login(&gate, "mq@acme");
    client_query(&gate, client, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    expect_ok(client);
    struct peer *server = relay_first(client, "DO 1", IDLE_STATUS);
    assert_string_equal(buf_cstr(&gate.set), "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    assert_ptr_equal(relay(other, ORDERS, IDLE_STATUS), server);
    assert_string_equal(buf_cstr(&gate.set),
                        "SET transaction_isolation = DEFAULT, transaction_read_only = DEFAULT");
    buf_clear(&gate.set);
    relay(other, ORDERS, IDLE_STATUS);
    assert_int_equal(buf_len(&gate.set), 0);
}

/* Who had no database has none on a connection where another has said USE. */
static void use_is_of_one_session(void **state)
{
    (void)state;
    struct peer *user = login(&gate, NULL), *other = login(&gate, NULL);
    client_query(&gate, user, "USE other");
    struct peer *used = expect_database("other");
    expect_ok(user);
    client_query(&gate, other, ORDERS);
    struct peer *server = asked_server();
    assert_ptr_not_equal(server, used);
    shard_expect(server, ORDERS);
}

/* Connections that are older than a SET GLOBAL serve nobody but the session that keeps one. */
static void set_global_is_seen_by_who_comes_next(void **state)
{
    (void)state;
    struct peer *other = login(&gate, "mq@acme");
    struct peer *home = relay_first(client, "LOCK TABLES t READ", IDLE_STATUS);
    struct peer *older = relay_first(other, ORDERS, IDLE_STATUS);
    client_query(&gate, client, "SET GLOBAL max_allowed_packet = 65536");
    expect_ok(client);
    struct peer *newer = relay_first(other, ORDERS, IDLE_STATUS);
    assert_true(older->closed);
    assert_ptr_equal(relay(other, ORDERS, IDLE_STATUS), newer);
    assert_ptr_equal(relay(client, ORDERS, IDLE_STATUS), home);
}

static void mixing_is_refused(void **state)
{
    (void)state;
    expect_refusal(client, "SELECT * FROM orders JOIN queue_offsets", 1235, "MQ2017");
    expect_refusal(client, "SELECT @mq_tenant FROM orders", 1146, "MQ2004");
    expect_refusal(client, "SELECT * FROM mq.orders", 1049, "MQ2013");
}

static void another_database_is_the_servers(void **state)
{
    (void)state;
    client_query(&gate, client, "USE other");
    struct peer *server = expect_database("other");
    expect_ok(client);
    assert_ptr_equal(relay(client, ORDERS, IDLE_STATUS), server);
    expect_refusal(client, OFFSETS, 1146, "MQ2004");
    client_query(&gate, client, "USE nosuch");
    shard_expect_command(server, COM_INIT_DB);
    gate_say_err(&gate, server, 1049, "Unknown database 'nosuch'");
    expect_err(client, 1, 1049, "Unknown database");
    assert_ptr_equal(relay(client, ORDERS, IDLE_STATUS), server);
    client_query(&gate, client, "USE mq");
    expect_ok(client);
    ask_shard(client);
    client_query(&gate, client, ORDERS);
    expect_database("app_db");
}

static void a_login_may_name_it(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    char kill[32];
    snprintf(kill, sizeof kill, "KILL %u", atomic_load(&gate.fleet.next_connection_id) - 1);
    (void)client_login(&gate, p, "app", "other", GATE_CLIENT);
    struct peer *server = expect_database("other");
    assert_int_equal(expect_packet(p, 3).data[0], 0);
    assert_ptr_equal(relay(p, ORDERS, IDLE_STATUS), server);
    client_query(&gate, client, kill); /* it is known like any other */
    expect_ok(client);
    assert_true(p->closed);

    struct peer *wrong = client_connect(&gate);
    (void)client_login(&gate, wrong, "app", "nosuch", GATE_CLIENT);
    shard_expect_command(asked_server(), COM_INIT_DB);
    gate_say_err(&gate, server, 1049, "Unknown database 'nosuch'");
    expect_err(wrong, 3, 1049, "Unknown database");
    gate_run(&gate);
    assert_true(wrong->closed);
}

static void say_inserted(struct peer *server, uint64_t id)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    shard_ok(
        &b, &seq,
        &(struct ok_packet){ .status = IDLE_STATUS, .affected_rows = 1, .last_insert_id = id });
    peer_send_buf(server, &b);
    gate_run(&gate);
}

static void expect_insert_id_row(const char *id)
{
    (void)expect_packet(client, 1);
    (void)expect_packet(client, 2);
    struct slice row = expect_packet(client, 3);
    assert_slice(slice_of(row.data + 1, row.len - 1), slice_cstr(id), "LAST_INSERT_ID()");
    (void)expect_packet(client, 4);
}

static void insert(struct peer *p, struct peer *server, const char *text, uint64_t id)
{
    client_query(&gate, p, text);
    shard_expect(server, text);
    say_inserted(server, id);
    assert_int_equal(expect_ok(p).last_insert_id, id);
}

/* The answer has an id in both cases; only a generated one is LAST_INSERT_ID(). */
static void an_id_of_the_clients_is_none(void **state)
{
    (void)state;
    struct peer *server = relay_first(client, ORDERS, IDLE_STATUS);
    insert(client, server, "INSERT INTO orders (s) VALUES ('a')", 77);
    client_query(&gate, client, "SELECT LAST_INSERT_ID()");
    expect_insert_id_row("77");
    insert(client, server, "INSERT INTO orders VALUES (78, 'b')", 78);
    client_query(&gate, client, "SELECT LAST_INSERT_ID()");
    shard_expect(server, "SELECT LAST_INSERT_ID()");
    gate_say_row(&gate, server, "77", IDLE_STATUS);
    expect_insert_id_row("77");
}

static void the_servers_own_is_the_sessions(void **state)
{
    static const char use[] = "INSERT INTO lines SELECT LAST_INSERT_ID() FROM dual";
    struct peer *other = login(&gate, "mq@acme");
    (void)state;
    struct peer *server = relay_first(client, ORDERS, IDLE_STATUS);
    insert(client, server, "INSERT INTO orders (s) VALUES ('a')", 1234);
    relay(client, use, IDLE_STATUS); /* it has it already */
    insert(client, server, "INSERT INTO orders (s) VALUES ('a')", 1235);
    insert(other, server, "INSERT INTO orders (s) VALUES ('b')", 1236);
    client_query(&gate, client, use);
    shard_expect(server, "DO LAST_INSERT_ID(1235)");
    gate_say_ok(&gate, server, IDLE_STATUS);
    shard_expect(server, use);
}

/* One row of one column, which the client gets. */
static void say_one(struct peer *server, struct peer *p, const char *value)
{
    gate_say_row(&gate, server, value, IDLE_STATUS);
    expect_packet(p, 1);
    expect_packet(p, 2);
    struct slice row = expect_packet(p, 3);
    assert_slice(slice_of(row.data + 1, row.len - 1), slice_cstr(value), "value");
    expect_packet(p, 4);
}

/* How many rows a query found is known on one connection only, since the query is not parsed. */
static void what_the_last_statement_left(void **state)
{
    struct peer *other = login(&gate, "mq@acme");
    (void)state;
    client_query(&gate, client, ORDERS);
    struct peer *server = expect_database("app_db");
    shard_expect(server, ORDERS);
    say_one(server, client, "x");
    ask_shard(client);
    client_query(&gate, client, ORDERS);
    shard_expect(server, ORDERS);
    say_one(server, client, "x");
    client_query(&gate, client, "SELECT FOUND_ROWS()");
    shard_expect(server, "SELECT FOUND_ROWS()");
    say_one(server, client, "5");
    client_query(&gate, client, ORDERS);
    shard_expect(server, ORDERS);
    say_one(server, client, "x");
    assert_ptr_equal(relay(other, "INSERT INTO orders VALUES (1)", IDLE_STATUS), server);
    expect_refusal(client, "SELECT FOUND_ROWS()", 1235, "MQ2019");
}

static void say_mode(struct peer *server, const char *mode)
{
    struct buf b;
    uint8_t seq = 1;
    static const struct column_def columns[2] = { { .type = TYPE_VAR_STRING },
                                                  { .type = TYPE_VAR_STRING } };
    const struct slice row[] = { SLICE_LIT("0"), slice_cstr(mode) };
    struct text_result told = {
        .columns = columns, .column_count = 2, .rows = row, .row_count = 1
    };
    buf_init(&b);
    text_result_write(&b, &seq, &told, gate.shard_capabilities, IDLE_STATUS, 0);
    peer_send_buf(server, &b);
    gate_run(&gate);
}

/* The question would take away what the statement has left, so it waits. */
static void an_expression_is_asked_for(void **state)
{
    (void)state;
    struct peer *server = relay_first(client, ORDERS, IDLE_STATUS);
    client_query(&gate, client, "SET sql_mode = CONCAT(@x, 'QUOTES')");
    expect_ok(client);
    client_query(&gate, client, "SELECT @@warning_count");
    shard_expect(server, "SELECT  CAST(0 AS UNSIGNED) AS `@@warning_count`");
    say_one(server, client, "0");
    client_query(&gate, client, "SELECT \"topic\" FROM \"queue_offsets\"");
    shard_expect(server, "SELECT 0, @@sql_mode");
    say_mode(server, "ANSI_QUOTES");
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "SELECT \"topic\" FROM \"queue_offsets\" WHERE tenant = 'acme'");
    assert_non_null(strstr(buf_cstr(&gate.set), "sql_mode = 'ANSI_QUOTES'"));
}

static void a_mode_that_cannot_be_followed(void **state)
{
    (void)state;
    struct peer *server = relay_first(client, "CALL p()", IDLE_STATUS);
    client_query(&gate, client, ORDERS);
    shard_expect_command(server, COM_QUERY);
    struct buf b;
    uint8_t seq = 1;
    static const struct column_def columns[3] = { { .type = TYPE_VAR_STRING },
                                                  { .type = TYPE_VAR_STRING },
                                                  { .type = TYPE_VAR_STRING } };
    const struct slice row[] = { SLICE_LIT("0"), SLICE_LIT("app_db"), SLICE_LIT("ORACLE") };
    struct text_result told = {
        .columns = columns, .column_count = 3, .rows = row, .row_count = 1
    };
    buf_init(&b);
    text_result_write(&b, &seq, &told, gate.shard_capabilities, IDLE_STATUS, 0);
    peer_send_buf(server, &b);
    gate_run(&gate);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed && server->closed);
}

/* A shard would answer as if it had not been set. */
static void variables_that_shards_lack(void **state)
{
    (void)state;
    client_query(&gate, client, "SET @@session.insert_id = 1, @x = 2");
    expect_database("app_db");
    expect_ok(client);
    expect_refusal(client, OFFSETS, 1193, "MQ2015");
    client_command(client, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    struct peer *home = asked_server();
    shard_expect_command(home, COM_RESET_CONNECTION);
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
    client_query(&gate, client, "SET @x = 2");
    expect_database("app_db");
    expect_ok(client);
    ask_shard(client);
}

static void down_it_stops_nothing_else(void **state)
{
    (void)state;
    gate.refuse_connections = true;
    client_query(&gate, client, ORDERS);
    expect_err(client, 1, 1160, "MQ5001");
    gate.refuse_connections = false;
    ask_shard(client);
}

/* A transaction on the home is not rolled back behind the client's back: all of it goes. */
static void a_home_goes_with_its_transaction(void **state)
{
    (void)state;
    struct peer *home = relay_first(client, "CREATE TEMPORARY TABLE t (a INT)", IDLE_STATUS);
    relay(client, "INSERT INTO orders VALUES (1)", OPEN_STATUS);
    gate_pass_time(&gate, 2100);
    assert_true(home->closed);
    client_query(&gate, client, ORDERS);
    gate_run(&gate);
    assert_null(gate_asked(&gate));
    assert_true(client->closed);
}

/* While a shard works for the session, its home has nothing to say. */
static void a_quiet_home_is_not_doubted(void **state)
{
    (void)state;
    relay_first(client, "CREATE TEMPORARY TABLE t (a INT)", IDLE_STATUS);
    client_query(&gate, client, OFFSETS);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, OFFSETS_SENT);
    gate_pass_time(&gate, 2900);
    peer_send(shard, "\1\0\0\1\1", 5); /* the shard says something */
    gate_run(&gate);
    gate_pass_time(&gate, 200);
    assert_null(gate_asked(&gate));
}

#define TEST(function) GATE_TEST_WITH(function, log_in, GATE_UNSHARDED_YAML)
#define LIMITED(function) GATE_TEST_WITH(function, log_in, LIMITED_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_relayed_as_it_is),
        TEST(its_connections_are_shared),
        TEST(what_is_kept_there_keeps_the_connection),
        TEST(what_keeps_it),
        TEST(a_reset_gives_it_up),
        TEST(its_loss_ends_the_session),
        TEST(its_loss_during_a_statement),
        TEST(its_loss_while_it_is_asked),
        TEST(a_transaction_is_of_one_keyspace),
        TEST(nor_the_other_way_round),
        TEST(the_level_of_one_transaction_goes_no_further),
        TEST(use_is_of_one_session),
        TEST(set_global_is_seen_by_who_comes_next),
        TEST(mixing_is_refused),
        TEST(another_database_is_the_servers),
        TEST(a_login_may_name_it),
        TEST(an_id_of_the_clients_is_none),
        TEST(the_servers_own_is_the_sessions),
        TEST(what_the_last_statement_left),
        TEST(an_expression_is_asked_for),
        TEST(a_mode_that_cannot_be_followed),
        TEST(variables_that_shards_lack),
        TEST(down_it_stops_nothing_else),
        LIMITED(a_home_goes_with_its_transaction),
        LIMITED(a_quiet_home_is_not_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
