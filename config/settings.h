/* The rows of settings.def as a table, and what is derived from their paths. */
#ifndef MQ_CONFIG_SETTINGS_H
#define MQ_CONFIG_SETTINGS_H

#include "config/config.h"

/* The rows of setting_types.def. */
enum setting_type {
#define SETTING_TYPE_ROW(type, decoder, shown) SETTING_##type,
#include "config/setting_types.def"
#undef SETTING_TYPE_ROW
};

struct setting {
    const char *path;
    enum setting_type type;
    size_t offset;        /* in the record that decoding is given */
    const char *fallback; /* read when it is absent; NULL: none; see setting_is_required */
    uint32_t low, high;   /* of numbers */
    const char *summary;
};

/* The configuration while it is read, with what only reading needs. */
struct draft {
    struct config config;
    char *shard_database; /* keyspace.database */
    struct tls_config shard_tls; /* keyspace.tls */
    bool tenants_unread;  /* their file could not be read: their number says nothing */
};

const struct setting *settings_all(size_t *ret_count);
/* The row of a pattern ("accounts.*.password"), or NULL. */
const struct setting *setting_find(const char *pattern);
/* True when the setting stands directly in the group ("" is the root). */
bool setting_in(const struct setting *s, const char *group);
/* The last part of its path. */
const char *setting_name(const struct setting *s);
bool setting_is_required(const struct setting *s);
/* True when one text can set it: no group, no part of a list or of a named map. */
bool setting_is_single(const struct setting *s);
/* "MQGATE_LOG_LEVEL" for log.level. */
void setting_variable(const struct setting *s, struct buf *out);

#endif
