#include "proxy/findings.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/memory.h"
#include "proxy/hash.h"
#include "sql/digest.h"

struct entry {
    UT_hash_handle hh;
    struct list lru;
    struct finding_key {
        uint64_t fingerprint;
        uint32_t code, verdict;
    } key;
    uint64_t count, first_ms, last_ms;
    size_t reason_len, statement_len;
    char text[]; /* the reason and its NUL, the statement and its NUL */
};

struct findings {
    pthread_mutex_t lock;
    struct entry *entries;
    struct list lru; /* most recently seen first */
    size_t bytes;
    uint64_t forgotten;
};

struct findings *findings_create(void)
{
    struct findings *f = mem_new(struct findings);
    pthread_mutex_init(&f->lock, NULL);
    list_init(&f->lru);
    return f;
}

static size_t entry_bytes(const struct entry *e)
{
    return sizeof *e + e->reason_len + e->statement_len + 2;
}

static void drop(struct findings *f, struct entry *e)
{
    HASH_DEL(f->entries, e);
    list_remove(&e->lru);
    f->bytes -= entry_bytes(e);
    mem_free(e);
}

void findings_destroy(struct findings *f)
{
    if (!f)
        return;
    LIST_EACH(&f->lru, node, following)
    drop(f, LIST_ENTRY(node, struct entry, lru));
    pthread_mutex_destroy(&f->lock);
    mem_free(f);
}

/* ---- what is kept of a reason ---- */

/* Messages of these codes name a tenant, which may have been read from the statement. */
static bool names_tenant(enum err_code code)
{
    switch (code) {
    case MQ_TENANT_INVALID:
    case MQ_TENANT_CONFLICT:
    case MQ_TENANT_UNKNOWN:
    case MQ_TENANT_UNPLACED:
    case MQ_TENANT_OUTSIDE:
    case MQ_TENANT_RETIRED:
    case MQ_TENANT_MOVING:
    case MQ_TRANSACTION_TENANT:
    case MQ_VINDEX_NO_SHARD:
        return true;
    default:
        return false;
    }
}

/* What may be told of it. */
static struct slice told(const struct err *why)
{
    struct slice text = slice_cstr(why->text);
    bool summary = names_tenant(why->code) || !slice_is_utf8(text, NULL);
    return summary ? slice_cstr(err_info(why->code)->summary) : text;
}

/* What a message quotes of a statement stands between its first and its last quote; of a
 * message that was cut short the last one may be missing. */
static size_t write_reason(const struct err *why, char buffer[ERR_TEXT_MAX + 1])
{
    struct slice text = told(why);
    const char *quote = memchr(text.data, '\'', text.len);
    size_t first = quote ? (size_t)(quote - text.data) : text.len, last = first;
    for (size_t i = first; i < text.len; i++)
        if (text.data[i] == '\'')
            last = i;
    if (text.len == ERR_TEXT_MAX - 1)
        last = text.len;
    if (last == first) { /* none, or an apostrophe */
        memcpy(buffer, text.data, text.len);
        return text.len;
    }
    memcpy(buffer, text.data, first + 1);
    buffer[first + 1] = '?';
    memcpy(buffer + first + 2, text.data + last, text.len - last);
    return first + 2 + text.len - last;
}

/* ---- noting ---- */

static struct entry *create(const struct lexed *lexed, const struct finding_key *key,
                            const struct err *why)
{
    char reason[ERR_TEXT_MAX + 1], statement[FINDING_STATEMENT_MAX] = "";
    size_t reason_len = why ? write_reason(why, reason) : 0;
    size_t statement_len = lexed ? digest_write(lexed, statement, sizeof statement) : 0;
    struct entry *e = mem_zalloc(sizeof *e + reason_len + statement_len + 2);
    e->key = *key;
    e->reason_len = reason_len;
    e->statement_len = statement_len;
    memcpy(e->text, reason, reason_len);
    memcpy(e->text + reason_len + 1, statement, statement_len);
    return e;
}

static void make_room(struct findings *f)
{
    while (HASH_COUNT(f->entries) > FINDINGS_MAX || f->bytes > FINDINGS_BYTES_MAX) {
        struct entry *oldest = LIST_ENTRY(list_last(&f->lru), struct entry, lru);
        f->forgotten += oldest->count;
        drop(f, oldest);
    }
}

void findings_note(struct findings *f, const struct lexed *lexed, enum verdict verdict,
                   const struct err *why, uint64_t now_ms)
{
    struct finding_key key = { .fingerprint = lexed ? lexed->fingerprint : 0,
                               .code = why ? (uint32_t)why->code : 0,
                               .verdict = (uint32_t)verdict };
    struct entry *e;
    pthread_mutex_lock(&f->lock);
    HASH_FIND(hh, f->entries, &key, sizeof key, e);
    if (e) {
        list_remove(&e->lru);
    } else {
        e = create(lexed, &key, why);
        e->first_ms = now_ms;
        HASH_ADD(hh, f->entries, key, sizeof e->key, e);
        f->bytes += entry_bytes(e);
    }
    e->count++;
    e->last_ms = now_ms;
    list_prepend(&f->lru, &e->lru);
    make_room(f);
    pthread_mutex_unlock(&f->lock);
}

/* ---- reading ---- */

static struct finding *next_item(struct findings_report *report, struct arena *arena)
{
    if (report->count == report->room) {
        size_t room = report->room ? report->room * 2 : 64;
        struct finding *items = arena_array(arena, struct finding, room);
        if (report->count)
            memcpy(items, report->items, report->count * sizeof *items);
        report->items = items;
        report->room = room;
    }
    return &report->items[report->count++];
}

void findings_read(struct findings *f, struct arena *arena, struct findings_report *report)
{
    pthread_mutex_lock(&f->lock);
    report->forgotten += f->forgotten;
    LIST_EACH(&f->lru, node, following)
    {
        const struct entry *e = LIST_ENTRY(node, struct entry, lru);
        *next_item(report, arena) = (struct finding){
            .fingerprint = e->key.fingerprint,
            .code = (enum err_code)e->key.code,
            .verdict = (enum verdict)e->key.verdict,
            .reason = arena_copy(arena, slice_of(e->text, e->reason_len)),
            .statement = arena_copy(arena, slice_of(e->text + e->reason_len + 1, e->statement_len)),
            .count = e->count,
            .first_ms = e->first_ms,
            .last_ms = e->last_ms,
        };
    }
    pthread_mutex_unlock(&f->lock);
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_kind(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = compare_u64(a->fingerprint, b->fingerprint);
    if (!order)
        order = compare_u64(a->code, b->code);
    return order ? order : compare_u64(a->verdict, b->verdict);
}

static int by_count(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = compare_u64(b->count, a->count);
    if (!order)
        order = compare_u64(b->last_ms, a->last_ms);
    return order ? order : by_kind(left, right);
}

static void fold(struct finding *into, const struct finding *other)
{
    into->count += other->count;
    if (other->first_ms < into->first_ms)
        into->first_ms = other->first_ms;
    if (other->last_ms > into->last_ms)
        into->last_ms = other->last_ms;
}

void findings_merge(struct findings_report *report)
{
    size_t kept = 0;
    if (!report->count)
        return;
    qsort(report->items, report->count, sizeof *report->items, by_kind);
    for (size_t i = 1; i < report->count; i++) {
        if (by_kind(&report->items[kept], &report->items[i]) == 0)
            fold(&report->items[kept], &report->items[i]);
        else
            report->items[++kept] = report->items[i];
    }
    report->count = kept + 1;
    qsort(report->items, report->count, sizeof *report->items, by_count);
}
