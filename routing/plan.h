/* Stage one of planning: a statement becomes an immutable template. It holds nothing that
 * depends on the values of literals, on the session or on the tenant, so that one template
 * serves every statement with the same fingerprint, for every tenant.
 *
 * Edits and value references are anchored to token numbers; the bytes are found per
 * statement from its own tokens. */
#ifndef MQ_ROUTING_PLAN_H
#define MQ_ROUTING_PLAN_H

#include "routing/merge_recipe.h"
#include "routing/value_ref.h"
#include "sql/edit.h"
#include "sql/tree.h"
#include "vschema/topology.h"

enum verdict {
    VERDICT_LOCAL,       /* mqgate answers by itself */
    VERDICT_SINGLE,      /* queue tables, one tenant, one shard */
    VERDICT_TENANTS,     /* an explicit list of tenants, merged */
    VERDICT_EVERY_SHARD, /* DDL and administration on all shards */
    VERDICT_UNSHARDED,   /* the unsharded keyspace's server, as it is */
    VERDICT_PASS,        /* no queue table, harmless: the pinned backend or any live shard */
    VERDICT_REJECT,
};
const char *verdict_name(enum verdict v);

/* What a VERDICT_LOCAL statement asks for; rows of routing/local_ops.def. */
enum local_op {
    LOCAL_NONE,
#define LOCAL_ROW(name, summary) LOCAL_##name,
#include "routing/local_ops.def"
#undef LOCAL_ROW
};

/* A value that is written into an identifier column, checked before a shard is contacted. */
struct identifier_check {
    enum column_check check;
    const char *column; /* of the catalogue */
    struct value_ref value;
    bool inserted; /* in a row of VALUES or SET, not in an assignment */
    bool qualified; /* the key without its tenant is checked */
};

/* A literal that the template was made for (a length in CREATE TABLE): any other value is
 * refused, since the template serves statements with other literals as well. */
struct literal_check {
    uint32_t token;
    struct slice expected;
    const char *column; /* of the catalogue */
};

/* What a shard gets of a qualified partition key that the client writes or compares. */
enum key_form {
    KEY_ALONE,  /* its tenant is known: 'k' */
    KEY_PAIR,   /* of several tenants: ('t', 'k') */
    KEY_MEMBERS /* the same within a row: 't', 'k' */
};
struct key_ref {
    struct value_ref value;
    uint8_t form;  /* enum key_form */
    bool inserted; /* into a table that has other sources as well, so it may be plain */
};

/* A column of the answer that is the partition key of a queue table and nothing else: the shard tells
 * of an expression, the client reads of the table's own column. */
struct result_key {
    uint16_t column; /* its number */
    bool derived;    /* it comes through a derived table or a CTE */
    bool nullable;   /* an outer join may leave it out */
    struct slice name; /* of the table, as the statement calls it */
    const struct catalog_table *table;
};

/* What one inserted row says about its tenant. */
struct row_source {
    struct value_ref metadata, payload;
};

struct token_range {
    uint32_t first, last;
};

/* One assignment of SET. */
struct set_item {
    enum { SET_SYSTEM, SET_USER, SET_NAMES, SET_CHARSET, SET_KEPT } kind; /* USER: mqgate's own;
                                     KEPT: of the server's session */
    bool global;
    struct slice name; /* lower case; user variables without @; in the template's arena */
    struct value_ref value;      /* for SET_NAMES the character set; VALUE_COMPUTED: a question */
    bool is_default;             /* = DEFAULT */
    bool is_word;                /* a bare word (ON, utf8mb4): its token is value.first */
    bool next_only;              /* of the next transaction only: SET @@transaction_isolation */
    struct value_ref collation;  /* SET NAMES … COLLATE …; kind VALUE_NONE if absent */
};

/* What only the session knows; rows of routing/session_values.def. */
enum session_value {
#define SESSION_VALUE_ROW(id, before, after, summary) SESSION_##id,
#include "routing/session_values.def"
#undef SESSION_VALUE_ROW
    SESSION_VALUE_COUNT
};

/* Placeholders in the text of edits (sql/edit.h). */
enum {
    EDIT_TENANT = EDIT_VALUE_FIRST, /* a quoted literal or `?` */
    EDIT_DATABASE,                  /* the shard's, as a quoted identifier */
    EDIT_HEADING,                   /* template.show_heading, as a quoted identifier */
    EDIT_TENANTS,                   /* those of a part: literals with commas between them */
    EDIT_LIMIT,                     /* rows that a part is asked for: a number or `?` */
    EDIT_KEY_TENANT, /* `?`: the tenant of the partition key that is the client's next parameter */
    EDIT_SESSION,                   /* and on: enum session_value, a literal or `?` */
};

