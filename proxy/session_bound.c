/* What the types of an EXECUTE's parameters mean to a server. MySQL resolves a prepared statement
 * by the types that it meets and keeps what it has resolved: `?` that was a number once goes on to be
 * one, also when it is bound to a string. Backends are shared, so a statement there is run with
 * parameters of one kind each, and means to every client what it would mean to the first. */
#include "proxy/session_int.h"

enum { UNSIGNED = 0x80 }; /* of a parameter's flags */

/* As MySQL's Item_param tells types apart; NULL has none. */
static uint8_t kind_of(const struct execute_param *p)
{
    if (p->null)
        return TYPE_NULL;
    switch (p->type.type) {
    case TYPE_TINY:
    case TYPE_SHORT:
    case TYPE_LONG:
    case TYPE_LONGLONG:
        return p->type.flags & UNSIGNED ? TYPE_LONG : TYPE_LONGLONG;
    case TYPE_FLOAT:
        return TYPE_DOUBLE;
    case TYPE_DECIMAL:
        return TYPE_NEWDECIMAL;
    case TYPE_VARCHAR:
    case TYPE_STRING:
        return TYPE_VAR_STRING;
    case TYPE_TINY_BLOB:
    case TYPE_MEDIUM_BLOB:
    case TYPE_LONG_BLOB:
        return TYPE_BLOB;
    default:
        return p->type.type;
    }
}

uint64_t session_bound_types(const struct execute_param *params, uint32_t count)
{
    uint64_t hash = 0;
    char kinds[256];
    for (uint32_t at = 0; at < count; at += sizeof kinds) {
        uint32_t n = 0;
        for (; n < sizeof kinds && at + n < count; n++)
            kinds[n] = (char)kind_of(&params[at + n]);
        hash = hash_bytes(hash, slice_of(kinds, n));
    }
    return hash | (count > 0);
}
