/* What the map of tenants costs: looking one up, changing one, and memory, on 256 shards.
 *
 *   tenants_bench [count…]    a table in Markdown; by default for 10, 10,000 and 1,000,000 tenants
 *
 *     found, not found   nanoseconds of a look-up; names come in no order, so that caches do not
 * help change             microseconds of a new map with one tenant changed, after 100 others were
 *     merge              milliseconds of one where so many were that they become a new base
 *     map, peak          MiB that the map takes, and at most while it is made */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vschema/tenants.h"
#include "vschema/vindex.h"

enum { SHARDS = 256, ROUNDS = 51, NAMES = 1 << 14, CHANGES = 100, NAME_SIZE = 40 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* so that others on the machine do not count */
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A line of /proc/self/status, in MiB. */
static double status_mib(const char *field)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, field, strlen(field)) == 0)
            kib = strtol(line + strlen(field), NULL, 10);
    if (f)
        fclose(f);
    return (double)kib / 1024;
}

static struct slice name_of(const char *kind, uint32_t i, char text[NAME_SIZE])
{
    int len = snprintf(text, NAME_SIZE, "%s-%u/queue-%u", kind, i / 10, i);
    return slice_of(text, (size_t)len);
}

static void add(struct tenant_map_builder *b, uint32_t i, uint64_t version)
{
    static const struct vindex_type *xxhash;
    char text[NAME_SIZE];
    struct slice name = name_of("team", i, text);
    struct keyspace_id id;
    if (!xxhash)
        xxhash = vindex_find(SLICE_LIT("xxhash"));
    if (xxhash->map(name, &id))
        tenant_map_builder_add(b, name, &id, id.bytes[0] % SHARDS, TENANT_SERVING, version);
}

static struct tenant_map *make_map(struct tenant_map_builder *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add(b, i, 1);
    return tenant_map_build(b, 0, 1);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Nanoseconds of a look-up, the median of many rounds. The names are made before each, so that only
 * look-ups are measured. */
static double measure_find(const struct tenant_map *m, const char *kind, uint32_t count)
{
    static char texts[NAMES][NAME_SIZE];
    static struct slice names[NAMES];
    double rounds[ROUNDS];
    uint32_t at = 1;
    size_t found = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < NAMES; i++) {
            at = at * 1664525u + 1013904223u;
            names[i] = name_of(kind, (uint32_t)((uint64_t)at * count >> 32), texts[i]);
        }
        double begin = cpu_ns();
        for (int i = 0; i < NAMES; i++)
            found += tenant_map_find(m, names[i]) != NULL;
        rounds[r] = (cpu_ns() - begin) / NAMES;
    }
    if (found != 0 && found != (size_t)ROUNDS * NAMES)
        fprintf(stderr, "%zu of %d found\n", found, ROUNDS * NAMES);
    qsort(rounds, ROUNDS, sizeof *rounds, compare_doubles);
    return rounds[ROUNDS / 2];
}

/* The map with `changes` tenants changed in one go; *ret_us, how long it took. */
static struct tenant_map *change(struct tenant_map *m, struct tenant_map_builder *b, uint32_t count,
                                 uint32_t changes, double *ret_us)
{
    for (uint32_t i = 0; i < changes; i++)
        add(b, (uint32_t)((uint64_t)i * count / changes), 2);
    double begin = cpu_ns();
    struct tenant_map *changed = tenant_map_change(m, b, 0, 2);
    *ret_us = (cpu_ns() - begin) / 1000;
    tenant_map_release(m);
    return changed;
}

static void report(uint32_t count)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    double before = status_mib("VmRSS:"), one, many, ignored;
    struct tenant_map *m = make_map(b, count);
    double map = status_mib("VmRSS:") - before, peak = status_mib("VmHWM:") - before;
    double found = measure_find(m, "team", count), unknown = measure_find(m, "nobody", count);
    m = change(m, b, count, CHANGES, &ignored);
    m = change(m, b, count, 1, &one);
    m = change(m, b, count, count / 8 + 1025, &many);
    printf("| %u | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f |\n", count, found, unknown, one,
           many / 1000, map, peak);
    tenant_map_release(m);
    tenant_map_builder_destroy(b);
}

/* In a process of its own, so that one's memory is not another's. */
static void report_apart(uint32_t count)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        report(count);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = { 10, 10000, 1000000 };
    printf(
        "| tenants | found, ns | not found, ns | change, µs | merge, ms | map, MiB | peak, MiB |\n"
        "|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < argc; i++)
        report_apart((uint32_t)strtoul(argv[i], NULL, 10));
    for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++)
        report_apart(usual[i]);
    return 0;
}
