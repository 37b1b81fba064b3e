/* One string out of a JSON text, for the tenant sources `metadata` and `payload`. */
#ifndef MQ_ROUTING_JSON_H
#define MQ_ROUTING_JSON_H

#include "base/arena.h"

enum json_path {
    PATH_ABSENT,
    PATH_STRING,
    PATH_NOT_STRING,
    PATH_TWICE,    /* a key on the way occurs twice in its object */
    PATH_MALFORMED /* the text is no JSON */
};

/* The string at a path of object keys ("queue_name", "a.b"), without allocating more than
 * the strings that hold escapes. *ret is borrowed from the text or in the arena. */
enum json_path json_find_string(struct slice json, struct slice path, struct arena *arena,
                                struct slice *ret);

#endif
