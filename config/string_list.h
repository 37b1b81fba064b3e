/* Operations on struct string_list: growing, dropping duplicates, ordered look-up. */
#ifndef MQ_CONFIG_STRING_LIST_H
#define MQ_CONFIG_STRING_LIST_H

#include "config/config.h"

void string_list_add(struct string_list *l, struct slice item);
void string_list_fini(struct string_list *l);
/* Splits at commas and newlines; spaces around items and empty items are dropped. */
void string_list_split(struct string_list *l, struct slice text);
/* Keeps the first of equal items, in the order they came. */
void string_list_unique(struct string_list *l);
/* The items in byte order, borrowed; free the array with mem_free. */
const char **string_list_sorted(const struct string_list *l);
bool string_sorted_has(const char *const *sorted, size_t count, const char *item);

#endif
