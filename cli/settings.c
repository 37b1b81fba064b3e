#define _GNU_SOURCE
#include "cli/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *settings_path(const char *given)
{
    const char *environment = getenv("MQGATE_CONFIG");
    if (given)
        return given;
    return environment && *environment ? environment : "mqgate.yaml";
}

bool settings_add(struct settings *s, const char *setting)
{
    if (!strchr(setting, '=')) {
        fprintf(stderr, "--set %s: write PATH=VALUE\n", setting);
        return false;
    }
    if (s->count == SETTINGS_MAX) {
        fprintf(stderr, "more than %d times --set\n", SETTINGS_MAX);
        return false;
    }
    s->items[s->count++] = setting;
    return true;
}

struct config_overrides settings_overrides(const struct settings *s)
{
    return (struct config_overrides){ .environment = (const char *const *)environ,
                                      .settings = s->items };
}

struct config *settings_load(const struct settings *s, const char *path)
{
    struct config_overrides overrides = settings_overrides(s);
    struct diagnostics faults;
    diagnostics_init(&faults);
    struct config *config = config_load(path, &overrides, &faults);
    struct buf text;
    buf_init(&text);
    diagnostics_print(&faults, path, &text);
    fputs(buf_cstr(&text), stderr);
    buf_fini(&text);
    diagnostics_fini(&faults);
    return config;
}
