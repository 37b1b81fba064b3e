#include "cli/lint_report.h"

#include <stdlib.h>

#include "base/memory.h"
#include "proxy/hash.h"

enum {
    KINDS_MAX = 10000,
    STATEMENT_MAX = 1024, /* bytes kept of each */
    EXAMPLE_MAX = 1024,
    REASON_MAX = 480,
    SEEN_MAX = 40
};

struct lint_kind {
    UT_hash_handle hh;
    struct kind_key {
        uint64_t statement;
        uint32_t class, code;
    } key;
    struct lint_finding finding;
    char text[]; /* of the finding */
};

static const struct {
    const char *word, *title;
} classes[] = {
#define CLASS_ROW(name, word, title) [LINT_##name] = { word, title },
#include "cli/lint_classes.def"
#undef CLASS_ROW
};

const char *lint_class_word(enum lint_class class)
{
    return classes[class].word;
}

const char *lint_class_title(enum lint_class class)
{
    return classes[class].title;
}

const char *lint_table_word(enum lint_table table)
{
    static const char *const words[] = { NULL, "legacy", "tenant", "other" };
    return words[table];
}

void lint_report_init(struct lint_report *r)
{
    *r = (struct lint_report){ .files_end = &r->files };
}

void lint_report_fini(struct lint_report *r)
{
    struct lint_kind *k, *following;
    HASH_ITER(hh, r->kinds, k, following)
    {
        HASH_DEL(r->kinds, k);
        mem_free(k);
    }
    for (struct lint_file *f = r->files, *next; f; f = next) {
        next = f->next;
        mem_free(f->name);
        mem_free(f);
    }
}

struct lint_file *lint_report_file(struct lint_report *r, const char *name,
                                   enum capture_format format)
{
    struct lint_file *f = mem_new(struct lint_file);
    f->name = mem_strdup(name);
    f->format = format;
    *r->files_end = f;
    r->files_end = &f->next;
    return f;
}

/* ---- kinds ---- */

/* FNV-1a. */
static uint64_t hash_text(struct slice s)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (uint8_t)s.data[i]) * 0x100000001b3u;
    return hash;
}

/* Of characters, not of bytes, so that the text stays UTF-8. */
static struct slice shorten(struct slice s, size_t max)
{
    if (s.len <= max)
        return s;
    s.len = max;
    while (s.len && ((uint8_t)s.data[s.len] & 0xc0) == 0x80)
        s.len--;
    return s;
}

static struct slice keep(char **at, struct slice s)
{
    char *text = *at;
    if (s.len)
        memcpy(text, s.data, s.len);
    text[s.len] = '\0';
    *at += s.len + 1;
    return slice_of(text, s.len);
}

static struct lint_kind *make_kind(const struct lint_finding *f, const struct kind_key *key)
{
    struct slice statement = shorten(f->statement, STATEMENT_MAX);
    struct slice example = shorten(f->example, EXAMPLE_MAX);
    struct slice reason = shorten(slice_cstr(f->reason ? f->reason : ""), REASON_MAX);
    struct slice first = shorten(f->first_seen, SEEN_MAX), last = shorten(f->last_seen, SEEN_MAX);
    struct lint_kind *k =
        mem_zalloc(sizeof *k + statement.len + example.len + reason.len + first.len + last.len + 5);
    char *at = k->text;
    k->key = *key;
    k->finding = *f;
    k->finding.statement = keep(&at, statement);
    k->finding.example = keep(&at, example);
    k->finding.reason = keep(&at, reason).data;
    k->finding.first_seen = keep(&at, first);
    k->finding.last_seen = keep(&at, last);
    k->finding.count = 0;
    return k;
}

static struct lint_kind *find_kind(struct lint_report *r, const struct lint_finding *f)
{
    struct kind_key key = { hash_text(f->statement), f->class, f->code };
    struct lint_kind *k;
    HASH_FIND(hh, r->kinds, &key, sizeof key, k);
    if (k || r->kind_count == KINDS_MAX)
        return k;
    k = make_kind(f, &key);
    HASH_ADD(hh, r->kinds, key, sizeof k->key, k);
    r->kind_count++;
    r->classes[f->class].kinds++;
    return k;
}

void lint_report_add(struct lint_report *r, const struct lint_finding *f)
{
    struct lint_kind *k = find_kind(r, f);
    r->classes[f->class].statements += f->count;
    if (k)
        k->finding.count += f->count;
    else
        r->classes[f->class].unkept += f->count;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
    const struct lint_finding *a = left, *b = right;
    int order = compare_numbers(a->class, b->class);
    if (!order)
        order = compare_numbers(a->code, b->code);
    if (!order)
        order = compare_numbers(b->count, a->count);
    return order ? order : slice_cmp(a->statement, b->statement);
}

struct lint_finding *lint_report_sorted(const struct lint_report *r, size_t *ret_count)
{
    struct lint_finding *all = mem_array(r->kind_count + 1, sizeof *all);
    size_t count = 0;
    for (struct lint_kind *k = r->kinds; k; k = k->hh.next)
        all[count++] = k->finding;
    qsort(all, count, sizeof *all, compare);
    *ret_count = count;
    return all;
}
