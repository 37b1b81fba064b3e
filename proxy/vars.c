#include "proxy/vars.h"

#include <stdint.h>

#include "base/memory.h"
#include "proxy/hash.h"

struct interned {
    UT_hash_handle hh;
    size_t references;
    char text[];
};

/* The entry whose text a holder points to. */
static struct interned *interned_of(const char *text)
{
    return (struct interned *)(void *)((char *)(uintptr_t)text - offsetof(struct interned, text));
}

struct intern_table {
    struct interned *values;
};

struct intern_table *intern_table_create(void)
{
    return mem_new(struct intern_table);
}

void intern_table_destroy(struct intern_table *t)
{
    struct interned *v, *following;
    HASH_ITER (hh, t->values, v, following) {
        HASH_DEL(t->values, v);
        mem_free(v);
    }
    mem_free(t);
}

static const char *intern(struct intern_table *t, struct slice value)
{
    struct interned *found;
    HASH_FIND(hh, t->values, value.data, value.len, found);
    if (!found) {
        found = mem_zalloc(sizeof *found + value.len + 1);
        memcpy(found->text, value.data, value.len);
        HASH_ADD_KEYPTR(hh, t->values, found->text, value.len, found);
    }
    found->references++;
    return found->text;
}

static void forget(struct intern_table *t, const char *text)
{
    if (!text)
        return;
    struct interned *v = interned_of(text);
    if (--v->references == 0) {
        HASH_DEL(t->values, v);
        mem_free(v);
    }
}

void vars_init(struct vars *v)
{
    *v = (struct vars){ 0 };
}

void vars_fini(struct intern_table *t, struct vars *v)
{
    for (int i = 0; i < VAR_COUNT; i++)
        forget(t, v->values[i]);
    vars_init(v);
}

void vars_set(struct intern_table *t, struct vars *v, enum var var, struct slice value)
{
    const char *old = v->values[var];
    v->values[var] = value.data ? intern(t, value) : NULL;
    forget(t, old);
}

void vars_copy(struct intern_table *t, struct vars *to, const struct vars *from)
{
    for (int i = 0; i < VAR_COUNT; i++)
        if (to->values[i] != from->values[i])
            vars_set(t, to, i, slice_cstr(from->values[i]));
}

/* No session can ask for this value. */
void vars_forget(struct intern_table *t, struct vars *v, enum var var)
{
    vars_set(t, v, var, SLICE_LIT("(not known)"));
}

void vars_forget_changed(struct intern_table *t, struct vars *have, const struct vars *want)
{
    for (int i = 0; i < VAR_COUNT; i++)
        if (have->values[i] != want->values[i])
            vars_forget(t, have, (enum var)i);
}

static bool refines_names(int var)
{
    return var_info((enum var)var)->kind == VAR_KIND_REFINES;
}

uint64_t vars_reading(const struct vars *v)
{
    uint64_t hash = 0;
    for (int i = 0; i < VAR_COUNT; i++)
        if (i == VAR_NAMES || i == VAR_SQL_MODE || refines_names(i))
            hash = hash_bytes(hash, slice_cstr(v->values[i]));
    return hash;
}

/* SET NAMES is due when it changed, or when what refined it is gone: these have no default of
 * their own. */
static bool names_again(const struct vars *have, const struct vars *want)
{
    bool again = have->values[VAR_NAMES] != want->values[VAR_NAMES];
    for (int i = 0; i < VAR_COUNT; i++)
        again |= refines_names(i) && have->values[i] && !want->values[i];
    return again;
}

static bool is_due(const struct vars *have, const struct vars *want, int var)
{
    bool names = names_again(have, want);
    if (var == VAR_NAMES)
        return names;
    if (refines_names(var) && names)
        return want->values[var];
    return have->values[var] != want->values[var];
}

/* A connection begins with the global value. DEFAULT means that, too, save that for two variables
 * MySQL takes it for 0. */
static void write_value(int var, const char *value, const struct vars_server *server,
                        struct buf *out)
{
    if (value)
        buf_append_cstr(out, value);
    else if (var == VAR_SQL_MODE && server->modes)
        buf_printf(out, "'%s'", server->modes);
    else if (var == VAR_FOREIGN_KEYS || var == VAR_UNIQUE)
        buf_printf(out, "@@global.%s", var_info((enum var)var)->name);
    else
        buf_append_cstr(out, "DEFAULT");
}

void vars_statement(const struct vars *have, const struct vars *want,
                    const struct vars_server *server, struct buf *out)
{
    const char *separator = "SET ";
    for (int i = 0; i < VAR_COUNT; i++) {
        const struct var_info *info = var_info((enum var)i);
        const char *name = server->flavour == FLAVOUR_MARIADB ? info->mariadb : info->mysql;
        const char *value = want->values[i];
        if ((i != VAR_NAMES && !name) || !is_due(have, want, i))
            continue;
        buf_append_cstr(out, separator);
        separator = ", ";
        if (i == VAR_NAMES) {
            buf_append_cstr(out, value ? value : "NAMES DEFAULT");
            continue;
        }
        buf_printf(out, "%s = ", name);
        write_value(i, value, server, out);
    }
}
