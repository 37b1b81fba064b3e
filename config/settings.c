#include "config/settings.h"

#define SETTING_TYPE_ROW(type, decoder, shown) static const char shown_##type[] = shown;
#include "config/setting_types.def"
#undef SETTING_TYPE_ROW

/* Stands in the fallback's place; compared by address. */
static const char required_mark[] = "(required)";

#define NONE NULL
#define REQUIRED required_mark
#define SETTING_ROW(path, type, record, field, fallback, low, high, summary) \
    { path, SETTING_##type, offsetof(struct record, field), fallback, low, high, summary },
#define GROUP_ROW(path, type, fallback, summary) \
    { path, SETTING_##type, 0, fallback, 0, 0, summary },
static const struct setting settings[] = {
#include "config/settings.def"
};
#undef SETTING_ROW
#undef GROUP_ROW
#undef NONE
#undef REQUIRED

/* The same rows as others see them. */
#define NONE ""
#define REQUIRED "required"
#define SETTING_ROW(path, type, record, field, fallback, low, high, summary) \
    { path, shown_##type, fallback, summary },
#define GROUP_ROW(path, type, fallback, summary) { path, shown_##type, fallback, summary },
static const struct setting_info infos[] = {
#include "config/settings.def"
};
#undef SETTING_ROW
#undef GROUP_ROW

enum { SETTING_COUNT_ALL = sizeof settings / sizeof *settings };

const struct setting *settings_all(size_t *ret_count)
{
    *ret_count = SETTING_COUNT_ALL;
    return settings;
}

const struct setting *setting_find(const char *pattern)
{
    for (size_t i = 0; i < SETTING_COUNT_ALL; i++)
        if (strcmp(settings[i].path, pattern) == 0)
            return &settings[i];
    return NULL;
}

bool setting_in(const struct setting *s, const char *group)
{
    size_t len = strlen(group);
    if (strncmp(s->path, group, len) != 0)
        return false;
    const char *rest = s->path + len;
    if (len && *rest++ != '.')
        return false;
    return strpbrk(rest, ".[*") == NULL;
}

const char *setting_name(const struct setting *s)
{
    const char *dot = strrchr(s->path, '.');
    return dot ? dot + 1 : s->path;
}

bool setting_is_required(const struct setting *s)
{
    return s->fallback == required_mark;
}

bool setting_is_single(const struct setting *s)
{
    switch (s->type) {
    case SETTING_SECTION:
    case SETTING_SHARDS:
    case SETTING_ACCOUNTS:
    case SETTING_QUEUE_TABLES:
    case SETTING_COLUMNS:
        return false;
    default:
        return strpbrk(s->path, "*[") == NULL;
    }
}

void setting_variable(const struct setting *s, struct buf *out)
{
    buf_append_cstr(out, "MQGATE_");
    for (const char *p = s->path; *p; p++) {
        bool small = *p >= 'a' && *p <= 'z';
        buf_append_byte(out, (uint8_t)(*p == '.' ? '_' : small ? *p - 'a' + 'A' : *p));
    }
}

const struct setting_info *config_settings(size_t *ret_count)
{
    *ret_count = SETTING_COUNT_ALL;
    return infos;
}
