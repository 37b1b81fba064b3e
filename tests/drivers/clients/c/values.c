#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TEXT_MAX = 200, LONG_MIN_SIZE = 1 << 16 };

/* ---- parameters ---- */

static const char *kind_of(json_t *param, json_t **ret_value)
{
    void *at = json_object_iter(param);
    *ret_value = json_object_iter_value(at);
    return json_object_iter_key(at);
}

static void set_blob(struct value *v, size_t size)
{
    v->len = size;
    v->bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        v->bytes[i] = (char)(31 * i + (i >> 8));
    v->is_long = size >= LONG_MIN_SIZE;
}

static void set_hex(struct value *v, const char *digits)
{
    v->len = strlen(digits) / 2;
    v->bytes = malloc(v->len + 1);
    for (size_t i = 0; i < v->len; i++) {
        unsigned byte;
        sscanf(digits + 2 * i, "%2x", &byte);
        v->bytes[i] = (char)byte;
    }
}

static void set_string(struct value *v, const char *text)
{
    v->len = strlen(text);
    v->bytes = malloc(v->len + 1);
    memcpy(v->bytes, text, v->len + 1);
}

/* "-838:59:59.000000", "1000-01-01 00:00:00.000000" or "1000-01-01". */
static enum enum_field_types read_time(const char *kind, const char *text, MYSQL_TIME *t)
{
    memset(t, 0, sizeof *t);
    if (strcmp(kind, "time") == 0) {
        t->time_type = MYSQL_TIMESTAMP_TIME;
        t->neg = text[0] == '-';
        sscanf(text + t->neg, "%u:%u:%u.%lu", &t->hour, &t->minute, &t->second, &t->second_part);
        return MYSQL_TYPE_TIME;
    }
    t->time_type = MYSQL_TIMESTAMP_DATETIME;
    sscanf(text, "%u-%u-%u %u:%u:%u.%lu", &t->year, &t->month, &t->day, &t->hour, &t->minute,
           &t->second, &t->second_part);
    return strcmp(kind, "date") == 0 ? MYSQL_TYPE_DATE : MYSQL_TYPE_DATETIME;
}

static void bind_bytes(struct value *v, MYSQL_BIND *bind, enum enum_field_types type)
{
    v->length = v->len;
    bind->buffer_type = type;
    bind->buffer = v->bytes;
    bind->buffer_length = v->len;
    bind->length = &v->length;
}

static void bind_integer(struct value *v, MYSQL_BIND *bind, const char *text)
{
    bind->is_unsigned = text[0] != '-';
    v->integer = bind->is_unsigned ? (long long)strtoull(text, NULL, 10) : strtoll(text, NULL, 10);
    bind->buffer_type = MYSQL_TYPE_LONGLONG;
    bind->buffer = &v->integer;
}

static void bind_typed(json_t *param, struct value *v, MYSQL_BIND *bind)
{
    json_t *inner;
    const char *kind = kind_of(param, &inner), *text = json_string_value(inner);
    if (strcmp(kind, "integer") == 0) {
        bind_integer(v, bind, text);
    } else if (strcmp(kind, "blob") == 0) {
        set_blob(v, (size_t)json_integer_value(inner));
        bind_bytes(v, bind, MYSQL_TYPE_BLOB);
    } else if (strcmp(kind, "hex") == 0) {
        set_hex(v, text);
        bind_bytes(v, bind, MYSQL_TYPE_BLOB);
    } else if (strcmp(kind, "decimal") == 0) {
        set_string(v, text);
        bind_bytes(v, bind, MYSQL_TYPE_STRING);
    } else {
        bind->buffer_type = read_time(kind, text, &v->time);
        bind->buffer = &v->time;
    }
}

