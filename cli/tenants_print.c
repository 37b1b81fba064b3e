/* How `mqgate tenants` prints a tenant, as text or JSON, and what went wrong. */
#include "cli/tenants.h"

#include <stdio.h>

#include "cli/commands.h"

static const char *shard_name(const struct tenants *s, const struct tenants_line *l)
{
    return l->shard < 0 ? "-" : topology_shard_name(s->topology, (uint32_t)l->shard, &l->id);
}

static void print_json(struct tenants *s, const struct tenants_line *l, const char *hex)
{
    json_t *o = json_pack("{s:s, s:s}", "tenant", l->tenant, "state", l->state);
    if (l->shard >= 0) {
        json_object_set_new(o, "shard", json_string(shard_name(s, l)));
        json_object_set_new(o, "keyspace_id", json_string(hex));
    }
    if (l->version)
        json_object_set_new(o, "version", json_integer((json_int_t)l->version));
    if (l->source)
        json_object_set_new(o, "source", json_string(l->source));
    json_array_append_new(s->output, o);
}

static void print_text(const struct tenants *s, const struct tenants_line *l, const char *hex)
{
    bool more = l->version || l->source;
    printf("%-32s %-12s %-18s ", l->tenant, shard_name(s, l), l->shard < 0 ? "-" : hex);
    printf(more ? "%-10s" : "%s", l->state);
    if (l->version)
        printf(" %llu", (unsigned long long)l->version);
    if (l->source)
        printf(" %s", l->source);
    putchar('\n');
}

void tenants_print_head(const struct tenants *s, const char *columns)
{
    if (!s->output)
        printf("%-32s %-12s %-18s %s\n", "TENANT", "SHARD", "KEYSPACE ID", columns);
}

void tenants_print(struct tenants *s, const struct tenants_line *l)
{
    struct buf hex;
    buf_init(&hex);
    keyspace_id_print(&l->id, &hex);
    if (s->output)
        print_json(s, l, buf_cstr(&hex));
    else
        print_text(s, l, buf_cstr(&hex));
    buf_fini(&hex);
}

void tenants_print_done(struct tenants *s, const char *tenant, const struct keyspace_id *id,
                        const char *done)
{
    struct tenants_line l = { .tenant = tenant, .id = *id, .state = done };
    l.shard = (int)topology_shard_of(s->topology, id);
    tenants_print(s, &l);
}

int tenants_complain(const struct err *err)
{
    char line[ERR_TEXT_MAX + 16];
    err_format(err, line, sizeof line);
    fprintf(stderr, "mqgate tenants: %s\n", err->code == MQ_USAGE ? err->text : line);
    if (err->code != MQ_USAGE)
        fprintf(stderr, "  %s\n", err_info(err->code)->remedy);
    return EXIT_FAULT;
}
