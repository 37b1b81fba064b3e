#define _GNU_SOURCE
#include "cli/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool take_setting(void *object, const char *setting)
{
    return settings_add(object, setting);
}

const struct option_row settings_option_rows[] = {
    OPTION_TEXT("config", 'c', struct settings, config),
    OPTION_TAKE("set", 0, take_setting),
    OPTION_END,
};

int settings_read(const char *help, int argc, char **argv, struct settings *ret)
{
    *ret = (struct settings){ 0 };
    const struct option_group groups[] = { { settings_option_rows, ret }, { NULL, NULL } };
    struct arguments rest;
    int status = options_read(groups, help, argc, argv, &rest);
    if (status >= 0 || !rest.count)
        return status;
    return options_misused(argv[0], "unexpected argument %s", rest.items[0]);
}

const char *settings_path(const struct settings *s)
{
    const char *environment = getenv("MQGATE_CONFIG");
    if (s->config)
        return s->config;
    return environment && *environment ? environment : "mqgate.yaml";
}

bool settings_add(struct settings *s, const char *setting)
{
    if (!strchr(setting, '=') || s->count == SETTINGS_MAX)
        return false;
    s->items[s->count++] = setting;
    return true;
}

struct config_overrides settings_overrides(const struct settings *s)
{
    return (struct config_overrides){ .environment = (const char *const *)environ,
                                      .settings = s->items };
}

struct config *settings_load(const struct settings *s)
{
    const char *path = settings_path(s);
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