/* A hidden parameter of the rewritten text: the tenant, the rows that a part is asked for, or
 * PARAM_SESSION - enum session_value. */
enum { PARAM_TENANT = -1, PARAM_LIMIT = -2, PARAM_SESSION = -3 };
/* PARAM_KEY - n: the client's parameter n, a qualified partition key, without its tenant;
 * PARAM_KEY_TENANT - n: that tenant, a hidden one. A statement has at most 65535. */
enum { PARAM_KEY = -100, PARAM_KEY_TENANT = -100000 };
_Static_assert(PARAM_SESSION - SESSION_VALUE_COUNT > PARAM_KEY, "hidden parameters differ");
_Static_assert(PARAM_KEY - UINT16_MAX > PARAM_KEY_TENANT, "hidden parameters differ");
/* The client's parameter whose tenant it is; -1: of none. */
static inline int32_t param_of_tenant(int32_t number)
{
    return number <= PARAM_KEY_TENANT ? PARAM_KEY_TENANT - number : -1;
}
/* The client's parameter behind one of the rewritten text; -1: it is a hidden one. */
static inline int32_t param_of_client(int32_t number)
{
    bool is_key = number <= PARAM_KEY && number > PARAM_KEY_TENANT;
    return number >= 0 ? number : is_key ? PARAM_KEY - number : -1;
}

/* What may have changed in the server's session without its answer telling. */
enum {
    TELLS_NOTHING = 0,
    TELLS_INSERT_ID = 1, /* LAST_INSERT_ID(), where the client may have given what is answered */
    TELLS_SURELY = 2,    /* with TELLS_INSERT_ID: whatever is answered */
    TELLS_VARIABLES = 4, /* those of relayed.variables */
    TELLS_DATABASE = 8,
    TELLS_ALL = TELLS_INSERT_ID | TELLS_SURELY | TELLS_VARIABLES | TELLS_DATABASE
};

/* What the tokens of a statement for the unsharded keyspace tell. */
struct relayed {
    bool keeps_state;     /* its session's connection is its own from now on */
    bool asks_last;       /* for what the statement before has left on its connection */
    bool needs_insert_id; /* LAST_INSERT_ID() of its server must be the session's */
    bool stands_aside;    /* it opens no transaction */
    bool sets_unfollowed; /* a system variable that shards would not have */
    bool sets_global;     /* what connections begin with may be another from now on */
    uint8_t tells;        /* TELLS_… */
    uint64_t variables;   /* 1 << enum var: what SET may have changed */
};

/* What a statement does to FOUND_ROWS() when it succeeds. */
enum found_rows {
    FOUND_ROWS_KEPT,
    FOUND_ROWS_SENT,   /* as many as its answer has */
    FOUND_ROWS_THERE,  /* what the server says; it has rows */
    FOUND_ROWS_UNKNOWN /* one of the above */
};

/* What a statement has to do with its server's session (routing/home.c). */
enum home {
    HOME_UNUSED,
    HOME_READ, /* runs on the connection that is the session's own, if there is one */
    HOME_KEPT, /* makes its connection the session's own */
};

struct template {
    enum verdict verdict;
    const struct err *reject; /* the reason of VERDICT_REJECT, else NULL */
    enum local_op local;
    uint16_t op;    /* of the statement's root node: what nodes.def says */
    uint32_t flags; /* the same: NODE_F_… */

    bool writes;         /* INSERT, UPDATE, DELETE, REPLACE, DDL */
    bool locks;          /* SELECT … FOR UPDATE and relatives */
    bool implicit_commit; /* the server commits an open transaction first */
    bool needs_database; /* names a table without its database */
    bool needs_administrator;
    bool is_select;      /* answers with rows */
    bool asks_insert_id; /* LAST_INSERT_ID() without an expression, and its kind */
    bool asks_found_rows; /* FOUND_ROWS() */
    bool asks_warning_count, asks_error_count; /* @@warning_count, @@error_count */
    uint8_t found_rows;   /* enum found_rows */
    bool uses_session_value; /* reads something that belongs to the session's last statement */
    bool has_session_values; /* edits hold what only the session knows */
    bool also_passes;        /* VERDICT_LOCAL as text; prepared, any shard answers the edited text */

    struct relayed relayed; /* VERDICT_UNSHARDED */
    uint8_t home;           /* enum home; of all others */
    bool needs_one_tenant;  /* the session may use no other: locks by name */
    enum { TEMPORARY_USED, TEMPORARY_CREATED, TEMPORARY_DROPPED } temporary;
    struct slice *temporaries; /* tables that have to be the session's, or are made or dropped */
    size_t temporary_count;

