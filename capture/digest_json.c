/* Digests as JSON objects with the columns for keys, whatever stands around them: one array,
 * one object a line, or one behind the other. Each is cut out by its braces and then parsed. */
#include "capture/capture_int.h"

#include <jansson.h>

static bool member(json_t *object, enum digest_column column, struct slice *ret)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (digest_column_find(slice_cstr(key)) == column && json_is_string(value)) {
            *ret = slice_of(json_string_value(value), json_string_length(value));
            return true;
        }
    }
    return false;
}

/* A number, or a string of digits. */
static uint64_t count_of(json_t *object)
{
    const char *key;
    json_t *value;
    unsigned long long n = 1;
    json_object_foreach(object, key, value)
    {
        if (digest_column_find(slice_cstr(key)) != DIGEST_COUNT)
            continue;
        if (json_is_integer(value) && json_integer_value(value) >= 0)
            n = (unsigned long long)json_integer_value(value);
        else if (json_is_string(value))
            slice_to_u64(slice_cstr(json_string_value(value)), &n);
    }
    return n;
}

static bool has_key(json_t *object, enum digest_column column)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        (void)value;
        if (digest_column_find(slice_cstr(key)) == column)
            return true;
    }
    return false;
}

static void read_object(struct capture *c)
{
    struct slice text = buf_slice(&c->text);
    struct digest_row row = { 0 };
    json_t *object = json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    if (!object || !has_key(object, DIGEST_TEXT))
        c->event.kind = CAPTURE_DAMAGED;
    if (object) {
        row.has_text = member(object, DIGEST_TEXT, &row.text);
        row.tells_schema = has_key(object, DIGEST_SCHEMA);
        member(object, DIGEST_SCHEMA, &row.schema);
        row.has_sample = member(object, DIGEST_SAMPLE, &row.sample);
        row.count = count_of(object);
    }
    digest_row_emit(c, &row);
    json_decref(object);
}

static void take_byte(struct capture *c, char byte)
{
    struct digest_json *j = &c->json;
    if (j->in_string) {
        if (!j->escaped && byte == '"')
            j->in_string = false;
        j->escaped = !j->escaped && byte == '\\';
    } else if (byte == '"') {
        j->in_string = true;
    } else if (byte == '{' && j->depth++ == 0) {
        capture_begin(c, CAPTURE_DIGEST);
    } else if (byte == '}' && j->depth > 0) {
        j->depth--;
    }
}

void digest_json_feed(struct capture *c, const struct piece *p)
{
    for (size_t i = 0; i < p->text.len; i++) {
        int depth = c->json.depth;
        take_byte(c, p->text.data[i]);
        if (c->pending)
            capture_append(c, slice_of(p->text.data + i, 1));
        if (depth == 1 && c->json.depth == 0)
            read_object(c);
    }
    if (p->ends && c->pending)
        capture_append(c, SLICE_LIT("\n"));
}
