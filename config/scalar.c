#include "config/scalar.h"

#include <sys/un.h>

#include "base/memory.h"

enum { HOST_MAX = 255, IDENTIFIER_MAX = 64, SHARD_NAME_MAX = 64 };

struct unit {
    const char *name;
    uint64_t factor;
};

/* Largest first, for printing. */
static const struct unit duration_units[] = {
    { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 },
};
static const struct unit size_units[] = {
    { "GiB", 1 << 30 },
    { "MiB", 1 << 20 },
    { "KiB", 1 << 10 },
    { "B", 1 },
};
enum {
    DURATION_UNITS = sizeof duration_units / sizeof *duration_units,
    SIZE_UNITS = sizeof size_units / sizeof *size_units,
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool scalar_flag(const char *text, bool *ret)
{
    struct slice s = slice_cstr(text);
    *ret = slice_ieq_cstr(s, "true") || slice_ieq_cstr(s, "yes") || slice_ieq_cstr(s, "on");
    return *ret || slice_ieq_cstr(s, "false") || slice_ieq_cstr(s, "no") ||
           slice_ieq_cstr(s, "off");
}

bool scalar_count(const char *text, uint64_t *ret)
{
    unsigned long long value;
    if (!slice_to_u64(slice_cstr(text), &value))
        return false;
    *ret = value;
    return true;
}

/* A number followed by one of the units; *ret_bare tells that there was none. */
static bool with_unit(const char *text, const struct unit *units, size_t count, uint64_t *ret,
                      bool *ret_bare)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long long number;
    if (!slice_to_u64(slice_of(text, digits), &number))
        return false;
    const char *name = text + digits;
    name += strspn(name, " ");
    *ret = number;
    *ret_bare = *name == '\0';
    for (size_t i = 0; i < count && !*ret_bare; i++) {
        if (strcmp(name, units[i].name) != 0)
            continue;
        *ret = number * units[i].factor;
        return number <= UINT64_MAX / units[i].factor;
    }
    return *ret_bare;
}

bool scalar_duration(const char *text, uint64_t *ret_ms)
{
    bool bare;
    return with_unit(text, duration_units, DURATION_UNITS, ret_ms, &bare) &&
           (!bare || *ret_ms == 0);
}

bool scalar_size(const char *text, uint64_t *ret_bytes)
{
    bool bare;
    return with_unit(text, size_units, SIZE_UNITS, ret_bytes, &bare);
}

static void print_unit(uint64_t value, const struct unit *units, size_t count, struct buf *out)
{
    size_t i = 0;
    while (i + 1 < count && (value == 0 || value % units[i].factor != 0))
        i++;
    buf_printf(out, "%llu%s", (unsigned long long)(value / units[i].factor), units[i].name);
}

void scalar_print_duration(uint64_t ms, struct buf *out)
{
    print_unit(ms, duration_units, DURATION_UNITS, out);
}

void scalar_print_size(uint64_t bytes, struct buf *out)
{
    print_unit(bytes, size_units, SIZE_UNITS, out);
}

static bool is_host(struct slice host, bool bracketed)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.data[i];
        bool fits = bracketed ? is_hex(c) || c == ':' || c == '.' || c == '%' || is_word(c)
                              : is_word(c) || c == '-' || c == '.';
        if (!fits)
            return false;
    }
    return host.len > 0 && host.len <= HOST_MAX;
}

static const char *parse_port(const char *text, uint16_t *ret)
{
    uint64_t port;
    if (!scalar_count(text, &port) || port < 1 || port > 65535)
        return "the port must be a number from 1 to 65535";
    *ret = (uint16_t)port;
    return NULL;
}

static const char *parse_host_port(const char *text, struct address *ret)
{
    const char *colon = strrchr(text, ':');
    bool bracketed = text[0] == '[';
    if (!colon || (bracketed && colon[-1] != ']'))
        return "an address is host:port, such as 127.0.0.1:3307";
    struct slice host = slice_of(text, (size_t)(colon - text));
    if (host.len == 0)
        return "the host is missing; 0.0.0.0 stands for all interfaces";
    if (!bracketed && memchr(host.data, ':', host.len))
        return "an IPv6 address needs brackets, such as [::1]:3307";
    if (bracketed)
        host = slice_of(host.data + 1, host.len - 2);
    if (!is_host(host, bracketed))
        return "this is no host name";
    const char *fault = parse_port(colon + 1, &ret->port);
    if (!fault)
        ret->host = mem_strndup(host);
    return fault;
}

const char *scalar_socket_fault(const char *path)
{
    if (path[0] != '/')
        return "the path of a socket must be absolute";
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return "the path of a socket has at most 107 bytes";
    return NULL;
}

const char *scalar_address(const char *text, struct address *ret)
{
    *ret = (struct address){ 0 };
    if (text[0] != '/')
        return parse_host_port(text, ret);
    const char *fault = scalar_socket_fault(text);
    if (!fault)
        ret->socket = mem_strdup(text);
    return fault;
}

const char *scalar_identifier_fault(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > IDENTIFIER_MAX)
        return "a name has 1 to 64 characters";
    for (size_t i = 0; i < len; i++)
        if (!is_word(name[i]) && name[i] != '$' && name[i] != '-')
            return "a name consists of letters, digits, _, $ and -";
    return NULL;
}

/* Skips pairs of hex digits; NULL if there is an odd digit. */
static const char *skip_hex_pairs(const char *p)
{
    const char *begin = p;
    while (is_hex(*p))
        p++;
    return (p - begin) % 2 ? NULL : p;
}

const char *scalar_shard_fault(const char *name)
{
    static const char fault[] =
        "a shard is named by its key range, such as -80, 80- or 40-80 (pairs of hex digits)";
    if (strlen(name) > SHARD_NAME_MAX)
        return "the name of a shard has at most 64 characters";
    if (strcmp(name, "0") == 0)
        return NULL;
    const char *p = skip_hex_pairs(name);
    if (!p || *p != '-')
        return fault;
    p = skip_hex_pairs(p + 1);
    return p && *p == '\0' ? NULL : fault;
}

const char *scalar_hash_fault(const char *hash)
{
    static const char fault[] = "a hash reads \"*\" and 40 hex digits (mysql_native_password) or "
                                "\"$A$005$\", salt and digest (caching_sha2_password)";
    size_t len = strlen(hash);
    if (hash[0] == '*')
        return len == 41 && strspn(hash + 1, "0123456789abcdefABCDEF") == 40 ? NULL : fault;
    /* $A$, three digits of rounds, $, 20 bytes of salt, 43 of digest. */
    bool sha2 = len == 70 && strncmp(hash, "$A$", 3) == 0 && hash[6] == '$';
    return sha2 && strspn(hash + 3, "0123456789ABCDEF") == 3 ? NULL : fault;
}

void address_fini(struct address *a)
{
    mem_free(a->host);
    mem_free(a->socket);
    *a = (struct address){ 0 };
}

static bool text_eq(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool address_eq(const struct address *a, const struct address *b)
{
    return text_eq(a->socket, b->socket) && text_eq(a->host, b->host) && a->port == b->port;
}

void address_print(const struct address *a, struct buf *out)
{
    if (a->socket)
        buf_append_cstr(out, a->socket);
    else if (a->host)
        buf_printf(out, strchr(a->host, ':') ? "[%s]:%u" : "%s:%u", a->host, a->port);
}
