/* Small steps over the text of a line. */
#include "capture/capture_int.h"

bool text_take(struct slice *s, const char *prefix)
{
    size_t len = strlen(prefix);
    if (s->len < len || memcmp(s->data, prefix, len) != 0)
        return false;
    *s = slice_of(s->data + len, s->len - len);
    return true;
}

bool text_take_number(struct slice *s, uint64_t *ret)
{
    unsigned long long n;
    size_t len = 0;
    while (len < s->len && s->data[len] >= '0' && s->data[len] <= '9')
        len++;
    if (!slice_to_u64(slice_of(s->data, len), &n))
        return false;
    *ret = n;
    *s = slice_of(s->data + len, s->len - len);
    return true;
}

void text_skip_spaces(struct slice *s)
{
    while (s->len && *s->data == ' ')
        *s = slice_of(s->data + 1, s->len - 1);
}

bool text_take_until(struct slice *s, const char *stop, struct slice *ret)
{
    size_t len = strlen(stop);
    for (size_t i = 0; i + len <= s->len; i++)
        if (memcmp(s->data + i, stop, len) == 0) {
            *ret = slice_of(s->data, i);
            *s = slice_of(s->data + i + len, s->len - i - len);
            return true;
        }
    return false;
}

bool text_is_heading(struct slice line)
{
    struct slice before;
    return text_take_until(&line, ", Version: ", &before) &&
           text_take_until(&line, ". started with:", &before) && !line.len;
}

struct slice text_unquote(struct slice name)
{
    bool quoted = name.len >= 2 && name.data[0] == '`' && name.data[name.len - 1] == '`';
    return quoted ? slice_of(name.data + 1, name.len - 2) : name;
}
