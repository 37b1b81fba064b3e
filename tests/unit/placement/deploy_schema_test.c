/* The files of deploy/schema say what the program says; comments and white space apart. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "placement/vindex_table.h"
#include "vschema/vschema.h"

/* One blank for any white space; lines that begin with -- are left out. */
static void normalise(const char *text, struct buf *out)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, "--", 2) == 0)
            continue;
        for (const char *p = line; *p && *p != '\n'; p++)
            if (!isspace((unsigned char)*p))
                buf_append_byte(out, (uint8_t)*p);
            else if (buf_len(out) && out->data[out->end - 1] != ' ')
                buf_append_byte(out, ' ');
        if (buf_len(out) && out->data[out->end - 1] != ' ')
            buf_append_byte(out, ' ');
    }
}

static void read_file(const char *name, struct buf *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/../deploy/schema/%s", TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n;
    do {
        n = fread(buf_reserve(out, 4096), 1, 4096, file);
        buf_commit(out, n);
    } while (n > 0);
    fclose(file);
}

static void assert_file_says(const char *name, struct buf *ddl)
{
    struct buf file, got, want;
    buf_init(&file);
    buf_init(&got);
    buf_init(&want);
    read_file(name, &file);
    normalise(buf_cstr(&file), &got);
    normalise(buf_cstr(ddl), &want);
    assert_string_equal(buf_cstr(&got), buf_cstr(&want));
    buf_fini(&file);
    buf_fini(&got);
    buf_fini(&want);
}

static void tenant_schema(void **state)
{
    (void)state;
    const struct config config = { 0 };
    struct catalog *catalog = catalog_create(&config);
    struct buf ddl;
    buf_init(&ddl);
    for (size_t i = 0; i < catalog->table_count; i++) {
        catalog_tenant_ddl(catalog->tables[i], true, &ddl);
        buf_append_cstr(&ddl, ";\n");
    }
    assert_file_says("tenant.sql", &ddl);
    buf_fini(&ddl);
    catalog_destroy(catalog);
}

static void tenant_vindex(void **state)
{
    (void)state;
    char table[] = "mq_tenant_vindex";
    const struct vindex_table_config config = { .table = table };
    struct buf ddl;
    buf_init(&ddl);
    vindex_table_ddl(&config, &ddl);
    assert_file_says("tenant_vindex.sql", &ddl);
    buf_fini(&ddl);
}

static void vschema(void **state)
{
    (void)state;
    const struct config config = { 0 };
    struct catalog *catalog = catalog_create(&config);
    struct buf json;
    buf_init(&json);
    vschema_write(catalog, NULL, &json);
    assert_file_says("vschema.json", &json);
    buf_fini(&json);
    catalog_destroy(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenant_schema),
        cmocka_unit_test(tenant_vindex),
        cmocka_unit_test(vschema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
