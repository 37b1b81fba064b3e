#include "routing/legacy_error.h"

enum { PARTS_MAX = 8 };

static const char lead[] = "Duplicate entry '", between[] = "' for key '";

struct duplicate {
    struct slice entry; /* without the tenant and its separator */
    struct slice key;   /* without the table */
    struct slice rest;  /* from the quote behind the entry */
};

static bool starts_with(struct slice s, struct slice prefix)
{
    return s.len >= prefix.len && memcmp(s.data, prefix.data, prefix.len) == 0;
}

static struct slice without_front(struct slice s, size_t n)
{
    return slice_of(s.data + n, s.len - n);
}

/* The entry may hold anything, also what looks like its end: the last one counts. */
static bool find_between(struct slice s, size_t *ret_at)
{
    struct slice wanted = slice_cstr(between);
    for (size_t at = s.len; at-- > 0;)
        if (starts_with(without_front(s, at), wanted)) {
            *ret_at = at;
            return true;
        }
    return false;
}

static bool parse(struct slice message, struct slice tenant, struct duplicate *ret)
{
    size_t end;
    if (!starts_with(message, slice_cstr(lead)))
        return false;
    struct slice entry = without_front(message, sizeof lead - 1);
    if (!find_between(entry, &end))
        return false;
    ret->rest = without_front(entry, end);
    entry.len = end;
    if (!starts_with(entry, tenant) || entry.len == tenant.len || entry.data[tenant.len] != '-')
        return false;
    ret->entry = without_front(entry, tenant.len + 1);
    struct slice key = without_front(ret->rest, sizeof between - 1);
    key.len -= key.len && key.data[key.len - 1] == '\'';
    const char *dot = key.len ? memchr(key.data, '.', key.len) : NULL;
    ret->key = dot ? without_front(key, (size_t)(dot - key.data) + 1) : key;
    return true;
}

static const struct catalog_key *find_key(const struct catalog_key *keys, size_t count,
                                          struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_eq(slice_cstr(keys[i].name ? keys[i].name : "PRIMARY"), name))
            return &keys[i];
    return NULL;
}

/* The parts of the entry; 0 when there are too many. */
static size_t split(struct slice entry, struct slice parts[PARTS_MAX])
{
    for (size_t count = 0; count < PARTS_MAX; count++) {
        const char *dash = entry.len ? memchr(entry.data, '-', entry.len) : NULL;
        parts[count] = dash ? slice_of(entry.data, (size_t)(dash - entry.data)) : entry;
        if (!dash)
            return count + 1;
        entry = without_front(entry, parts[count].len + 1);
    }
    return 0;
}

/* Which part of the shard's entry is this column's? -1: the key does not have it. */
static int part_of(const struct catalog_key *key, struct slice column)
{
    struct slice rest = slice_cstr(key->columns), name;
    int number = -1; /* the tenant leads and has no part */
    for (; catalog_key_next(&rest, &name); number++)
        if (slice_eq(name, column))
            return number;
    return -1;
}

static size_t column_count(const struct catalog_key *key)
{
    struct slice rest = slice_cstr(key->columns), name;
    size_t count = 0;
    while (catalog_key_next(&rest, &name))
        count++;
    return count;
}

/* The parts in the legacy key's order; false when they cannot be told apart. */
static bool reorder(const struct catalog_table *table, const struct duplicate *d,
                    struct slice prefix, struct buf *out)
{
    const struct catalog_key *legacy = find_key(table->legacy_keys, table->legacy_key_count, d->key);
    const struct catalog_key *tenant = find_key(table->tenant_keys, table->tenant_key_count, d->key);
    struct slice parts[PARTS_MAX], rest, column;
    if (!legacy || !tenant || split(d->entry, parts) != column_count(tenant) - 1)
        return false;
    rest = slice_cstr(legacy->columns);
    for (bool first = true; catalog_key_next(&rest, &column); first = false) {
        int part = part_of(tenant, column);
        if (!first)
            buf_append_byte(out, '-');
        if (table->partition_key && slice_eq(column, slice_cstr(table->partition_key)))
            buf_append_slice(out, prefix);
        if (part >= 0)
            buf_append_slice(out, parts[part]);
    }
    return true;
}

bool legacy_duplicate_entry(const struct catalog_table *table, struct slice message,
                            struct slice tenant, struct slice prefix, struct buf *out)
{
    struct duplicate d;
    if (!table || tenant.len == 0 || !parse(message, tenant, &d))
        return false;
    buf_append_cstr(out, lead);
    if (!reorder(table, &d, prefix, out))
        buf_append_slice(out, d.entry);
    buf_append_slice(out, d.rest);
    return true;
}

/* ---- databases ---- */

static bool is_name_byte(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') ||
           (u >= 'A' && u <= 'Z') || u == '_' || u == '$' || u == '.';
}

/* Whether the name stands at `at`, as a whole and before a dot. */
static bool qualifies(struct slice message, size_t at, struct slice name)
{
    struct slice rest = without_front(message, at);
    if (!starts_with(rest, name) || (at && is_name_byte(message.data[at - 1])))
        return false;
    rest = without_front(rest, name.len);
    return starts_with(rest, SLICE_LIT(".")) || starts_with(rest, SLICE_LIT("`."));
}

bool legacy_database(struct slice message, struct slice shard, struct slice client,
                     struct buf *out)
{
    size_t done = 0;
    for (size_t at = 0; shard.len && at < message.len; at++) {
        if (!qualifies(message, at, shard))
            continue;
        buf_append_slice(out, slice_of(message.data + done, at - done));
        buf_append_slice(out, client);
        done = at + shard.len;
        at = done - 1;
    }
    if (done)
        buf_append_slice(out, without_front(message, done));
    return done > 0;
}

bool legacy_message(const struct legacy_words *words, unsigned code, struct slice message,
                    struct buf *out)
{
    if (code == ERROR_DUPLICATE_ENTRY)
        return legacy_duplicate_entry(words->table, message, words->tenant, words->key_prefix,
                                      out);
    return !slice_eq(words->shard_database, words->database) &&
           legacy_database(message, words->shard_database, words->database, out);
}
