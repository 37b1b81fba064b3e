#include "config/string_list.h"

#include <stdlib.h>

#include "base/memory.h"

void string_list_add(struct string_list *l, struct slice item)
{
    /* Room is not remembered: it doubles whenever the count is a power of two. */
    if ((l->count & (l->count - 1)) == 0)
        l->items = mem_resize(l->items, l->count ? l->count * 2 : 1, sizeof *l->items);
    l->items[l->count++] = mem_strndup(item);
}

void string_list_fini(struct string_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        mem_free(l->items[i]);
    mem_free(l->items);
    *l = (struct string_list){ 0 };
}

void string_list_split(struct string_list *l, struct slice text)
{
    size_t begin = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.data[i] != ',' && text.data[i] != '\n')
            continue;
        struct slice item = slice_trim(slice_of(text.data + begin, i - begin));
        if (item.len)
            string_list_add(l, item);
        begin = i + 1;
    }
}

/* By text, then by place in the list (both point into its array). */
static int compare_places(const void *a, const void *b)
{
    char **const *x = a, **const *y = b;
    int c = strcmp(**x, **y);
    return c ? c : *x < *y ? -1 : *x > *y;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void string_list_unique(struct string_list *l)
{
    char ***places = mem_array(l->count, sizeof *places);
    for (size_t i = 0; i < l->count; i++)
        places[i] = &l->items[i];
    qsort(places, l->count, sizeof *places, compare_places);
    const char *kept = NULL;
    for (size_t i = 0; i < l->count; i++) {
        if (kept && strcmp(kept, *places[i]) == 0) {
            mem_free(*places[i]);
            *places[i] = NULL;
        } else {
            kept = *places[i];
        }
    }
    mem_free(places);

    size_t count = l->count;
    l->count = 0;
    for (size_t i = 0; i < count; i++)
        if (l->items[i])
            l->items[l->count++] = l->items[i];
}

const char **string_list_sorted(const struct string_list *l)
{
    const char **sorted = mem_array(l->count, sizeof *sorted);
    for (size_t i = 0; i < l->count; i++)
        sorted[i] = l->items[i];
    qsort(sorted, l->count, sizeof *sorted, compare_text);
    return sorted;
}

bool string_sorted_has(const char *const *sorted, size_t count, const char *item)
{
    return count && bsearch(&item, sorted, count, sizeof *sorted, compare_text);
}
