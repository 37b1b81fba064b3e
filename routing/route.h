/* Stage two of planning: a template and what is known now (the session, the parameters, the
 * tenants) give a destination. Pure: no clock, no sockets. */
#ifndef MQ_ROUTING_ROUTE_H
#define MQ_ROUTING_ROUTE_H

#include "routing/plan.h"

/* The session's set T of tenants: each bound narrows the one before; without any it is all
 * listed tenants. */
struct tenant_scope {
    const struct string_list *listener; /* NULL or empty: not bound; borrowed */
    const struct string_list *account;
    struct slice chosen;                /* attribute, database@tenant or @mq_tenant */
    bool has_chosen;
    bool forgotten; /* @mq_tenant was lost by a reset: refuse until it is set again */
};

/* Is the tenant inside T (as far as the bounds tell)? */
bool tenant_scope_contains(const struct tenant_scope *scope, struct slice tenant);
/* Narrows the scope to one tenant. Fails with MQ_TENANT_INVALID, MQ_TENANT_OUTSIDE, or
 * MQ_TENANT_CONFLICT when another one was chosen by attribute or login (`narrow`); with
 * narrow false the choice replaces the former (SET @mq_tenant). */
enum err_code tenant_scope_choose(struct tenant_scope *scope, struct slice tenant, bool narrow,
                                  struct err *reterr);

struct session_facts {
    struct tenant_scope scope;
    bool has_database;   /* a database is selected (it was checked when it was selected) */
    bool elsewhere;      /* it is not the keyspace, so holds no queue table */
    struct slice temporaries; /* names of its temporary tables, each with a NUL behind it */
    bool has_home;       /* a connection is its own: what needs that and no table goes there */
    const struct string_list *databases; /* that the account may use; empty or NULL: any */
    bool administrator;
    bool other_charset; /* the client's text is not UTF-8: identifiers are the server's to check */
    bool other_results; /* texts in rows are not UTF-8, so that shards convert what would be merged */
    const char *unmerged; /* a variable with a value that makes a shard leave rows out or sort by a
                             part of a text; NULL: none */
    struct slice workload; /* WORKLOAD_NAME of its statements for vtgate; empty: none */
    /* Of enum session_value; borrowed. */
    struct slice database; /* data NULL: none */
    struct slice user;
    bool unix_socket;
    uint64_t connection_id, last_insert_id;
    int64_t row_count;
    uint64_t found_rows, warning_count, error_count;
};

enum param_kind {
    PARAM_VALUE_NULL,
    PARAM_VALUE_STRING, /* string or blob types */
    PARAM_VALUE_OTHER,  /* numbers, dates: not the spelling of a string */
    PARAM_VALUE_INTEGER, /* the same; its bytes, the lowest first */
    PARAM_VALUE_DOUBLE,  /* the same; eight bytes, the lowest first */
    PARAM_VALUE_UNKNOWN /* not bound (at PREPARE) */
};
struct param_value {
    uint8_t kind; /* enum param_kind */
    struct slice bytes;
    bool negative; /* of an integer: the bits above its bytes are set */
};

enum tenant_source {
    SOURCE_NONE, SOURCE_SQL, SOURCE_COMMENT, SOURCE_METADATA, SOURCE_PAYLOAD,
    SOURCE_PARTITION_KEY, SOURCE_PATTERN, SOURCE_SESSION,
    SOURCE_ACCOUNT, SOURCE_LISTENER, SOURCE_ONLY /* the list has one tenant */,
    SOURCE_LISTED /* or several */, SOURCE_DEFAULT
};
const char *tenant_source_name(enum tenant_source s);

/* Whence the AUTO_INCREMENT values of the rows that an INSERT brings. */
enum counters {
    COUNTERS_MADE,  /* the server makes them, or there are none */
    COUNTERS_GIVEN, /* each row brings its own */
    COUNTERS_MIXED, /* some do, or bring 0, which sql_mode may make one */
};

/* What one shard is asked for a statement of several tenants. */
struct route_part {
    uint32_t shard;
    const struct tenant *const *tenants; /* in the order of their bytes; borrowed from the map */
    size_t tenant_count;
};

