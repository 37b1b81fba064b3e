#include "placement/tenant_line.h"

void tenant_line_print(const struct vindex_row *row, struct buf *out)
{
    buf_append_slice(out, row->tenant);
    buf_append_byte(out, '\t');
    keyspace_id_print(&row->id, out);
    buf_printf(out, "\t%s\n", tenant_state_name(row->state));
}

/* Cuts s at the first such byte: what is before it is returned, s becomes what is behind. */
static struct slice cut(struct slice *s, char byte)
{
    const char *at = s->len ? memchr(s->data, byte, s->len) : NULL;
    size_t len = at ? (size_t)(at - s->data) : s->len;
    struct slice before = slice_of(s->data, len);
    size_t used = len + (at != NULL);
    *s = slice_of(s->data + used, s->len - used);
    return before;
}

bool tenant_line_next(struct slice *rest, struct slice *ret_line)
{
    if (rest->len == 0)
        return false;
    *ret_line = cut(rest, '\n');
    if (ret_line->len && ret_line->data[ret_line->len - 1] == '\r')
        ret_line->len--;
    return true;
}

bool tenant_line_is_comment(struct slice line)
{
    return line.len == 0 || (line.data[0] == '#' && !memchr(line.data, '\t', line.len));
}

/* A move has more to it than its row, so one cannot be imported. */
static enum err_code parse_state(struct slice name, enum tenant_state *ret, struct err *reterr)
{
    static const enum tenant_state importable[] = { TENANT_SERVING, TENANT_RETIRED };
    for (size_t i = 0; i < sizeof importable / sizeof *importable; i++) {
        *ret = importable[i];
        if (slice_eq(name, slice_cstr(tenant_state_name(*ret))))
            return MQ_OK;
    }
    return err_set(reterr, MQ_USAGE, "the state \"%.*s\" is neither serving nor retired",
                   (int)(name.len < 32 ? name.len : 32), name.data);
}

static enum err_code parse_id(struct slice hex, struct keyspace_id *ret, struct err *reterr)
{
    if (keyspace_id_parse(hex, ret) && ret->len > 0)
        return MQ_OK;
    return err_set(reterr, MQ_USAGE,
                   "\"%.*s\" is no keyspace id (1 to %d bytes, two hexadecimal digits each)",
                   (int)(hex.len < 64 ? hex.len : 64), hex.data, KEYSPACE_ID_MAX);
}

enum err_code tenant_line_parse(struct slice line, struct vindex_row *ret, struct err *reterr)
{
    *ret = (struct vindex_row){ .tenant = cut(&line, '\t') };
    struct slice hex = cut(&line, '\t');
    enum err_code code = tenant_check(ret->tenant, reterr);
    if (!code)
        code = parse_id(hex, &ret->id, reterr);
    if (!code)
        code = parse_state(line, &ret->state, reterr);
    return code;
}
