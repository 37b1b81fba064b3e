#include "wire/command.h"

#include <stddef.h>

static const struct command_info commands[] = {
#define COMMAND_ROW(byte, name, disposition, note) \
    [byte] = { byte, "COM_" #name, COMMAND_##disposition, note },
#include "wire/commands.def"
#undef COMMAND_ROW
};

const struct command_info *command_info(uint8_t byte)
{
    if (byte >= sizeof commands / sizeof commands[0] || !commands[byte].name)
        return NULL;
    return &commands[byte];
}