void value_bind(json_t *param, struct value *v, MYSQL_BIND *bind)
{
    if (json_is_null(param)) {
        bind->buffer_type = MYSQL_TYPE_NULL;
    } else if (json_is_object(param)) {
        bind_typed(param, v, bind);
    } else if (json_is_integer(param)) {
        v->integer = json_integer_value(param);
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &v->integer;
    } else if (json_is_real(param)) {
        v->real = json_real_value(param);
        bind->buffer_type = MYSQL_TYPE_DOUBLE;
        bind->buffer = &v->real;
    } else {
        set_string(v, json_string_value(param));
        bind_bytes(v, bind, MYSQL_TYPE_STRING);
    }
}

/* ---- literals ---- */

size_t value_literal_size(json_t *param)
{
    json_t *inner = param;
    if (json_is_object(param) && strcmp(kind_of(param, &inner), "blob") == 0)
        return 2 * (size_t)json_integer_value(inner) + 16;
    return json_is_string(inner) ? 2 * json_string_length(inner) + 16 : 64;
}

static size_t quoted(MYSQL *m, const char *introducer, const char *bytes, size_t len, char *out)
{
    size_t at = (size_t)sprintf(out, "%s'", introducer);
    at += mysql_real_escape_string(m, out + at, bytes, len);
    out[at++] = '\'';
    return at;
}

static size_t typed_literal(MYSQL *m, json_t *param, char *out)
{
    json_t *inner;
    const char *kind = kind_of(param, &inner), *text = json_string_value(inner);
    struct value v = { 0 };
    if (strcmp(kind, "integer") == 0 || strcmp(kind, "decimal") == 0)
        return (size_t)sprintf(out, "%s", text);
    if (strcmp(kind, "hex") == 0)
        return (size_t)sprintf(out, "X'%s'", text);
    if (strcmp(kind, "blob") != 0)
        return quoted(m, "", text, strlen(text), out);
    set_blob(&v, (size_t)json_integer_value(inner));
    size_t len = quoted(m, "_binary", v.bytes, v.len, out);
    free(v.bytes);
    return len;
}

size_t value_literal(MYSQL *m, json_t *param, char *out)
{
    if (json_is_null(param))
        return (size_t)sprintf(out, "NULL");
    if (json_is_object(param))
        return typed_literal(m, param, out);
    if (json_is_integer(param))
        return (size_t)sprintf(out, "%lld", (long long)json_integer_value(param));
    if (json_is_real(param))
        return (size_t)sprintf(out, "%.17g", json_real_value(param));
    return quoted(m, "", json_string_value(param), json_string_length(param), out);
}

/* ---- answers ---- */

static json_t *summary(const char *bytes, size_t len)
{
    return json_sprintf("%zu bytes, %lu", len,
                        crc32(0, (const unsigned char *)bytes, (unsigned)len));
}

json_t *value_text(const char *bytes, size_t len)
{
    char hex[2 * TEXT_MAX + 1];
    if (!bytes)
        return json_null();
    if (len > TEXT_MAX)
        return summary(bytes, len);
    json_t *text = memchr(bytes, '\0', len) ? NULL : json_stringn(bytes, len);
    if (text)
        return text;
    for (size_t i = 0; i < len; i++)
        sprintf(hex + 2 * i, "%02x", (unsigned char)bytes[i]);
    return json_sprintf("hex %s", hex);
}

/* ---- what the two libraries have different names for ---- */

#ifdef MARIADB_BASE_VERSION
void set_tls(MYSQL *m, const char *ca)
{
    my_bool verify = 1;
    if (!ca)
        return;
    mysql_ssl_set(m, NULL, NULL, ca, NULL, NULL);
    mysql_options(m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}
#else
void set_tls(MYSQL *m, const char *ca)
{
    enum mysql_ssl_mode mode = ca ? SSL_MODE_VERIFY_CA : SSL_MODE_DISABLED;
    bool ask = true;
    mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &ask);
    mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
    if (ca)
        mysql_options(m, MYSQL_OPT_SSL_CA, ca);
}
#endif
