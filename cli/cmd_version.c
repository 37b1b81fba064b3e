/* mqgate version. */
#include <stdio.h>

#include "cli/commands.h"

int cmd_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("mqgate " MQ_VERSION);
    return EXIT_DONE;
}
