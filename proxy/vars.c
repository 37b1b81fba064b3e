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

static bool refines_names(int var)
{
    return var_info((enum var)var)->kind == VAR_KIND_REFINES;
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

/* A connection begins with the global value. DEFAULT means that, too, save that for these two MySQL
 * takes it for 0. */
static const char *initial_value(int var)
{
    return var == VAR_FOREIGN_KEYS ? "@@global.foreign_key_checks"
           : var == VAR_UNIQUE     ? "@@global.unique_checks"
                                   : "DEFAULT";
}

void vars_statement(const struct vars *have, const struct vars *want, enum flavour flavour,
                    struct buf *out)
{
    const char *separator = "SET ";
    bool names = names_again(have, want);
    for (int i = 0; i < VAR_COUNT; i++) {
        const char *value = want->values[i] ? want->values[i] : initial_value(i);
        const char *name = flavour == FLAVOUR_MARIADB ? var_info((enum var)i)->mariadb : var_info((enum var)i)->mysql;
        if (i == VAR_NAMES ? !names : refines_names(i) && names ? !want->values[i]
                                                               : have->values[i] == want->values[i])
            continue;
        if (i == VAR_NAMES)
            buf_printf(out, "%s%s", separator, want->values[i] ? value : "NAMES DEFAULT");
        else if (name)
            buf_printf(out, "%s%s = %s", separator, name, value);
        else
            continue;
        separator = ", ";
    }
}
