/* Statements out of scripts, logs and digests, whatever the pieces they come in. */
#include "collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct file_case {
    const char *why;
    enum capture_format format;
    const char *text, *want;
};

static const struct file_case scripts[] = {
    { "statements", CAPTURE_SCRIPT, "SELECT 1;\nSELECT 2 ; SELECT 3\n",
      "statement 1 |SELECT 1|\nstatement 2 |SELECT 2 |\nstatement 2 |SELECT 3\n|\n" },
    { "several lines", CAPTURE_SCRIPT, "SELECT\n 1\n;\n", "statement 1 |SELECT\n 1\n|\n" },
    { "strings and names hide the delimiter", CAPTURE_SCRIPT, "SELECT ';', \";\", `;`;\n",
      "statement 1 |SELECT ';', \";\", `;`|\n" },
    { "doubled quotes", CAPTURE_SCRIPT, "SELECT 'a'';', \"\"\";\";x;",
      "statement 1 |SELECT 'a'';', \"\"\";\"|\nstatement 1 |x|\n" },
    { "backslashes", CAPTURE_SCRIPT, "SELECT '\\';', 'a\\\\';x;",
      "statement 1 |SELECT '\\';', 'a\\\\'|\nstatement 1 |x|\n" },
    { "no escape in a name", CAPTURE_SCRIPT, "SELECT `a\\`;x;",
      "statement 1 |SELECT `a\\`|\nstatement 1 |x|\n" },
    { "strings over lines", CAPTURE_SCRIPT, "SELECT 'a\n;b';x;",
      "statement 1 |SELECT 'a\n;b'|\nstatement 2 |x|\n" },
    { "comments hide the delimiter", CAPTURE_SCRIPT,
      "SELECT 1 -- ;\n+ 2 # ;\n+ /* ; */ 3;\n--\n-- end;\n",
      "statement 1 |SELECT 1 -- ;\n+ 2 # ;\n+ /* ; */ 3|\n" },
    { "the delimiter is a comment's first byte", CAPTURE_SCRIPT, "SELECT /*;*/ 1 /*M;*/ ;x;",
      "statement 1 |SELECT /*;*/ 1 /*M;*/ |\nstatement 1 |x|\n" },
    { "dashes at a line's end", CAPTURE_SCRIPT, "--\nSELECT 1 --\n;x;",
      "statement 2 |--\nSELECT 1 --\n|\nstatement 3 |x|\n" },
    { "a comment that begins with M", CAPTURE_SCRIPT, "/*May ; */SELECT 1;/*M!50701 x; */;/*M*/;",
      "statement 1 |/*May ; */SELECT 1|\nstatement 1 |/*M!50701 x|\nstatement 1 |*/|\n" },
    { "a line's end behind a backslash", CAPTURE_SCRIPT, "SELECT 'a\\\n';x;",
      "statement 1 |SELECT 'a\\\n'|\nstatement 2 |x|\n" },
    { "a comment's end over two lines", CAPTURE_SCRIPT, "SELECT /* *\n/ ; */ 1;",
      "statement 1 |SELECT /* *\n/ ; */ 1|\n" },
    { "marks of comments within comments", CAPTURE_SCRIPT, "a -- b # ;\n# -- ;\n/* # -- ; */ c;x;",
      "statement 1 |a -- b # ;\n# -- ;\n/* # -- ; */ c|\nstatement 3 |x|\n" },
    { "no comment", CAPTURE_SCRIPT, "SELECT 1--2;SELECT 4 / *;",
      "statement 1 |SELECT 1--2|\nstatement 1 |SELECT 4 / *|\n" },
    { "a comment's end is not its beginning", CAPTURE_SCRIPT, "/*/ ; */ SELECT 1;",
      "statement 1 |/*/ ; */ SELECT 1|\n" },
    { "versioned comments are code", CAPTURE_SCRIPT, "/*!40101 SET a=1 */;/*! x; */;",
      "statement 1 |/*!40101 SET a=1 */|\nstatement 1 |/*! x|\nstatement 1 |*/|\n" },
    { "hints are comments", CAPTURE_SCRIPT, "SELECT /*+ a;b */ 1;",
      "statement 1 |SELECT /*+ a;b */ 1|\n" },
    { "a comment names the line of the code", CAPTURE_SCRIPT, "-- why\n\n/* a\nb */\nSELECT 1;",
      "statement 5 |-- why\n\n/* a\nb */\nSELECT 1|\n" },
    { "only comments", CAPTURE_SCRIPT, "-- a;\n/* b */;\n;;\n", "" },
    { "delimiters", CAPTURE_SCRIPT, "delimiter $$\nBEGIN a; b; END$$\nDELIMITER ;\nx;\n",
      "statement 2 |BEGIN a; b; END|\nstatement 4 |x|\n" },
    { "a delimiter with spaces behind", CAPTURE_SCRIPT, "DELIMITER //  \r\nx;//\n",
      "statement 2 |x;|\n" },
    { "a delimiter inside a string", CAPTURE_SCRIPT, "DELIMITER ab\nSELECT 'ab' ab\nxab\n",
      "statement 2 |SELECT 'ab' |\nstatement 3 |x|\n" },
    { "no delimiter named", CAPTURE_SCRIPT, "delimiter\n;\n", "statement 1 |delimiter\n|\n" },
    { "g and G", CAPTURE_SCRIPT, "SELECT 1\\G\nSELECT '\\G'\\g\n",
      "statement 1 |SELECT 1|\nstatement 2 |SELECT '\\G'|\n" },
    { "use without a delimiter", CAPTURE_SCRIPT, "use a\nUSE b;\nuser;",
      "statement 1 |use a|\nstatement 2 |USE b|\nstatement 3 |user|\n" },
    { "a byte order mark", CAPTURE_SCRIPT, "\xef\xbb\xbfSELECT 1;", "statement 1 |SELECT 1|\n" },
    { "no end", CAPTURE_SCRIPT, "SELECT 'a;\n", "statement 1 |SELECT 'a;\n|\n" },
    { "nothing", CAPTURE_SCRIPT, "", "" },
};

