/* What vtgate says, as its clients are told. Texts as Vitess 24 gives them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "routing/vitess_error.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TABLET(code) "target: queue.-80.primary: vttablet: rpc error: code = " code " desc = "
#define TAIL " (CallerID: app): Sql: \"insert into t values (:v1)\", BindVars: {v1: \"value:\\\"s\\\"\"}"

static void errors(void **state)
{
    static const struct {
        unsigned code;
        const char *said;
        enum err_code want;
        const char *told;
    } cases[] = {
        { 1062,
          TABLET("AlreadyExists") "Duplicate entry 'acme-t' for key 't.PRIMARY' (errno 1062) "
                                  "(sqlstate 23000)" TAIL,
          MQ_OK, "Duplicate entry 'acme-t' for key 't.PRIMARY'" },
        { 1213,
          TABLET("Aborted") "Deadlock found when trying to get lock; try restarting transaction "
                            "(errno 1213) (sqlstate 40001)" TAIL,
          MQ_OK, "Deadlock found when trying to get lock; try restarting transaction" },
        { 1290,
          TABLET("Code(17)") "The MySQL server is running with the --super-read-only option so it "
                             "cannot execute this statement (errno 1290) (sqlstate HY000)" TAIL,
          MQ_OK,
          "The MySQL server is running with the --super-read-only option so it cannot execute this "
          "statement" },
        { 1105, TABLET("Code(17)") "operation not allowed in state SHUTTING_DOWN",
          MQ_VITESS_UNAVAILABLE, "operation not allowed in state SHUTTING_DOWN" },
        { 1105,
          "target: queue.80-.primary: no healthy tablet available for 'keyspace:\"queue\" "
          "shard:\"80-\" tablet_type:PRIMARY'",
          MQ_VITESS_UNAVAILABLE,
          "target: queue.80-.primary: no healthy tablet available for 'keyspace:\"queue\" "
          "shard:\"80-\" tablet_type:PRIMARY'" },
        { 1105,
          "target: queue.80-.primary: primary is not serving, there is a reparent operation in "
          "progress",
          MQ_VITESS_UNAVAILABLE,
          "target: queue.80-.primary: primary is not serving, there is a reparent operation in "
          "progress" },
        { 1105, "current keyspace is being resharded", MQ_VITESS_UNAVAILABLE,
          "current keyspace is being resharded" },
        { 2002,
          TABLET("Unavailable") "net.Dial(/s) to local server failed: dial unix /s: connect: no "
                                "such file or directory (errno 2002) (sqlstate HY000)" TAIL,
          MQ_VITESS_UNAVAILABLE,
          "net.Dial(/s) to local server failed: dial unix /s: connect: no such file or directory" },
        { 2013,
          TABLET("Unavailable") "EOF (errno 2013) (sqlstate HY000)" TAIL, MQ_SHARD_LOST, "EOF" },
        { 1317,
          TABLET("Aborted") "transaction 1796: ended at 2026-11-30 22:30:54.336 UTC (exceeded "
                            "timeout: 30s)" TAIL,
          MQ_VITESS_TRANSACTION,
          "transaction 1796: ended at 2026-11-30 22:30:54.336 UTC (exceeded timeout: 30s)" },
        { 1317, TABLET("Aborted") "transaction 1796: not found" TAIL, MQ_VITESS_TRANSACTION,
          "transaction 1796: not found" },
        { 1105, "VT09032: previous transaction failed. Issue a ROLLBACK to resolve the failure.",
          MQ_VITESS_TRANSACTION,
          "VT09032: previous transaction failed. Issue a ROLLBACK to resolve the failure." },
        { 1203,
          TABLET("ResourceExhausted") "transaction pool connection limit exceeded" TAIL,
          MQ_SHARD_BUSY, "transaction pool connection limit exceeded" },
        { 1153, TABLET("Aborted") "Row count exceeded 10000" TAIL, MQ_VITESS_LIMIT,
          "Row count exceeded 10000" },
        { 1317, "multi-db transaction attempted: [target:{keyspace:\"queue\"}]", MQ_VITESS_MODE,
          "multi-db transaction attempted: [target:{keyspace:\"queue\"}]" },
        { 1105,
          "plan includes scatter, which is disallowed using the `no-scatter` command line argument",
          MQ_SCATTER,
          "plan includes scatter, which is disallowed using the `no-scatter` command line "
          "argument" },
        { 1235, "VT12001: unsupported: REPLACE INTO with sharded keyspace", MQ_VITESS_UNSUPPORTED,
          "VT12001: unsupported: REPLACE INTO with sharded keyspace" },
        { 1105, "syntax error at position 6 near 'SELEC'", MQ_VITESS_UNSUPPORTED,
          "syntax error at position 6 near 'SELEC'" },
        { 1317, TABLET("DeadlineExceeded") "context deadline exceeded" TAIL,
          MQ_STATEMENT_TIMEOUT, "context deadline exceeded" },
        { 1054, "column 'nocol' not found in table 'queue_messages'", MQ_OK,
          "column 'nocol' not found in table 'queue_messages'" },
        /* What a client has written is no part of what Vitess says. */
        { 1062,
          TABLET("AlreadyExists") "Duplicate entry 'VT15001 no healthy tablet available' for key "
                                  "'t.PRIMARY' (errno 1062) (sqlstate 23000)" TAIL,
          MQ_OK, "Duplicate entry 'VT15001 no healthy tablet available' for key 't.PRIMARY'" },
        { 1064, TABLET("InvalidArgument") "x: Sql: \"select 'VT12001'\", BindVars: {}", MQ_OK, "x" },
        { 1, "", MQ_OK, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct slice told;
        enum err_code code = vitess_error(cases[i].code, slice_cstr(cases[i].said), &told);
        if (code != cases[i].want || !slice_eq(told, slice_cstr(cases[i].told)))
            fail_msg("%s: got %d, %.*s", cases[i].said, (int)code, (int)told.len, told.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
