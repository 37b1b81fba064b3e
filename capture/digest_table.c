/* Rows of performance_schema.events_statements_summary_by_digest, as the mysql client prints
 * them with -B or as comma-separated values. The first line names the columns; the order does
 * not matter, and other columns are passed over. */
#include "capture/capture_int.h"

enum digest_column digest_column_find(struct slice heading)
{
    static const char *const names[] = {
        [DIGEST_TEXT] = "digest_text",
        [DIGEST_SCHEMA] = "schema_name",
        [DIGEST_COUNT] = "count_star",
        [DIGEST_SAMPLE] = "query_sample_text",
    };
    for (int i = 0; i < DIGEST_NONE; i++)
        if (slice_ieq_cstr(heading, names[i]))
            return (enum digest_column)i;
    return DIGEST_NONE;
}

/* ---- fields, decoded in place ---- */

struct fields {
    char *at, *end;
    char separator;
    bool over;
};

static char unescape(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
}

static struct slice plain_field(struct fields *f)
{
    char *begin = f->at, *out = f->at;
    while (f->at < f->end && *f->at != f->separator) {
        if (f->separator == '\t' && *f->at == '\\' && f->at + 1 < f->end && f->at[1] != 'N')
            *out++ = unescape(*++f->at);
        else
            *out++ = *f->at;
        f->at++;
    }
    return slice_of(begin, (size_t)(out - begin));
}

/* "…" with quotes doubled or, as INTO OUTFILE writes them, behind a backslash. */
static struct slice quoted_field(struct fields *f)
{
    char *begin = ++f->at, *out = begin;
    for (; f->at < f->end; f->at++) {
        bool escapes = (*f->at == '\\' || *f->at == '"') && f->at + 1 < f->end && f->at[1] == '"';
        if (*f->at == '"' && !escapes)
            break;
        f->at += escapes;
        *out++ = *f->at;
    }
    while (f->at < f->end && *f->at != f->separator)
        f->at++;
    return slice_of(begin, (size_t)(out - begin));
}

static bool next_field(struct fields *f, struct slice *ret, bool *ret_null)
{
    if (f->over)
        return false;
    bool quoted = f->separator == ',' && f->at < f->end && *f->at == '"';
    *ret = quoted ? quoted_field(f) : plain_field(f);
    *ret_null = !quoted && (slice_eq(*ret, SLICE_LIT("NULL")) || slice_eq(*ret, SLICE_LIT("\\N")));
    f->over = f->at >= f->end;
    f->at += !f->over;
    return true;
}

/* ---- records ---- */

static void read_head(struct capture *c, struct fields f)
{
    struct slice name;
    bool null;
    int *const columns[] = { &c->table.text, &c->table.schema, &c->table.count, &c->table.sample };
    for (int i = 0; i < DIGEST_NONE; i++)
        *columns[i] = -1;
    for (int i = 0; next_field(&f, &name, &null); i++) {
        enum digest_column column = digest_column_find(slice_trim(name));
        if (column != DIGEST_NONE)
            *columns[column] = i;
    }
    c->table.has_head = true;
}

static void read_row(struct capture *c, struct fields f)
{
    struct digest_row row = { .count = 1, .tells_schema = c->table.schema >= 0 };
    struct slice field;
    bool null;
    unsigned long long count;
    int i = 0;
    for (; next_field(&f, &field, &null); i++) {
        if (null)
            continue;
        if (i == c->table.text) {
            row.text = field;
            row.has_text = true;
        } else if (i == c->table.schema) {
            row.schema = field;
        } else if (i == c->table.sample) {
            row.sample = field;
            row.has_sample = true;
        } else if (i == c->table.count && slice_to_u64(slice_trim(field), &count)) {
            row.count = count;
        }
    }
    if (i <= c->table.text)
        c->event.kind = CAPTURE_DAMAGED;
    digest_row_emit(c, &row);
}

static void read_record(struct capture *c, char separator)
{
    struct slice text = slice_trim(buf_slice(&c->text));
    struct fields f = { (char *)text.data, (char *)text.data + text.len, separator, false };
    if (!text.len) {
        c->pending = false;
    } else if (!c->table.has_head) {
        read_head(c, f);
        c->pending = false;
    } else {
        read_row(c, f);
    }
}

static void feed(struct capture *c, const struct piece *p, char separator)
{
    if (!c->pending)
        capture_begin(c, CAPTURE_DIGEST);
    else if (p->begins)
        capture_append(c, SLICE_LIT("\n"));
    capture_append(c, p->text);
    for (size_t i = 0; separator == ',' && i < p->text.len; i++)
        c->table.quoted ^= p->text.data[i] == '"';
    if (p->ends && !c->table.quoted)
        read_record(c, separator);
}

void digest_tsv_feed(struct capture *c, const struct piece *p)
{
    feed(c, p, '\t');
}

void digest_csv_feed(struct capture *c, const struct piece *p)
{
    feed(c, p, ',');
}
