#include "proxy/known_head.h"

#include "base/memory.h"

enum {
    MOST_HEADS = 8, /* shards whose database has other names, clients of other kinds */
    HEAD_MAX = 8192,
};

static bool same_name(const char *a, const char *b)
{
    return slice_eq(slice_cstr(a), slice_cstr(b));
}

static bool same_form(const struct head_form *a, const struct head_form *b)
{
    return a->client == b->client && a->server == b->server && same_name(a->database, b->database) &&
           same_name(a->server_database, b->server_database);
}

static bool begins_with(struct slice data, struct slice head)
{
    return data.len >= head.len && memcmp(data.data, head.data, head.len) == 0;
}

const struct known_head *known_head_find(const struct known_head *list, const struct head_form *form,
                                         struct slice data)
{
    for (; list; list = list->next)
        if (begins_with(data, list->came) && same_form(&list->form, form))
            return list;
    return NULL;
}

static void destroy(struct known_head *h)
{
    mem_free((char *)h->form.database);
    mem_free((char *)h->form.server_database);
    if (h->told.data != h->came.data)
        mem_free((char *)h->told.data);
    mem_free((char *)h->came.data);
    mem_free(h);
}

void known_heads_free(struct known_head *list)
{
    while (list) {
        struct known_head *next = list->next;
        destroy(list);
        list = next;
    }
}

size_t known_heads_bytes(const struct known_head *list)
{
    size_t bytes = 0;
    for (; list; list = list->next)
        bytes += sizeof *list + list->came.len + list->told.len;
    return bytes;
}

static void forget_old(struct known_head *list)
{
    for (int i = 1; list && i < MOST_HEADS; i++)
        list = list->next;
    if (!list)
        return;
    known_heads_free(list->next);
    list->next = NULL;
}

static struct slice copy(struct slice bytes)
{
    return slice_of(memcpy(mem_alloc(bytes.len), bytes.data, bytes.len), bytes.len);
}

void known_head_keep(struct known_head **list, const struct known_head *head)
{
    if (head->came.len > HEAD_MAX || head->told.len > HEAD_MAX)
        return;
    struct known_head *h = mem_new(struct known_head);
    *h = *head;
    h->form.database = mem_strdup(head->form.database);
    h->form.server_database = mem_strdup(head->form.server_database);
    h->came = copy(head->came);
    h->told = head->told.data == head->came.data ? h->came : copy(head->told);
    h->next = *list;
    *list = h;
    forget_old(h);
}