static const struct file_case logs[] = {
    { "MySQL", CAPTURE_GENERAL,
      "/usr/sbin/mysqld, Version: 9.7.0 (MySQL). started with:\n"
      "Tcp port: 3306  Unix socket: /run/mysqld.sock\n"
      "Time                 Id Command    Argument\n"
      "2026-01-31T12:00:00.000000Z\t    0 Execute\tCREATE TABLE x (a INT)\n"
      "2026-01-31T12:00:00.000000Z\t    8 Connect\tapp@localhost on mq using Socket\n"
      "2026-01-31T12:00:00.000000Z\t    8 Query\tSELECT 1\n+ 2\n"
      "2026-01-31T12:00:00.000000+01:00\t  123456 Query\tPREPARE s FROM ...\n"
      "2026-01-31T12:00:00.000000Z\t    8 Prepare\tSELECT ?\n"
      "2026-01-31T12:00:00.000000Z\t    8 Execute\tSELECT 'a'\n"
      "2026-01-31T12:00:00.000000Z\t    8 Close stmt\t\n"
      "2026-01-31T12:00:00.000000Z\t    8 Quit\t\n",
      "session 5 #8 user=app database=mq\nstatement 6 #8 |SELECT 1\n+ 2|\n"
      "statement 8 #123456 |PREPARE s FROM ?|\nprepared 9 #8 x0 |SELECT ?|\n"
      "statement 10 #8 |SELECT 'a'|\nend 12 #8\n" },
    { "MariaDB", CAPTURE_GENERAL,
      "260131 12:00:00\t     4 Connect\tapp@10.0.0.1 on  using TCP/IP\n"
      "\t\t     4 Init DB\tmq\n"
      "\t\t     4 Query\tSELECT 1\n\n\t\t  no entry\n"
      "260131  2:00:01\t     5 Connect\tAccess denied for user 'x'@'y' (using password: NO)\n"
      "\t\t     4 Query\tSELECT 2\n"
      "/usr/sbin/mariadbd, Version: 10.11.6-MariaDB (Debian 12). started with:\n"
      "Tcp port: 3306  Unix socket: /run/mysqld.sock\nTime\t\t    Id Command\tArgument\n"
      "260131 12:00:09\t     6 Change user\tother@10.0.0.1 on shop\n",
      "session 1 #4 user=app database=\nsession 2 #4 database=mq\n"
      "statement 3 #4 |SELECT 1\n\n\t\t  no entry|\nsession 6 #5\n"
      "statement 7 #4 |SELECT 2|\nsession 11 #6 user=other database=shop\n" },
    { "the middle of an entry", CAPTURE_GENERAL, "rest of something\n\t\t 4 Query\tSELECT 1\n",
      "statement 2 #4 |SELECT 1|\n" },
    { "slow, MySQL", CAPTURE_SLOW,
      "# Time: 2026-01-31T12:00:00.000000Z\n"
      "# User@Host: app[app] @ localhost []  Id:     8\n"
      "# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0\n"
      "use mq;\nSET timestamp=1796044046;\nSELECT 1\n# a comment\n;\n"
      "# Time: 2026-01-31T12:00:00.000000Z\n"
      "# User@Host: app[app] @ localhost []  Id:     8\n"
      "# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0\n"
      "SET timestamp=1796044046;\n# administrator command: Prepare;\n"
      "# Time: 2026-01-31T12:00:00.000000Z\n"
      "# User@Host: app[app] @ localhost []  Id:     9\n"
      "# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0\n"
      "SET last_insert_id=3,insert_id=4,timestamp=1796044046;\nuse other;\n",
      "statement 6 #8 user=app database=mq |SELECT 1\n# a comment\n|\n"
      "statement 18 #9 user=app database=mq |use other|\n" },
    { "slow, MariaDB", CAPTURE_SLOW,
      "# User@Host: app[app] @  [127.0.0.1]\n"
      "# Thread_id: 7  Schema: mq  QC_hit: No\n"
      "# Query_time: 0.1  Lock_time: 0.0  Rows_sent: 0  Rows_examined: 0\n"
      "# Rows_affected: 0  Bytes_sent: 11\nSET timestamp=1796044091;\nSELECT 1;\n"
      "# Time: 260131 12:00:01\n# User@Host: app[app] @  [127.0.0.1]\n"
      "# Thread_id: 8  Schema:   QC_hit: No\nSET timestamp=1796044091;\nSELECT 2;\n",
      "statement 6 #7 user=app database=mq |SELECT 1|\n"
      "statement 11 #8 user=app database= |SELECT 2|\n" },
};

