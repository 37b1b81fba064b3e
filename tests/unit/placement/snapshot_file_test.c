/* The snapshot file: what is written is read back, and nothing else is believed. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "placement/snapshot_file.h"

enum { SOURCE = 77, VERSION = 12 };

struct fixture {
    char folder[64];
    char path[96];
    struct snapshot_info info;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const char *base = getenv("TMPDIR");
    snprintf(f->folder, sizeof f->folder, "%.40s/snapshotXXXXXX", base ? base : "/tmp");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/tenants", f->folder);
    f->info = (struct snapshot_info){ .source = SOURCE,
                                      .version = VERSION,
                                      .confirmed_wall_ms = 1700000000000 };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unlink(f->path);
    int rc = rmdir(f->folder); /* fails if a partial file was left behind */
    free(f);
    return rc;
}

static const struct {
    const char *name;
    uint8_t id[8];
    uint8_t id_len;
    enum tenant_state state;
    uint64_t version;
} rows[] = {
    { "ads", { 0x10 }, 1, TENANT_SERVING, 3 },
    { "monorepo/main", { 0x80, 1, 2, 3, 4, 5, 6, 0xff }, 8, TENANT_MOVING, 1ull << 40 },
    { "old", { 0xff, 0xff }, 2, TENANT_RETIRED, 12 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static struct tenant_map *sample_map(void)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    for (size_t i = 0; i < ROWS; i++) {
        struct keyspace_id id = { .len = rows[i].id_len };
        memcpy(id.bytes, rows[i].id, id.len);
        tenant_map_builder_add(b, slice_cstr(rows[i].name), &id, 0, rows[i].state, rows[i].version);
    }
    tenant_map_builder_add(b, SLICE_LIT("unplaced"), NULL, 0, TENANT_SERVING, 0);
    struct tenant_map *map = tenant_map_build(b, 0, VERSION);
    tenant_map_builder_destroy(b);
    return map;
}

static void write_sample(struct fixture *f)
{
    struct tenant_map *map = sample_map();
    assert_int_equal(snapshot_file_write(f->path, map, &f->info, NULL), MQ_OK);
    tenant_map_release(map);
}

static bool check_row(void *context, const struct vindex_row *row)
{
    size_t i = (*(size_t *)context)++;
    assert_in_range(i, 0, ROWS - 1);
    assert_int_equal(row->tenant.len, strlen(rows[i].name));
    assert_memory_equal(row->tenant.data, rows[i].name, row->tenant.len);
    assert_int_equal(row->id.len, rows[i].id_len);
    assert_memory_equal(row->id.bytes, rows[i].id, row->id.len);
    assert_int_equal(row->state, rows[i].state);
    assert_int_equal(row->version, rows[i].version);
    assert_false(row->tombstone);
    return true;
}

static void what_was_written_is_read(void **state)
{
    struct fixture *f = *state;
    write_sample(f);
    struct snapshot_info info = { .source = SOURCE };
    size_t seen = 0;
    assert_int_equal(snapshot_file_read(f->path, &info, check_row, &seen, NULL), MQ_OK);
    assert_int_equal(seen, ROWS); /* unplaced tenants are not kept */
    assert_int_equal(info.version, VERSION);
    assert_int_equal(info.confirmed_wall_ms, f->info.confirmed_wall_ms);
}

static void writing_again_replaces(void **state)
{
    struct fixture *f = *state;
    struct stat before, after;
    write_sample(f);
    stat(f->path, &before);
    write_sample(f);
    stat(f->path, &after);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_not_equal(before.st_ino, after.st_ino);
}

static void confirming_changes_time_and_version_only(void **state)
{
    struct fixture *f = *state;
    write_sample(f);
    struct snapshot_info later = { .source = SOURCE,
                                   .version = 40,
                                   .confirmed_wall_ms = 1800000000000 };
    assert_int_equal(snapshot_file_confirm(f->path, &later, NULL), MQ_OK);
    struct snapshot_info info = { .source = SOURCE };
    size_t seen = 0;
    assert_int_equal(snapshot_file_read(f->path, &info, check_row, &seen, NULL), MQ_OK);
    assert_int_equal(seen, ROWS);
    assert_int_equal(info.version, 40);
    assert_int_equal(info.confirmed_wall_ms, later.confirmed_wall_ms);
}

static bool accept_row(void *context, const struct vindex_row *row)
{
    (void)context;
    (void)row;
    return true;
}

static void another_table_is_refused(void **state)
{
    struct fixture *f = *state;
    write_sample(f);
    struct err err;
    struct snapshot_info other = { .source = SOURCE + 1 };
    assert_int_equal(snapshot_file_read(f->path, &other, accept_row, NULL, &err),
                     MQ_VINDEX_TABLE_UNAVAILABLE);
    assert_non_null(strstr(err.text, "another tenant vindex table"));
    assert_int_equal(snapshot_file_confirm(f->path, &other, &err), MQ_VINDEX_TABLE_UNAVAILABLE);
}

static size_t read_bytes(const char *path, uint8_t *to, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(to, 1, size, file);
    fclose(file);
    return n;
}

/* An exact copy on the heap, so that a sanitizer sees a read past its end. */
static enum err_code parse(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len + 1);
    memcpy(copy + 1, bytes, len);
    struct snapshot_info info = { .source = SOURCE };
    enum err_code code = snapshot_parse(slice_of(copy + 1, len), &info, accept_row, NULL, NULL);
    free(copy);
    return code;
}

static void damage_anywhere_is_noticed(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[512];
    write_sample(f);
    size_t len = read_bytes(f->path, bytes, sizeof bytes);
    assert_in_range(len, SNAPSHOT_HEADER_SIZE, sizeof bytes - 1);
    assert_int_equal(parse(bytes, len), MQ_OK);
    for (size_t i = 0; i < len; i++) {
        assert_int_not_equal(parse(bytes, i), MQ_OK); /* cut off */
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1 << bit);
            assert_int_not_equal(parse(bytes, len), MQ_OK);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
    }
    bytes[len] = 0;
    assert_int_not_equal(parse(bytes, len + 1), MQ_OK); /* longer than it says */
}

static void unusable_paths_are_named(void **state)
{
    struct fixture *f = *state;
    struct tenant_map *map = sample_map();
    struct snapshot_info info = { .source = SOURCE };
    const char *paths[] = { "/nonexistent/folder/tenants", f->folder };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct err err;
        assert_int_equal(snapshot_file_read(paths[i], &info, accept_row, NULL, &err),
                         MQ_VINDEX_TABLE_UNAVAILABLE);
        assert_non_null(strstr(err.text, paths[i]));
        assert_int_equal(snapshot_file_write(paths[i], map, &f->info, &err),
                         MQ_VINDEX_TABLE_UNAVAILABLE);
        assert_int_equal(snapshot_file_confirm(paths[i], &f->info, &err),
                         MQ_VINDEX_TABLE_UNAVAILABLE);
    }
    tenant_map_release(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(writing_again_replaces, setup, teardown),
        cmocka_unit_test_setup_teardown(confirming_changes_time_and_version_only, setup, teardown),
        cmocka_unit_test_setup_teardown(another_table_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_anywhere_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(unusable_paths_are_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
