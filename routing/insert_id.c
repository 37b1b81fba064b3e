#include "routing/insert_id.h"

static bool makes_counters(const struct template *t, enum counters counters)
{
    return t->has_counter && counters != COUNTERS_GIVEN;
}

bool insert_id_may_hide(const struct template *t, enum counters counters)
{
    if (t->sets_insert_id)
        return true;
    return makes_counters(t, counters) &&
           (t->is_select || counters == COUNTERS_MIXED || (t->upsert && t->insert_rows != 1));
}

/* A row that was inserted counts once, one that was changed twice. */
static enum insert_id_effect upsert_effect(const struct template *t, const struct insert_outcome *o)
{
    uint64_t rows = t->insert_rows; /* 0: those of a SELECT */
    bool ignores = t->flags & NODE_F_IGNORE;
    if (rows && o->affected == 2 * rows)
        return INSERT_ID_KEPT;
    bool inserted = rows == 1 || (o->found_rows ? !ignores && o->affected == rows : o->affected % 2);
    return inserted ? INSERT_ID_TOLD : INSERT_ID_HIDDEN;
}

/* LAST_INSERT_ID(expression): the packet's insert id is its value, unless rows were inserted,
 * or met without coming by it. */
static enum insert_id_effect set_effect(const struct template *t, enum counters counters)
{
    bool always = t->sets_insert_id == SETS_ALWAYS && counters == COUNTERS_MADE;
    return !t->has_counter || always ? INSERT_ID_TOLD : INSERT_ID_HIDDEN;
}

/* Of a statement that was not parsed. */
static enum insert_id_effect relayed_effect(const struct template *t, const struct insert_outcome *o)
{
    uint8_t tells = t->relayed.tells;
    if (!(tells & TELLS_INSERT_ID))
        return INSERT_ID_KEPT;
    if ((tells & TELLS_SURELY) || o->has_rows)
        return INSERT_ID_HIDDEN;
    if (!o->insert_id)
        return INSERT_ID_KEPT;
    return o->may_be_given ? INSERT_ID_HIDDEN : INSERT_ID_TOLD;
}

enum insert_id_effect insert_id_effect(const struct template *t, enum counters counters,
                                       const struct insert_outcome *o)
{
    if (t->verdict == VERDICT_UNSHARDED)
        return relayed_effect(t, o);
    if (!t->sets_insert_id && !makes_counters(t, counters))
        return INSERT_ID_KEPT;
    if (o->failed) /* of several rows, those before the fault count */
        return t->sets_insert_id || t->insert_rows != 1 ? INSERT_ID_HIDDEN : INSERT_ID_KEPT;
    if (o->has_rows)
        return INSERT_ID_HIDDEN;
    if (!o->insert_id) /* LAST_INSERT_ID(0) looks like none */
        return t->sets_insert_id ? INSERT_ID_HIDDEN : INSERT_ID_KEPT;
    if (t->sets_insert_id)
        return set_effect(t, counters);
    if (counters == COUNTERS_MIXED)
        return INSERT_ID_HIDDEN;
    return t->upsert ? upsert_effect(t, o) : INSERT_ID_TOLD;
}