static const struct file_case tables[] = {
    { "tabs", CAPTURE_TSV,
      "SCHEMA_NAME\tDIGEST_TEXT\tCOUNT_STAR\tQUERY_SAMPLE_TEXT\n"
      "mq\tSELECT `a`\t7\tSELECT a,\\n\\t'\\\\'\nNULL\tSELECT ? \t2\tSELECT 1...\n"
      "NULL\tNULL\t12\tNULL\nshort\n",
      "prepared 2 database=mq x7 |SELECT a,\n\t'\\'|\ndigest 3 database= x2 |SELECT ?|\n"
      "unseen 4 x12\ndamaged 5\n" },
    { "commas", CAPTURE_CSV,
      "\"count_star\",\"digest_text\"\n3,\"SELECT `a` , "
      "\"\"b\"\"\"\n\"4\",\"SELECT\n`b`\"\n\n5,NULL\n6,\"cut",
      "digest 2 x3 |SELECT `a` , \"b\"|\ndigest 3 x4 |SELECT\n`b`|\nunseen 6 x5\n"
      "damaged 7\n" },
    { "JSON", CAPTURE_JSON,
      "[{\"DIGEST_TEXT\": \"SELECT ?\", \"COUNT_STAR\": 3, \"SCHEMA_NAME\": \"mq\"},\n"
      " {\"digest_text\": \"SELECT '}\\\"' {\",\n \"count_star\": \"4\"}]\n{\"a\": "
      "{}}\n{\"DIGEST_TEXT\": null}{",
      "digest 1 database=mq x3 |SELECT ?|\ndigest 2 x4 |SELECT '}\"' {|\ndamaged 4\n"
      "unseen 5\ndamaged 5\n" },
};

