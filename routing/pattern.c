#include "routing/pattern.h"

#include "routing/identifier.h"

bool pattern_is_column(const struct planner *p, struct slice name)
{
    const struct config *c = p->topology->config;
    return c->pattern &&
           slice_ieq_cstr(name, c->pattern_column == PATTERN_TOPIC ? "topic" : "partition_key");
}

void pattern_add(struct planner *p, struct value_ref value, enum tenant_origin origin,
                 bool continues)
{
    struct value_ref *v = vector_add(&p->pattern_values, p->arena, sizeof *v);
    *v = value;
    v->origin = (uint8_t)origin;
    v->continues = continues;
}

void pattern_stored(struct planner *p, struct slice column, struct value_ref value)
{
    bool known = value.kind == VALUE_TOKENS || value.kind == VALUE_PARAM;
    if (known && pattern_is_column(p, column))
        pattern_add(p, value, ORIGIN_ROW, false);
}

static bool each_literal(const struct route_input *in, const struct value_ref *v,
                         struct arena *arena, pattern_seen *seen, void *context)
{
    struct lexed list;
    struct slice value;
    uint32_t at = 0, first, last;
    if (!token_literals(in->lexed, in->dialect, v->first, arena, &list))
        return false;
    while (literals_next(&list, &at, &first, &last)) {
        if (token_is_keyword(&list.tokens[first], KW_NULL))
            continue;
        if (!token_string_value(&list, in->dialect, first, last, arena, &value) ||
            !seen(context, value))
            return false;
    }
    return true;
}

bool pattern_each(const struct route_input *in, const struct value_ref *v, struct arena *arena,
                  pattern_seen *seen, void *context)
{
    struct slice value;
    if (v->kind == VALUE_LITERALS)
        return each_literal(in, v, arena, seen, context);
    switch (value_read(in, v, arena, &value)) {
    case READ_STRING:
        return !in->facts->other_charset && seen(context, value);
    case READ_UNKNOWN:
        return v->kind == VALUE_TOKENS && token_is_keyword(&in->lexed->tokens[v->first], KW_NULL);
    default:
        return true;
    }
}