    struct edit *edits;  /* sorted; route_edits() adds those for `headings` */
    size_t edit_count;
    struct token_range *headings; /* select items without alias that edits change */
    size_t heading_count;

    uint32_t client_params; /* `?` of the client */
    int32_t *backend_params; /* per `?` of the rewritten text: the client's number or a hidden one */
    uint32_t backend_param_count;

    /* Tenant sources of the statement. */
    struct value_ref *sql_tenants; /* values of tenant = … / IN (…) / inserted tenant columns */
    size_t sql_tenant_count;
    struct value_ref *pattern_values; /* of the column in which a pattern names tenants */
    size_t pattern_value_count;
    bool patterns_tie; /* and every queue table is bound by such values */
    struct row_source *rows;       /* an INSERT into a table with metadata */
    size_t row_count;

    struct key_ref *keys; /* qualified partition keys */
    size_t key_count;
    char key_separator; /* of these, and of those that are read; 0: they are plain */
    const char *key_default; /* the tenant that bare ones mean; NULL: none; the configuration's */
    struct dialect key_dialect; /* by which literals of them are read */
    struct result_key *result_keys; /* in the order of the columns, as far as these are known */
    size_t result_key_count;
    bool keys_tie; /* every queue table shows rows of the keys' tenant only */

    struct identifier_check *checks;
    size_t check_count;

    /* What the statement does to LAST_INSERT_ID(): see routing/insert_id.h. */
    uint32_t insert_rows; /* of VALUES or SET; 0: of a SELECT, or it is no INSERT */
    bool has_counter;     /* an INSERT into a table with an AUTO_INCREMENT column */
    bool upsert;          /* ON DUPLICATE KEY UPDATE */
    enum { SETS_NEVER, SETS_PERHAPS, SETS_ALWAYS } sets_insert_id; /* LAST_INSERT_ID(expression) in
                             an assignment: somewhere, or as the whole value */

    struct set_item *sets;
    size_t set_count;
    uint32_t questions; /* of SET: how many values are expressions, which the edited text asks for */
    struct slice name; /* USE, SAVEPOINT …: the name; SHOW … LIKE: none */
    struct value_ref pattern; /* SHOW … LIKE */
    struct {
        const char *prefix;    /* of the first column of SHOW: "Tables_in_"; NULL: none */
        bool of_session;       /* the name of the session's database follows, else `database` */
        struct slice database;
        uint32_t modes;        /* by which the pattern, which stands in parentheses, is read */
    } show_heading;
    struct value_ref limit, limit_skip; /* SHOW … LIMIT: integers */
    struct value_ref killed; /* KILL: the connection's number; none: its own */

    const struct catalog_table *table; /* the first queue table; of DDL the table meant */
    const char *clause;  /* where that table's tenant would be named: "WHERE clause" */
    struct literal_check *literal_checks;
    size_t literal_check_count;
    /* LOCAL_SELECT_…: the tokens whose text names the column: the alias, else the
     * expression as it was written. See route_heading(). */
    struct value_ref heading;
    struct slice *databases; /* those that are named, as they are called */
    size_t database_count;
    bool if_exists;      /* IF [NOT] EXISTS */
    bool full;           /* SHOW FULL PROCESSLIST */
    const char *computed; /* a column whose new value might not be ASCII, or be missing where it
                             names a tenant, which only a strict sql_mode makes an error; or NULL */

    const struct merge_recipe *merge; /* VERDICT_TENANTS: how the parts' answers become one */

    uint64_t fingerprint;
};

/* Do the tokens begin a stored program, whose body has semicolons of its own? */
bool plan_is_program(const struct lexed *l);

/* Never fails: what is not understood gives VERDICT_REJECT with its reason. The template lies in
 * arena, and points nowhere but there and into the topology; the tree and everything else that
 * the work needs lie in scratch, which may be reset afterwards (or be the same arena). */
const struct template *plan(const struct topology *topology, const struct dialect *dialect,
                            const struct lexed *l, struct arena *arena, struct arena *scratch);

/* The same of a statement for which route() finds several tenants, and which plan() takes for one:
 * VERDICT_TENANTS with its recipe, or VERDICT_REJECT with the reason why the answers of the shards
 * could not be proven to make the one that the client means. */
const struct template *plan_scatter(const struct topology *topology, const struct dialect *dialect,
                                    const struct lexed *l, struct arena *arena,
                                    struct arena *scratch);

#endif
