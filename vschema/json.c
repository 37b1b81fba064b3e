#include "vschema/json.h"

enum { FIELD_MAX = 64 };

/* "columnVindexes" for "column_vindexes". */
static void camel_case(const char *field, char *out)
{
    size_t n = 0;
    for (; *field && n + 1 < FIELD_MAX; field++) {
        if (*field == '_' && field[1])
            out[n++] = (char)(*++field - 'a' + 'A');
        else
            out[n++] = *field;
    }
    out[n] = '\0';
}

static enum err_code fault(struct json_place at, const char *field, const char *what,
                           struct err *reterr)
{
    return err_set(reterr, MQ_VSCHEMA_INVALID, "%s%s%s%s%s: %s", at.prefix, *at.name ? "." : "",
                   at.name, *at.prefix ? "." : "", field, what);
}

static enum err_code find(const json_t *object, struct json_place at, const char *field,
                          const json_t **ret, struct err *reterr)
{
    char camel[FIELD_MAX];
    camel_case(field, camel);
    const json_t *snake = json_object_get(object, field);
    const json_t *other = strcmp(camel, field) == 0 ? NULL : json_object_get(object, camel);
    if (snake && other)
        return fault(at, field, "duplicate field", reterr);
    *ret = snake ? snake : other;
    if (json_is_null(*ret))
        *ret = NULL;
    return MQ_OK;
}

enum err_code json_field_object(const json_t *object, struct json_place at, const char *field,
                                const json_t **ret, struct err *reterr)
{
    enum err_code code = find(object, at, field, ret, reterr);
    if (code == MQ_OK && *ret && !json_is_object(*ret))
        return fault(at, field, "an object is expected", reterr);
    return code;
}

enum err_code json_field_array(const json_t *object, struct json_place at, const char *field,
                               const json_t **ret, struct err *reterr)
{
    enum err_code code = find(object, at, field, ret, reterr);
    if (code == MQ_OK && *ret && !json_is_array(*ret))
        return fault(at, field, "a list is expected", reterr);
    return code;
}

enum err_code json_field_string(const json_t *object, struct json_place at, const char *field,
                                const char **ret, struct err *reterr)
{
    const json_t *value;
    *ret = "";
    enum err_code code = find(object, at, field, &value, reterr);
    if (code != MQ_OK || !value)
        return code;
    if (!json_is_string(value))
        return fault(at, field, "a string is expected", reterr);
    *ret = json_string_value(value);
    return MQ_OK;
}

enum err_code json_field_bool(const json_t *object, struct json_place at, const char *field,
                              bool *ret, struct err *reterr)
{
    const json_t *value;
    *ret = false;
    enum err_code code = find(object, at, field, &value, reterr);
    if (code != MQ_OK || !value)
        return code;
    if (!json_is_boolean(value))
        return fault(at, field, "true or false is expected", reterr);
    *ret = json_is_true(value);
    return MQ_OK;
}