static void check(const struct file_case *c, size_t room)
{
    struct buf got;
    collect(c->format, c->text, strlen(c->text), room, 1000, &got);
    if (strcmp(buf_cstr(&got), c->want) != 0)
        fail_msg("%s, in pieces of %zu: got\n%s\nwant\n%s", c->why, room, buf_cstr(&got), c->want);
    buf_fini(&got);
}

static void reads_scripts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++)
        check(&scripts[i], SIZE_MAX);
}

/* Lines that are commands come whole; the split of any other text is the same in pieces. */
static void reads_scripts_in_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        const char *text = scripts[i].text;
        if (strncmp(text, "del", 3) == 0 || strncmp(text, "DEL", 3) == 0 ||
            strncmp(text, "use", 3) == 0 || (uint8_t)text[0] == 0xef)
            continue;
        for (size_t room = 1; room < 8; room++)
            check(&scripts[i], room);
    }
}

static void reads_logs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(logs); i++)
        check(&logs[i], SIZE_MAX);
}

static void reads_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tables); i++) {
        check(&tables[i], SIZE_MAX);
        check(&tables[i], 3);
    }
}

static void recognises_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++)
        assert_int_equal(capture_recognise(slice_cstr(scripts[i].text)), CAPTURE_SCRIPT);
    for (size_t i = 0; i < COUNT(logs); i++)
        assert_int_equal(capture_recognise(slice_cstr(logs[i].text)), logs[i].format);
    for (size_t i = 0; i < COUNT(tables); i++)
        assert_int_equal(capture_recognise(slice_cstr(tables[i].text)), tables[i].format);
}

/* A statement beyond the limit loses its end, and nothing else. */
static void cuts_what_is_long(void **state)
{
    (void)state;
    char text[2000];
    struct buf got;
    int len = snprintf(text, sizeof text, "DELIMITER end\nSELECT '%01000d' end\nSELECT 2 end\n", 0);
    for (size_t room = 40; room < 60; room++) {
        collect(CAPTURE_SCRIPT, text, (size_t)len, room, 20, &got);
        assert_string_equal(buf_cstr(&got),
                            "statement 2 cut |SELECT '000000000000|\nstatement 3 |SELECT 2 |\n");
        buf_fini(&got);
    }
    len =
        snprintf(text, sizeof text, "\t\t 4 Query\tSELECT '%01000d'\n\t\t 4 Query\tSELECT 2\n", 0);
    collect(CAPTURE_GENERAL, text, (size_t)len, SIZE_MAX, 20, &got);
    assert_string_equal(buf_cstr(&got),
                        "statement 1 #4 cut |SELECT '000000000000|\nstatement 2 #4 |SELECT 2|\n");
    buf_fini(&got);
}

/* After SET sql_mode = 'NO_BACKSLASH_ESCAPES'. */
static void escapes_as_told(void **state)
{
    (void)state;
    struct buf got;
    struct capture_options o = {
        .format = CAPTURE_SCRIPT, .statement_max = 100, .sink = collect_event, .context = &got
    };
    struct capture *c = capture_create(&o);
    buf_init(&got);
    capture_set_escapes(c, false);
    capture_feed(c, SLICE_LIT("SELECT '\\';x;"), true, true);
    capture_destroy(c);
    assert_string_equal(buf_cstr(&got), "statement 1 |SELECT '\\'|\nstatement 1 |x|\n");
    buf_fini(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_scripts),      cmocka_unit_test(reads_scripts_in_pieces),
        cmocka_unit_test(reads_logs),         cmocka_unit_test(reads_tables),
        cmocka_unit_test(recognises_formats), cmocka_unit_test(cuts_what_is_long),
        cmocka_unit_test(escapes_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
