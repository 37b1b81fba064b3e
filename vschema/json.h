/* Fields of protocol-buffer JSON as protojson reads them: snake_case or lowerCamelCase, null
 * is absent, unknown fields are ignored, a field in both spellings is an error. For this
 * folder; the only place besides vschema.c that knows jansson. */
#ifndef MQ_VSCHEMA_JSON_H
#define MQ_VSCHEMA_JSON_H

#include <jansson.h>

#include "base/error.h"

/* What an error is about, printed as "tables.t.pinned: …". */
struct json_place {
    const char *prefix; /* "tables", "" at the root */
    const char *name;   /* "t", or "" */
};

/* Each sets *ret to NULL (false, "") when the field is absent and fails with
 * MQ_VSCHEMA_INVALID when it has another type. Values are borrowed from the object. */
enum err_code json_field_object(const json_t *object, struct json_place at, const char *field,
                                const json_t **ret, struct err *reterr);
enum err_code json_field_array(const json_t *object, struct json_place at, const char *field,
                               const json_t **ret, struct err *reterr);
enum err_code json_field_string(const json_t *object, struct json_place at, const char *field,
                                const char **ret, struct err *reterr);
enum err_code json_field_bool(const json_t *object, struct json_place at, const char *field,
                              bool *ret, struct err *reterr);

#endif
