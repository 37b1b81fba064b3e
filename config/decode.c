/* The decoders of single values: numbers, switches, texts, addresses, secrets. */
#include "config/reader.h"

#include <ctype.h>

#include "base/memory.h"
#include "config/file.h"
#include "config/scalar.h"
#include "config/string_list.h"
#include "config/suggest.h"

enum { SECRET_MAX = 4096, VERSION_MAX = 60, SHOWN_MAX = 60 };

void decode_section(struct reader *r, const struct slot *s)
{
    reader_section(r, s->node, s->setting->path, s->path, s->record);
}

/* Complains about a value, quoting at most its first 60 bytes. */
static void bad_value(struct reader *r, const struct slot *s, const char *value, const char *why)
{
    size_t len = strlen(value);
    reader_fault(r, s->node, s->path, "'%.*s%s': %s", SHOWN_MAX, value, len > SHOWN_MAX ? "…" : "",
                 why);
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

/* A text that may stand in logs, or NULL after a complaint. */
static const char *clean_text(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (!text)
        return NULL;
    if (*text && is_printable(text))
        return text;
    reader_fault(r, s->node, s->path,
                 *text ? "control characters are not allowed" : "the value is empty");
    return NULL;
}

void decode_text(struct reader *r, const struct slot *s)
{
    const char *text = clean_text(r, s);
    if (text)
        *(char **)slot_field(s) = mem_strdup(text);
}

void decode_version(struct reader *r, const struct slot *s)
{
    const char *text = clean_text(r, s);
    if (text && (text[0] < '0' || text[0] > '9' || strlen(text) > VERSION_MAX))
        bad_value(r, s, text, "a version begins with a digit and has at most 60 bytes");
    else if (text)
        *(char **)slot_field(s) = mem_strdup(text);
}

void decode_path(struct reader *r, const struct slot *s)
{
    const char *text = clean_text(r, s);
    if (text)
        *(char **)slot_field(s) = reader_resolve(r, text);
}

void decode_identifier(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    const char *fault = text ? scalar_identifier_fault(text) : NULL;
    if (fault)
        bad_value(r, s, text, fault);
    else if (text)
        *(char **)slot_field(s) = mem_strdup(text);
}

void decode_flag(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (text && !scalar_flag(text, slot_field(s)))
        bad_value(r, s, text, "true or false is expected");
}

static void print_count(uint64_t value, struct buf *out)
{
    buf_printf(out, "%llu", (unsigned long long)value);
}

static void number(struct reader *r, const struct slot *s,
                   bool (*parse)(const char *text, uint64_t *ret),
                   void (*print)(uint64_t value, struct buf *out), const char *expected)
{
    const char *text = reader_text(r, s);
    uint64_t value;
    if (!text)
        return;
    if (!parse(text, &value)) {
        bad_value(r, s, text, expected);
        return;
    }
    if (value >= s->setting->low && value <= s->setting->high) {
        *(uint32_t *)slot_field(s) = (uint32_t)value;
        return;
    }
    struct buf range;
    buf_init(&range);
    buf_append_cstr(&range, "out of range, which is ");
    print(s->setting->low, &range);
    buf_append_cstr(&range, " to ");
    print(s->setting->high, &range);
    bad_value(r, s, text, buf_cstr(&range));
    buf_fini(&range);
}

void decode_count(struct reader *r, const struct slot *s)
{
    number(r, s, scalar_count, print_count, "a whole number is expected");
}

void decode_size(struct reader *r, const struct slot *s)
{
    number(r, s, scalar_size, scalar_print_size,
           "a size is expected, such as 64MiB (units: B, KiB, MiB, GiB)");
}

void decode_duration(struct reader *r, const struct slot *s)
{
    number(r, s, scalar_duration, scalar_print_duration,
           "a duration with its unit is expected, such as 500ms, 5s, 15m, 8h or 1d");
}

int reader_choice(struct reader *r, const struct slot *s, const char *const *words, size_t count)
{
    const char *text = reader_text(r, s);
    if (!text)
        return -1;
    struct suggestion near;
    suggest_init(&near, text);
    for (size_t i = 0; i < count; i++) {
        if (slice_ieq_cstr(slice_cstr(text), words[i]))
            return (int)i;
        suggest_offer(&near, words[i]);
    }
    struct buf why;
    buf_init(&why);
    for (size_t i = 0; i < count; i++)
        buf_printf(&why, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
    buf_append_cstr(&why, " is expected");
    if (near.best)
        buf_printf(&why, " (did you mean %s?)", near.best);
    bad_value(r, s, text, buf_cstr(&why));
    buf_fini(&why);
    return -1;
}

void decode_enforcement(struct reader *r, const struct slot *s)
{
    /* In the order of enum enforcement. */
    static const char *const words[] = { "enforce", "observe", "warn" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum enforcement *)slot_field(s) = (enum enforcement)i;
}

void decode_transactions(struct reader *r, const struct slot *s)
{
    /* In the order of enum transactions. */
    static const char *const words[] = { "single", "multi" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum transactions *)slot_field(s) = (enum transactions)i;
}

void decode_backend_kind(struct reader *r, const struct slot *s)
{
    /* In the order of enum backend_kind. */
    static const char *const words[] = { "mysql", "vitess" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum backend_kind *)slot_field(s) = (enum backend_kind)i;
}

void decode_partition_keys(struct reader *r, const struct slot *s)
{
    /* In the order of enum partition_keys. */
    static const char *const words[] = { "plain", "qualified" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum partition_keys *)slot_field(s) = (enum partition_keys)i;
}

void decode_pattern_column(struct reader *r, const struct slot *s)
{
    /* In the order of enum pattern_column. */
    static const char *const words[] = { "topic", "partition_key" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum pattern_column *)slot_field(s) = (enum pattern_column)i;
}

void decode_pattern(struct reader *r, const struct slot *s)
{
    const char *text = clean_text(r, s);
    struct err err;
    if (text && tenant_pattern_create(text, slot_field(s), &err))
        bad_value(r, s, text, err.text);
}

/* It stands in literals of statements, between names that have letters and digits. */
static bool is_separator(const char *text)
{
    return text[0] > ' ' && text[0] < 0x7f && text[1] == '\0' && !isalnum((unsigned char)text[0]) &&
           !strchr("'\"`\\", text[0]);
}

void decode_separator(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (text && is_separator(text))
        *(char *)slot_field(s) = text[0];
    else if (text)
        bad_value(r, s, text, "one punctuation character of ASCII is expected, no quote");
}

void decode_log_level(struct reader *r, const struct slot *s)
{
    /* In the order of enum log_level. */
    static const char *const words[] = { "error", "warning", "info", "debug" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum log_level *)slot_field(s) = (enum log_level)i;
}

void decode_log_format(struct reader *r, const struct slot *s)
{
    /* In the order of enum log_format. */
    static const char *const words[] = { "text", "json" };
    int i = reader_choice(r, s, words, sizeof words / sizeof *words);
    if (i >= 0)
        *(enum log_format *)slot_field(s) = (enum log_format)i;
}

void decode_address(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    const char *fault = text ? scalar_address(text, slot_field(s)) : NULL;
    if (fault)
        bad_value(r, s, text, fault);
}

void decode_socket(struct reader *r, const struct slot *s)
{
    struct address *a = slot_field(s);
    const char *text = reader_text(r, s);
    const char *fault = text ? scalar_socket_fault(text) : NULL;
    if (fault)
        bad_value(r, s, text, fault);
    else if (text && (a->host || a->socket))
        reader_fault(r, s->node, s->path, "give either address or socket, not both");
    else if (text)
        a->socket = mem_strdup(text);
}

/* The three ways to give a password fill one field. */
static void set_password(struct reader *r, const struct slot *s, struct slice secret)
{
    char **field = slot_field(s);
    if (memchr(secret.data, '\0', secret.len))
        reader_fault(r, s->node, s->path, "the password contains a NUL byte");
    else if (*field)
        reader_fault(r, s->node, s->path,
                     "give one of password, password_file and password_env, not several");
    else
        *field = mem_strndup(secret);
}

void decode_password(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (text)
        set_password(r, s, slice_cstr(text));
}

static struct slice without_newline(struct slice s)
{
    if (s.len && s.data[s.len - 1] == '\n')
        s.len--;
    if (s.len && s.data[s.len - 1] == '\r')
        s.len--;
    return s;
}

void decode_password_file(struct reader *r, const struct slot *s)
{
    const char *text = clean_text(r, s);
    if (!text)
        return;
    struct err err;
    struct buf content;
    buf_init(&content);
    char *path = reader_resolve(r, text);
    if (file_read(path, SECRET_MAX, &content, &err) != MQ_OK)
        reader_fault(r, s->node, s->path, "%s %s", path, err.text);
    else
        set_password(r, s, without_newline(buf_slice(&content)));
    mem_free(path);
    mem_free_secret(content.data, content.capacity);
}

void decode_password_env(struct reader *r, const struct slot *s)
{
    const char *name = clean_text(r, s);
    const char *value = name ? reader_variable(r, name) : NULL;
    if (value)
        set_password(r, s, slice_cstr(value));
    else if (name)
        bad_value(r, s, name, "this environment variable is not set");
}

void decode_password_hash(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    const char *fault = text ? scalar_hash_fault(text) : NULL;
    if (fault)
        reader_fault(r, s->node, s->path, "%s", fault);
    else if (text)
        *(char **)slot_field(s) = mem_strdup(text);
}
