/* What vtgate answers with other rows than MySQL, seen by comparing the two
 * (tests/oracle/vitess.py): refused, since nothing in the answer would tell. */
#include "routing/plan_int.h"

static const char *doubt(const struct node *n)
{
    if (n->kind == N_SET_OP)
        return "vtgate leaves rows of some UNIONs out; send each query by itself";
    if (n->kind == N_COMPARE && n->flags & NODE_F_ALL)
        return "vtgate answers some comparisons with ALL, ANY and SOME with other rows; send "
               "EXISTS";
    return NULL;
}

enum err_code vitess_check(struct planner *p, const struct node *n)
{
    const char *why = config_is_vitess(p->topology->config) ? doubt(n) : NULL;
    return why ? reject(p, MQ_VITESS_UNSUPPORTED, "%s", why) : MQ_OK;
}
