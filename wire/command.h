/* Every command byte and what mqgate does with it; rows of wire/commands.def. */
#ifndef MQ_WIRE_COMMAND_H
#define MQ_WIRE_COMMAND_H

#include <stdint.h>

enum command {
#define COMMAND_ROW(byte, name, disposition, note) COM_##name = byte,
#define COMMAND_RANGE(first, last, note)
#include "wire/commands.def"
#undef COMMAND_ROW
#undef COMMAND_RANGE
};

enum command_disposition {
    COMMAND_SERVED,  /* mqgate answers, alone or with a shard */
    COMMAND_REFUSED, /* 1047, and the connection goes on */
    COMMAND_SILENT,  /* served, has no answer on the wire */
};

struct command_info {
    uint8_t byte;
    const char *name; /* "COM_QUERY" */
    enum command_disposition disposition;
    const char *note;
};

/* The row of a byte, or NULL for one that stands for no command. */
const struct command_info *command_info(uint8_t byte);

#endif
