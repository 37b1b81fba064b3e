#include "wire/command.h"

#include <stddef.h>

static const struct command_info commands[] = {
#define COMMAND_ROW(byte, name, disposition, note) \
    [byte] = { byte, "COM_" #name, COMMAND_##disposition, note },
#define COMMAND_RANGE(first, last, note)
#include "wire/commands.def"
#undef COMMAND_ROW
#undef COMMAND_RANGE
};

const struct command_info *command_info(uint8_t byte)
{
    if (byte >= sizeof commands / sizeof commands[0] || !commands[byte].name)
        return NULL;
    return &commands[byte];
}
