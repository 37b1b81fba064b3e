#include "base/memory.h"
#include "proxy/worker.h"

struct seen_version {
    struct list node;
    char text[];
};

/* Greetings are written by workers that hold no lock: a version once seen stays. */
void fleet_see_version(struct fleet *fleet, struct slice version)
{
    pthread_mutex_lock(&fleet->versions_lock);
    struct seen_version *found = NULL;
    LIST_EACH (&fleet->versions, node, following) {
        struct seen_version *v = LIST_ENTRY(node, struct seen_version, node);
        if (slice_eq(slice_cstr(v->text), version))
            found = v;
    }
    if (!found) {
        found = mem_zalloc(sizeof *found + version.len + 1);
        memcpy(found->text, version.data, version.len);
        list_append(&fleet->versions, &found->node);
    }
    atomic_store(&fleet->server_version, found->text);
    pthread_mutex_unlock(&fleet->versions_lock);
}

void fleet_init(struct fleet *fleet)
{
    list_init(&fleet->versions);
    pthread_mutex_init(&fleet->versions_lock, NULL);
    fleet->roster = roster_create();
    fleet->login_guard = login_guard_create();
    quotas_init(&fleet->account_connections);
    quotas_init(&fleet->account_statements);
    quotas_init(&fleet->tenant_statements);
}

void fleet_fini(struct fleet *fleet)
{
    LIST_EACH (&fleet->versions, node, following)
        mem_free(LIST_ENTRY(node, struct seen_version, node));
    pthread_mutex_destroy(&fleet->versions_lock);
    roster_destroy(fleet->roster);
    login_guard_destroy(fleet->login_guard);
    quotas_fini(&fleet->account_connections);
    quotas_fini(&fleet->account_statements);
    quotas_fini(&fleet->tenant_statements);
}
