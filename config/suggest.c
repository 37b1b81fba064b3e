#include "config/suggest.h"

#include <stdint.h>
#include <string.h>

enum { NAME_MAX_LEN = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > NAME_MAX_LEN || m > NAME_MAX_LEN)
        return SIZE_MAX;
    /* Three rows of the table: the one before last is for swaps. */
    size_t rows[3][NAME_MAX_LEN + 1];
    size_t *older = rows[0], *old = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        old[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = min3(old[j] + 1, now[j - 1] + 1, old[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                now[j] = min3(now[j], now[j], older[j - 2] + 1);
        }
        size_t *spare = older;
        older = old;
        old = now;
        now = spare;
    }
    return old[m];
}

void suggest_init(struct suggestion *s, const char *wanted)
{
    size_t len = strlen(wanted);
    s->wanted = wanted;
    s->best = NULL;
    s->distance = len < 4 ? 2 : len < 8 ? 3 : 4;
}

void suggest_offer(struct suggestion *s, const char *candidate)
{
    size_t distance = edit_distance(s->wanted, candidate);
    if (distance < s->distance) {
        s->distance = distance;
        s->best = candidate;
    }
}
