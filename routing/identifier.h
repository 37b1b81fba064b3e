/* Checks of values that are written into identifier columns, before a shard is contacted. */
#ifndef MQ_ROUTING_IDENTIFIER_H
#define MQ_ROUTING_IDENTIFIER_H

#include "routing/route.h"

/* How a value of the statement can be read. */
enum value_reading {
    READ_NOTHING, /* there is none: DEFAULT, NULL */
    READ_STRING,  /* *ret has its exact bytes */
    READ_OTHER,   /* a number or a date: not the spelling of a string */
    READ_UNKNOWN, /* not known exactly */
};
enum value_reading value_read(const struct route_input *in, const struct value_ref *v,
                              struct arena *arena, struct slice *ret);

/* Fails with MQ_IDENTIFIER_INVALID or MQ_COUNTER_VALUE. */
enum err_code identifier_check(const struct route_input *in, const struct identifier_check *check,
                               struct arena *arena, struct err *reterr);

enum counters identifier_counters(const struct route_input *in, struct arena *arena);

#endif
