/* mqgate tenants export and import: the vindex table as text, and back. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/tenants.h"
#include "config/file.h"
#include "placement/tenant_line.h"
#include "placement/vindex_import.h"

enum { IMPORT_FILE_MAX = 512 << 20, FAULTS_SHOWN = 20 };

/* --- export -------------------------------------------------------------------------- */

int tenants_export(struct tenants *s)
{
    struct tenant_map *map;
    struct err err;
    struct buf line;
    if (tenants_read_map(s, &map, &err) != MQ_OK)
        return tenants_complain(&err);
    buf_init(&line);
    puts("# tenant, keyspace id, state; for `mqgate tenants import`");
    for (size_t i = 0; i < tenant_map_count(map); i++) {
        const struct tenant *t = tenant_map_at(map, i);
        struct vindex_row row = { .tenant = tenant_name(t),
                                  .id = tenant_id(t),
                                  .state = (enum tenant_state)t->state };
        if (!t->placed)
            continue;
        buf_clear(&line);
        tenant_line_print(&row, &line);
        fwrite(buf_begin(&line), 1, buf_len(&line), stdout);
    }
    buf_fini(&line);
    tenant_map_release(map);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAULT;
}

/* --- import: the file ---------------------------------------------------------------- */

struct import_file {
    const char *path;
    struct buf text;         /* rows borrow from it */
    struct import_row *rows; /* in byte order of their tenants, once read */
    size_t count, capacity;
    size_t faults;
};

static void fault(struct import_file *f, unsigned line, const char *text)
{
    if (f->faults++ < FAULTS_SHOWN)
        fprintf(stderr, "%s:%u: %s\n", f->path, line, text);
}

static void add_line(struct import_file *f, struct slice line, unsigned number)
{
    struct vindex_row row;
    struct err err;
    if (tenant_line_is_comment(line))
        return;
    if (tenant_line_parse(line, &row, &err) != MQ_OK) {
        fault(f, number, err.text);
        return;
    }
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? f->capacity * 2 : 64;
        f->rows = mem_resize(f->rows, f->capacity, sizeof *f->rows);
    }
    f->rows[f->count++] =
        (struct import_row){ .tenant = row.tenant, .id = row.id, .state = row.state };
}

static int compare(const void *a, const void *b)
{
    return slice_cmp(((const struct import_row *)a)->tenant,
                     ((const struct import_row *)b)->tenant);
}

static unsigned line_of(const struct import_file *f, const char *at)
{
    unsigned number = 1;
    for (const char *p = (const char *)buf_begin(&f->text); p < at; p++)
        number += *p == '\n';
    return number;
}

/* A tenant that is there twice: nobody knows which line is meant. */
static void check_twice(struct import_file *f)
{
    qsort(f->rows, f->count, sizeof *f->rows, compare);
    for (size_t i = 1; i < f->count; i++)
        if (compare(&f->rows[i - 1], &f->rows[i]) == 0)
            fault(f, line_of(f, f->rows[i].tenant.data), "the tenant has another line");
}

/* All of it is read and checked before anything is changed. */
static enum err_code read_file(struct import_file *f, struct err *reterr)
{
    struct err err;
    struct slice line;
    if (file_read(f->path, IMPORT_FILE_MAX, &f->text, &err) != MQ_OK)
        return err_set(reterr, MQ_USAGE, "%s %s", f->path, err.text);
    struct slice rest = buf_slice(&f->text);
    for (unsigned number = 1; tenant_line_next(&rest, &line); number++)
        add_line(f, line, number);
    check_twice(f);
    if (!f->faults)
        return MQ_OK;
    return err_set(reterr, MQ_USAGE, "%s has %zu faulty lines; nothing was imported", f->path,
                   f->faults);
}

/* --- import: what comes of it -------------------------------------------------------- */

static const struct {
    const char *done; /* with --dry-run as well */
    bool refused;
} outcomes[] = {
    [IMPORT_ADDED] = { "added", false },
    [IMPORT_CHANGED] = { "changed", false },
    [IMPORT_UNCHANGED] = { "unchanged", false },
    [IMPORT_DIFFERS] = { "refused: another row is there (--replace changes it)", true },
    [IMPORT_ELSEWHERE] = { "refused: it lives on another shard (mqgate tenants place)", true },
    [IMPORT_MOVING] = { "refused: it is being moved", true },
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

/* Rows that stay as they are go without a line, so that a second import is silent. */
static void print_row(struct tenants *s, const struct import_row *row, struct arena *arena)
{
    if (row->outcome != IMPORT_UNCHANGED || s->output)
        tenants_print_done(s, arena_copy(arena, row->tenant).data, &row->id,
                           outcomes[row->outcome].done);
}

static void print_sum(const struct tenants *s, const size_t sums[OUTCOMES], size_t refused)
{
    fprintf(stderr, "%s%zu added, %zu changed, %zu unchanged, %zu refused\n",
            s->options->dry_run ? "nothing was written; would be: " : "", sums[IMPORT_ADDED],
            sums[IMPORT_CHANGED], sums[IMPORT_UNCHANGED], refused);
}

static enum err_code import_all(struct tenants *s, struct import_file *f, size_t *ret_refused,
                                struct err *reterr)
{
    const struct import_options options = { .topology = s->topology,
                                            .replace = s->options->replace,
                                            .dry_run = s->options->dry_run };
    size_t sums[OUTCOMES] = { 0 };
    enum err_code code = MQ_OK;
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < f->count && !code; i += IMPORT_BATCH) {
        size_t count = f->count - i < IMPORT_BATCH ? f->count - i : IMPORT_BATCH;
        code = vindex_table_import(s->table, f->rows + i, count, &options, reterr);
        for (size_t r = i; r < i + count && !code; r++) {
            print_row(s, &f->rows[r], &arena);
            sums[f->rows[r].outcome]++;
            *ret_refused += outcomes[f->rows[r].outcome].refused;
        }
        arena_reset(&arena);
    }
    arena_fini(&arena);
    print_sum(s, sums, *ret_refused);
    return code;
}

int tenants_import(struct tenants *s)
{
    struct import_file f = { .path = s->options->names.items[0] };
    struct err err;
    size_t refused = 0;
    buf_init(&f.text);
    enum err_code code = read_file(&f, &err);
    if (!code && !s->options->dry_run)
        code = vindex_table_create(s->table, &err);
    if (!code)
        code = import_all(s, &f, &refused, &err);
    int status = code ? tenants_complain(&err) : refused ? EXIT_FAULT : EXIT_DONE;
    mem_free(f.rows);
    buf_fini(&f.text);
    return status;
}
