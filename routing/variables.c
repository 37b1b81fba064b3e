#include "routing/variables.h"

static const struct var_info infos[] = {
#define VARIABLE_ROW(id, name, mysql, mariadb, kind, summary) \
    { name, mysql, mariadb, VAR_KIND_##kind, summary },
#include "routing/variables.def"
#undef VARIABLE_ROW
};

const struct var_info *var_info(enum var v)
{
    return &infos[v];
}

bool var_is_followed(enum var v)
{
    enum var_kind kind = var_info(v)->kind;
    return kind == VAR_KIND_RUNNING || var_shapes_prepared(v);
}

bool var_shapes_prepared(enum var v)
{
    enum var_kind kind = var_info(v)->kind;
    return kind == VAR_KIND_TRACKED || kind == VAR_KIND_REFINES;
}

const struct vitess_var *vitess_var(enum var v)
{
    static const struct vitess_var uses[VAR_COUNT] = {
#define VITESS_VARIABLE_ROW(id, use, fallback) [VAR_##id] = { VITESS_##use, fallback },
#include "routing/vitess_variables.def"
#undef VITESS_VARIABLE_ROW
    };
    return &uses[v];
}

int var_base(enum var v)
{
    if (v == VAR_BIG_SELECTS)
        return VAR_JOIN_SIZE;
    return var_info(v)->kind == VAR_KIND_REFINES ? VAR_NAMES : -1;
}

int var_find(struct slice name)
{
    if (slice_ieq_cstr(name, "tx_isolation"))
        return VAR_ISOLATION;
    if (slice_ieq_cstr(name, "tx_read_only"))
        return VAR_READ_ONLY;
    for (int i = 0; i < VAR_COUNT; i++)
        if (i != VAR_NAMES && slice_ieq_cstr(name, infos[i].name))
            return i;
    return -1;
}

const char *const variables_of_statements[] = {
    "last_insert_id",   "identity",       "insert_id", "warning_count", "error_count", "proxy_user",
    "external_user",    "in_transaction", "last_gtid", "pseudo_thread_id", NULL
};