struct route {
    enum verdict verdict;
    uint32_t shard;              /* VERDICT_SINGLE */
    const struct tenant *tenant; /* borrowed from the map; NULL unless VERDICT_SINGLE */
    struct slice name;           /* the tenant's, or that of the one that cannot be placed */
    enum tenant_source source;
    enum counters counters;
    const struct route_part *parts; /* VERDICT_TENANTS: in the order of the shards; in the arena */
    size_t part_count;
};

/* VERDICT_SINGLE becomes VERDICT_TENANTS where several tenants are meant. */
enum route_outcome {
    ROUTE_OK,
    ROUTE_TENANT_MISS, /* not in the map: wait for one refresh, then refuse (reterr is set) */
    ROUTE_HOLD,        /* the tenant is moving: wait up to a limit (reterr is set) */
    ROUTE_REFUSE,      /* reterr tells */
};

struct route_input {
    const struct template *template;
    const struct lexed *lexed;
    const struct dialect *dialect;
    const struct session_facts *facts;
    const struct param_value *params; /* template->client_params of them, or NULL for text */
    const struct topology *topology;
    const struct tenant_map *tenants;
    uint64_t now_ms; /* monotonic */
    bool scatters;   /* the caller serves VERDICT_TENANTS; else several tenants are refused */
};

enum route_outcome route(const struct route_input *in, struct arena *arena, struct route *ret,
                         struct err *reterr);

/* What vtgate would not answer for several tenants as one server would is asked for each by itself:
 * writes, which it does not do on several shards, and what is made of one tenant's rows. */
void route_split(const struct topology *t, const struct merge_recipe *recipe, struct arena *arena,
                 struct route *r);

/* Are the tables that are no queue tables temporary ones of the session? */
enum err_code route_check_temporaries(const struct template *t, const struct session_facts *f,
                                      struct err *reterr);
/* May the session's account use them? */
enum err_code route_check_databases(const struct template *t, const struct session_facts *f,
                                    struct err *reterr);
/* It may not use the database; in a server's words. */
enum err_code route_deny(const struct session_facts *f, struct slice database, struct err *reterr);

/* The text to send for VERDICT_SINGLE, PASS and EVERY_SHARD: the client's bytes with the edits made, the tenant as
 * a literal (text protocol) or, when prepared, as `?`; so are the session's values. tenant may
 * be NULL if prepared; facts tell the session's values and may be NULL when there are none. */
void route_text(const struct template *t, const struct lexed *l, const struct tenant *tenant,
                const struct session_facts *facts, const char *shard_database, bool prepared,
                struct arena *arena, struct buf *out);

/* The values of a statement for the recipe of in->template, which plan_scatter() made. Fails with
 * MQ_SCATTER when one cannot be read exactly. */
enum err_code route_merge_inputs(const struct route_input *in, struct arena *arena,
                                 struct merge_inputs *ret, struct err *reterr);

/* The text for one part of a scatter template: its tenants as literals, the limit as well unless
 * prepared, when inputs may be NULL. */
void route_part_text(const struct template *t, const struct lexed *l, const struct route_part *part,
                     const struct merge_inputs *inputs, const struct session_facts *facts,
                     const char *shard_database, bool prepared, struct arena *arena,
                     struct buf *out);

/* The template's edits and those that depend on the statement's own bytes: an item of the
 * select list that is edited inside gets its own text as alias, so that the column keeps its
 * name. Sorted, not overlapping; in the arena or the template's. */
const struct edit *route_edits(const struct template *t, const struct lexed *l,
                               struct arena *arena, size_t *ret_count);

/* The name of the first column of SHOW TABLES or SHOW DATABASES: "Tables_in_queue (pattern)". */
const char *route_show_heading(const struct template *t, const struct lexed *l,
                               const struct session_facts *facts, struct arena *arena);

/* The column's name in the answer to a LOCAL_SELECT_… statement, as a server would give it. */
struct slice route_heading(const struct template *t, const struct lexed *l,
                           const struct dialect *dialect, struct arena *arena);

#endif
