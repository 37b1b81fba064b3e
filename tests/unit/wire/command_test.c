#include "tests/unit/wire/wire_test.h"

#include "wire/command.h"

static void rows_are_found_by_their_byte(void **state)
{
    (void)state;
    static const uint8_t rows[] = {
#define COMMAND_ROW(byte, name, disposition, note) byte,
#define COMMAND_RANGE(first, last, note)
#include "wire/commands.def"
#undef COMMAND_ROW
#undef COMMAND_RANGE
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct command_info *info = command_info(rows[i]);
        assert_non_null(info);
        assert_int_equal(info->byte, rows[i]);
        assert_memory_equal(info->name, "COM_", 4);
        assert_true(info->note[0] != '\0');
    }
    assert_null(command_info(0x22));
    assert_null(command_info(0xff));
}

/* Rows and ranges are all bytes, each once. */
static void every_byte_is_listed_once(void **state)
{
    (void)state;
    static const struct {
        int first, last;
    } listed[] = {
#define COMMAND_ROW(byte, name, disposition, note) { byte, byte },
#define COMMAND_RANGE(first, last, note) { first, last },
#include "wire/commands.def"
#undef COMMAND_ROW
#undef COMMAND_RANGE
    };
    int next = 0;
    for (size_t i = 0; i < COUNT(listed); i++) {
        assert_int_equal(listed[i].first, next);
        next = listed[i].last + 1;
    }
    assert_int_equal(next, 256);
}

static void dispositions(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum command command;
        enum command_disposition want;
    } cases[] = {
        { "statements are served", COM_QUERY, COMMAND_SERVED },
        { "executed ones as well", COM_STMT_EXECUTE, COMMAND_SERVED },
        { "CLOSE has no answer", COM_STMT_CLOSE, COMMAND_SILENT },
        { "nor have long data", COM_STMT_SEND_LONG_DATA, COMMAND_SILENT },
        { "nor QUIT", COM_QUIT, COMMAND_SILENT },
        { "servers are not shut down", COM_SHUTDOWN, COMMAND_REFUSED },
        { "multi-statements may be switched on", COM_SET_OPTION, COMMAND_SERVED },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (command_info((uint8_t)cases[i].command)->disposition != cases[i].want)
            fail_msg("%s", cases[i].why);
    assert_string_equal(command_info(COM_QUERY)->name, "COM_QUERY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_their_byte),
        cmocka_unit_test(every_byte_is_listed_once),
        cmocka_unit_test(dispositions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
