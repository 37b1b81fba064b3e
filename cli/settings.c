#define _GNU_SOURCE
#include "cli/settings.h"

#include <stdio.h>
#include <unistd.h>

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

void settings_print_faults(const char *path, const struct diagnostics *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].line)
            fprintf(stderr, "%s:%u: %s\n", path, d->items[i].line, d->items[i].text);
        else
            fprintf(stderr, "%s: %s\n", path, d->items[i].text);
    }
}

struct config *settings_load(const struct settings *s, const char *path)
{
    struct config_overrides overrides = settings_overrides(s);
    struct diagnostics faults;
    diagnostics_init(&faults);
    struct config *config = config_load(path, &overrides, &faults);
    settings_print_faults(path, &faults);
    diagnostics_fini(&faults);
    return config;
}
