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

struct var_vector {
    UT_hash_handle hh;
    size_t references;
    uint64_t reading;
    bool unicode;
    const char *values[VAR_COUNT]; /* each one reference, or NULL */
};

struct intern_table {
    struct interned *values;
    struct var_vector *vectors;
};

struct intern_table *intern_table_create(void)
{
    return mem_new(struct intern_table);
}

void intern_table_destroy(struct intern_table *t)
{
    struct interned *v, *following;
    struct var_vector *vector, *next;
    HASH_ITER (hh, t->vectors, vector, next) {
        HASH_DEL(t->vectors, vector);
        mem_free(vector);
    }
    HASH_ITER (hh, t->values, v, following) {
        HASH_DEL(t->values, v);
        mem_free(v);
    }
    mem_free(t);
}

/* ---- values ---- */

static const char *intern(struct intern_table *t, struct slice value)
{
    struct interned *found;
    if (!value.data)
        return NULL;
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

static uint64_t reading_of(const char *const values[VAR_COUNT])
{
    uint64_t hash = 0;
    for (int i = 0; i < VAR_COUNT; i++)
        if (values[i] && var_shapes_prepared((enum var)i))
            hash = hash_bytes(hash + (uint64_t)i, slice_cstr(values[i]));
    return hash;
}

static bool is_unicode(const char *const values[VAR_COUNT])
{
    const char *own = values[VAR_CLIENT], *charset = own ? own : values[VAR_NAMES];
    return charset && strstr(charset, "utf8");
}

/* ---- vectors ---- */

static struct var_vector *acquire(struct var_vector *vector)
{
    if (vector)
        vector->references++;
    return vector;
}

static void release(struct intern_table *t, struct var_vector *vector)
{
    if (!vector || --vector->references)
        return;
    HASH_DEL(t->vectors, vector);
    for (int i = 0; i < VAR_COUNT; i++)
        forget(t, vector->values[i]);
    mem_free(vector);
}

/* One reference to the vector of these values. */
static struct var_vector *intern_vector(struct intern_table *t, const char *const values[VAR_COUNT])
{
    static const char *const defaults[VAR_COUNT];
    const size_t size = sizeof defaults;
    struct var_vector *found;
    if (memcmp(values, defaults, size) == 0)
        return NULL;
    HASH_FIND(hh, t->vectors, values, size, found);
    if (found)
        return acquire(found);
    found = mem_new(struct var_vector);
    memcpy(found->values, values, size);
    for (int i = 0; i < VAR_COUNT; i++)
        if (values[i])
            interned_of(values[i])->references++;
    found->reading = reading_of(values);
    found->unicode = is_unicode(values);
    found->references = 1;
    HASH_ADD(hh, t->vectors, values, size, found);
    return found;
}

void vars_init(struct vars *v)
{
    *v = (struct vars){ 0 };
}

void vars_fini(struct intern_table *t, struct vars *v)
{
    release(t, v->vector);
    vars_init(v);
}

const char *vars_value(const struct vars *v, enum var var)
{
    return v->vector ? v->vector->values[var] : NULL;
}

void vars_set(struct intern_table *t, struct vars *v, enum var var, struct slice value)
{
    const char *values[VAR_COUNT] = { 0 };
    struct var_vector *old = v->vector;
    const char *text = intern(t, value);
    if (old)
        memcpy(values, old->values, sizeof values);
    values[var] = text;
    v->vector = intern_vector(t, values);
    forget(t, text);
    release(t, old);
}

void vars_copy(struct intern_table *t, struct vars *to, const struct vars *from)
{
    struct var_vector *old = to->vector;
    to->vector = acquire(from->vector);
    release(t, old);
}

/* No session can ask for this value. */
void vars_forget(struct intern_table *t, struct vars *v, enum var var)
{
    vars_set(t, v, var, SLICE_LIT("(not known)"));
}

void vars_forget_changed(struct intern_table *t, struct vars *have, const struct vars *want)
{
    for (int i = 0; i < VAR_COUNT; i++)
        if (vars_value(have, (enum var)i) != vars_value(want, (enum var)i))
            vars_forget(t, have, (enum var)i);
}

uint64_t vars_reading(const struct vars *v)
{
    return v->vector ? v->vector->reading : 0;
}

bool vars_unicode(const struct vars *v)
{
    return v->vector && v->vector->unicode;
}

static bool differs(const struct vars *have, const struct vars *want, int var)
{
    return vars_value(have, (enum var)var) != vars_value(want, (enum var)var);
}

/* It is to be set when it changed, or when what it undoes is gone. */
static bool is_due_itself(const struct vars *have, const struct vars *want, int var)
{
    bool due = differs(have, want, var);
    for (int i = 0; i < VAR_COUNT; i++)
        due |= var_base((enum var)i) == var && vars_value(have, (enum var)i) &&
               !vars_value(want, (enum var)i);
    return due;
}

/* What refines NAMES has no default of its own. */
static bool is_due(const struct vars *have, const struct vars *want, int var)
{
    int base = var_base((enum var)var);
    if (base < 0)
        return is_due_itself(have, want, var);
    if (!is_due_itself(have, want, base))
        return differs(have, want, var);
    return vars_value(want, (enum var)var) ||
           (base != VAR_NAMES && !vars_value(want, (enum var)base));
}

/* A connection begins with the global value. DEFAULT means that, too, save that for two variables
 * MySQL takes it for 0. */
static void write_value(int var, const char *value, const struct vars_server *server,
                        struct buf *out)
{
    if (value)
        buf_append_cstr(out, value);
    else if (server->vitess)
        buf_append_cstr(out, vitess_var((enum var)var)->fallback);
    else if (var == VAR_SQL_MODE && server->modes)
        buf_printf(out, "'%s'", server->modes);
    else if (var == VAR_FOREIGN_KEYS || var == VAR_UNIQUE)
        buf_printf(out, "@@global.%s", var_info((enum var)var)->name);
    else
        buf_append_cstr(out, "DEFAULT");
}

static const char *name_on(const struct vars_server *server, int var)
{
    const struct var_info *info = var_info((enum var)var);
    if (server->vitess && vitess_var((enum var)var)->use != VITESS_SENT)
        return NULL;
    return var == VAR_NAMES                     ? info->name
           : server->flavour == FLAVOUR_MARIADB ? info->mariadb
                                                : info->mysql;
}

bool vars_lack_default(const struct vars *have, const struct vars *want)
{
    bool need = false;
    for (int i = 0; i < VAR_COUNT; i++) {
        const struct vitess_var *v = vitess_var((enum var)i);
        need |= v->use == VITESS_SENT && !v->fallback && is_due(have, want, i) &&
                !vars_value(want, (enum var)i);
    }
    return need;
}

void vars_statement(const struct vars *have, const struct vars *want,
                    const struct vars_server *server, struct buf *out)
{
    const char *separator = "SET ";
    for (int i = 0; i < VAR_COUNT; i++) {
        const char *name = name_on(server, i), *value = vars_value(want, (enum var)i);
        if (!name || !is_due(have, want, i))
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
