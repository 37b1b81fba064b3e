/* What kind of file begins so? The first line that only one format can have decides. */
#include "capture/capture_int.h"

static bool names_digests(struct slice line, char separator)
{
    for (size_t from = 0, to; from < line.len; from = to + 1) {
        for (to = from; to < line.len && line.data[to] != separator; to++)
            ;
        struct slice field = slice_trim(slice_of(line.data + from, to - from));
        if (field.len >= 2 && field.data[0] == '"')
            field = slice_of(field.data + 1, field.len - 2);
        if (digest_column_find(field) == DIGEST_TEXT)
            return true;
    }
    return false;
}

static enum capture_format recognise_line(struct slice line)
{
    if (general_log_entry(line))
        return CAPTURE_GENERAL;
    if (slow_log_entry(line))
        return CAPTURE_SLOW;
    return CAPTURE_UNKNOWN;
}

/* Only the first line that is not empty tells of tables and of JSON. */
static enum capture_format recognise_first(struct slice line)
{
    if (names_digests(line, '\t'))
        return CAPTURE_TSV;
    if (names_digests(line, ','))
        return CAPTURE_CSV;
    return line.data[0] == '{' || line.data[0] == '[' ? CAPTURE_JSON : recognise_line(line);
}

enum capture_format capture_recognise(struct slice head)
{
    enum capture_format found = CAPTURE_UNKNOWN;
    bool first = true;
    text_take(&head, "\xef\xbb\xbf");
    while (head.len && !found) {
        struct slice line = head;
        if (!text_take_until(&head, "\n", &line))
            head.len = 0;
        if (!slice_trim(line).len)
            continue;
        found = first ? recognise_first(line) : recognise_line(line);
        first = false;
    }
    return found ? found : CAPTURE_SCRIPT;
}
