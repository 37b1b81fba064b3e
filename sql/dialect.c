/* What a greeting and a sql_mode say about how a server reads statements, and the servers'
 * character sets and collations. */
#include "sql/dialect.h"

struct dialect dialect_default(void)
{
    return (struct dialect){ FLAVOUR_MYSQL, 80000, 80099, 0 };
}

/* Takes the decimal number at the front of *s, which must be below 100. */
static bool take_version_part(struct slice *s, uint32_t *ret)
{
    size_t digits = 0;
    uint32_t value = 0;
    while (digits < s->len && s->data[digits] >= '0' && s->data[digits] <= '9') {
        value = value * 10 + (uint32_t)(s->data[digits] - '0');
        if (++digits > 2)
            return false;
    }
    *s = slice_of(s->data + digits, s->len - digits);
    *ret = value;
    return digits > 0;
}

static bool take_dot(struct slice *s)
{
    if (s->len == 0 || s->data[0] != '.')
        return false;
    *s = slice_of(s->data + 1, s->len - 1);
    return true;
}

static bool slice_contains(struct slice s, struct slice part)
{
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (slice_ieq(slice_of(s.data + i, part.len), part))
            return true;
    return false;
}

/* MariaDB 10 and later once put "5.5.5-" in front of its version, because replicas of that
 * time could not read a two-digit major version. */
bool dialect_of_version(struct slice version, struct dialect *ret)
{
    static const char replication_prefix[] = "5.5.5-";
    enum { PREFIX = sizeof replication_prefix - 1 };
    bool mariadb = slice_contains(version, SLICE_LIT("MariaDB"));
    if (mariadb && version.len > PREFIX && memcmp(version.data, replication_prefix, PREFIX) == 0)
        version = slice_of(version.data + PREFIX, version.len - PREFIX);
    uint32_t major, minor, patch;
    if (!take_version_part(&version, &major) || !take_dot(&version) ||
        !take_version_part(&version, &minor) || !take_dot(&version) ||
        !take_version_part(&version, &patch))
        return false;
    uint32_t id = major * 10000 + minor * 100 + patch;
    *ret = (struct dialect){ mariadb ? FLAVOUR_MARIADB : FLAVOUR_MYSQL, id, id, 0 };
    return true;
}

bool dialect_join(struct dialect *a, const struct dialect *b)
{
    if (a->flavour != b->flavour)
        return false;
    if (b->version_min < a->version_min)
        a->version_min = b->version_min;
    if (b->version_max > a->version_max)
        a->version_max = b->version_max;
    return true;
}

bool dialect_eq(const struct dialect *a, const struct dialect *b)
{
    return a->flavour == b->flavour && a->version_min == b->version_min &&
           a->version_max == b->version_max && a->modes == b->modes;
}

static const struct mode_row {
    const char *name;
    uint32_t modes;
    enum mode_status status;
} mode_rows[] = {
#define MODE_ROW(name, modes, status) { #name, modes, status },
#include "sql/modes.def"
#undef MODE_ROW
};

static const struct mode_row *mode_find(struct slice name)
{
    for (size_t i = 0; i < sizeof mode_rows / sizeof *mode_rows; i++)
        if (slice_ieq_cstr(name, mode_rows[i].name))
            return &mode_rows[i];
    return NULL;
}

/* Cuts *rest at its first comma; false when nothing is left. */
static bool next_mode(struct slice *rest, struct slice *ret)
{
    if (rest->len == 0)
        return false;
    const char *comma = memchr(rest->data, ',', rest->len);
    size_t len = comma ? (size_t)(comma - rest->data) : rest->len;
    size_t taken = comma ? len + 1 : len;
    *ret = slice_of(rest->data, len);
    *rest = slice_of(rest->data + taken, rest->len - taken);
    return true;
}

/* As the servers do: empty names count for nothing, spaces only at the very end. */
enum mode_status dialect_modes(struct slice value, uint32_t *ret_modes, struct slice *ret_name)
{
    uint32_t modes = 0;
    struct slice name;
    while (value.len && value.data[value.len - 1] == ' ')
        value.len--;
    while (next_mode(&value, &name)) {
        if (name.len == 0)
            continue;
        const struct mode_row *row = mode_find(name);
        enum mode_status status = row ? row->status : MODES_UNKNOWN_NAME;
        if (status != MODES_OK) {
            if (ret_name)
                *ret_name = name;
            return status;
        }
        modes |= row->modes;
    }
    *ret_modes = modes;
    return MODES_OK;
}

bool dialect_is_strict(struct slice value)
{
    struct slice name;
    while (next_mode(&value, &name))
        if (slice_ieq_cstr(name, "STRICT_TRANS_TABLES") || slice_ieq_cstr(name, "STRICT_ALL_TABLES") ||
            slice_ieq_cstr(name, "TRADITIONAL"))
            return true;
    return false;
}
