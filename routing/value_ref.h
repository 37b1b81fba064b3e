/* Where a value stands in a statement: what a template knows of it, since one template serves
 * statements with other values. */
#ifndef MQ_ROUTING_VALUE_REF_H
#define MQ_ROUTING_VALUE_REF_H

#include <stdint.h>

#include "base/slice.h"

enum value_kind {
    VALUE_NONE,     /* there is none, or it is DEFAULT */
    VALUE_TOKENS,   /* a literal: tokens first..last */
    VALUE_LITERALS, /* literals of an IN list: the token `first` */
    VALUE_PARAM,    /* parameter number `param`, from 0 */
    VALUE_COMPUTED  /* an expression: not known exactly */
};

/* How a statement names a tenant, which tells what is wrong when two differ. */
enum tenant_origin {
    ORIGIN_CONDITION, /* tenant = … */
    ORIGIN_LIST,      /* one of tenant IN (…) */
    ORIGIN_ROW        /* a value of an inserted row */
};

struct value_ref {
    uint8_t kind;   /* enum value_kind */
    uint8_t origin; /* enum tenant_origin; of template.sql_tenants and keys only */
    bool continues; /* the same; the list of the value before it goes on */
    uint32_t first, last, param;
};

#endif
