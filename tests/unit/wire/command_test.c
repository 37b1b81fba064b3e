#include "tests/unit/wire/wire_test.h"

#include "wire/command.h"

static void every_byte_has_an_answer(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        const struct command_info *info = command_info((uint8_t)byte);
        if (byte > COM_CLONE) {
            assert_null(info);
            continue;
        }
        assert_non_null(info);
        assert_int_equal(info->byte, byte);
        assert_memory_equal(info->name, "COM_", 4);
        assert_true(info->note[0] != '\0');
    }
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
        { "other users stay out of reach", COM_PROCESS_KILL, COMMAND_REFUSED },
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
        cmocka_unit_test(every_byte_has_an_answer),
        cmocka_unit_test(dispositions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
