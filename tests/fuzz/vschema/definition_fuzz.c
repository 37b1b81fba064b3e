/* A column's definition, any text: it is read or refused; what is read fits its type. */
#include <stdint.h>
#include <stdlib.h>

#include "vschema/definition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    const char *text = arena_copy(&arena, slice_of(data, size)).data;
    const struct catalog_column column = { "c", text, "", text, CHECK_NONE, false };
    const struct catalog_table table = { .name = "t", .columns = &column, .column_count = 1 };
    const struct table_definition *t;
    if (define_table(&table, false, &arena, &t, NULL) == MQ_OK) {
        const struct column_definition *c = &t->columns[0];
        bool characters = c->type->kind == COLUMN_CHAR || c->type->kind == COLUMN_TEXT;
        require(characters == (c->charset.len && c->collation.len && c->charset_bytes));
        require(c->default_text.len <= size && c->comment.len <= size);
    }
    arena_fini(&arena);
    return 0;
}
