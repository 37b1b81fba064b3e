/* What the files of the planner share: the state of one call of plan(), and who looks after
 * which part of a statement. */
#ifndef MQ_ROUTING_PLAN_INT_H
#define MQ_ROUTING_PLAN_INT_H

#include "routing/plan.h"

/* An array that grows in the arena. */
struct vector {
    void *items;
    size_t count, capacity;
};
/* One more zeroed item of that size. */
void *vector_add(struct vector *v, struct arena *arena, size_t size);

/* SQL text that grows in the arena. */
struct text {
    struct arena *arena;
    char *data;
    size_t len, capacity;
};
void text_add(struct text *t, const char *s);
void text_slice_add(struct text *t, struct slice s);
/* A string literal of UTF-8 that every sql_mode and character set reads alike. */
void text_literal(struct text *t, struct slice s);
/* `name` with backticks doubled. */
void text_ident(struct text *t, struct slice name);
static inline struct slice text_slice(const struct text *t)
{
    return slice_of(t->data, t->len);
}

/* What a query shows, for whoever reads its columns from outside: a select list over a scope,
 * or all of a table (TABLE t). */
struct scope;
struct name_index;
struct shape {
    const struct node *list;
    const struct scope *scope;
    const struct catalog_table *table;
    bool of_branch; /* its block is the first of a set operation: it names the columns only */
    struct name_index *items; /* those of the list; scatter_join.c makes and fills it */
    bool united;               /* the list is that of several queries' first; then, of several
                                * tenants: */
    const struct node *shared; /* the item that is a partition key in each of them, or NULL */
};

/* A name that WITH gave to a query. */
struct cte_name {
    struct slice name;
    const struct node *columns; /* COLUMNS, which name its columns; NULL when missing */
    const struct shape *shape;  /* NULL: not known */
    bool doubtful; /* servers differ about it: defined further on in a WITH RECURSIVE, or in a
                    * branch of the set operation beside */
    size_t visible; /* with those outside it */
    const struct cte_name *outer;
};

/* What a query is to the set operation around it. */
enum branch {
    BRANCH_NONE,
    BRANCH_FIRST, /* it names the columns */
    BRANCH_LATER,
};

struct scatter;

struct planner {
    const struct topology *topology;
    struct scatter *scatter; /* of a statement of several tenants; NULL: of one */
    const struct dialect *dialect;
    const struct lexed *l;
    struct arena *arena; /* of this call; template_keep() copies what remains */
    struct template *t;
    struct err reject; /* why not */

    bool qualified; /* the client's partition keys are */
    struct scope *scope; /* where the walk stands, innermost first */
    int inserted_key;    /* which item of INSERT … SELECT is the key; -1: none */
    bool unpatterned;    /* a queue table is read that no value binds in which a tenant is named */
    bool untied;         /* a queue table may show rows of other tenants than a key names */
    bool naming;         /* columns are named, not read */
    uint32_t aggregated; /* how many aggregates stand around */

    struct vector edits;          /* struct edit */
    size_t edit_bytes;            /* of their texts */
    struct vector mentions;       /* struct mention, of locks.c */
    struct vector headings;       /* struct token_range */
    struct vector sql_tenants;    /* struct value_ref */
    struct vector rows;           /* struct row_source */
    struct vector checks;         /* struct identifier_check */
    struct vector keys;           /* struct key_ref */
    struct vector result_keys;    /* struct result_key */
    struct vector pattern_values; /* struct value_ref */
    struct vector sets;           /* struct set_item */
    struct vector literal_checks; /* struct literal_check */
    struct vector databases;      /* struct slice */

    const struct cte_name *ctes; /* visible where the walk stands, innermost first */
    const struct shape *shape;   /* of the query visited last; NULL: not known */
    const struct node *root;     /* of the statement */
    enum list_texts { TEXTS_UNKNOWN, TEXTS_NONE, TEXTS_SOME } list_texts[2]; /* of collation.c */
    enum list_texts list_ascii; /* of charset.c */
    bool *converted; /* per token: the column that begins there is; made when needed */
    bool *claimed; /* per token: the column that begins there is accounted for; made when needed */
    uint8_t *paired; /* per token: enum key_form of a key that is compared; made when needed */
    uint32_t *param_tokens;   /* the token of each parameter; made when first asked for */
    struct slice other_table; /* the first one that is no queue table */
    bool has_other;
    bool reads_other;         /* it is not only what an INSERT writes */
    bool names_permanent;     /* with its database, so that it is no temporary one */
    struct vector temporaries; /* struct slice: of those tables that may be temporary */
    enum { ALONE_UNKNOWN, ALONE_NO, ALONE_YES } alone; /* of temporary.c */
    const struct node *parens; /* as table_ref's, of the table that is collected */
    bool ignores;            /* a change with IGNORE */
    const struct node *assigned; /* the value of an assignment of UPDATE or ON DUPLICATE KEY UPDATE
                                    that is walked; NULL: none is */
    bool changes_joined;     /* an UPDATE or DELETE whose tables to change stand in a join */
    enum branch united;      /* what the query that is walked is to a set operation */
    bool locked;             /* the query that is walked locks the rows it reads */
    bool wraps;              /* a queue table became a derived table, which has no database */
    bool names_databases;    /* a column is qualified by its database */
    bool has_views; /* information_schema is read */
    bool has_queries; /* and a derived table or CTE, whose columns may be called like a table's */
    uint32_t inner; /* how many queries stand around the one that is walked */
    uint32_t depth; /* of the walk */
    uint64_t looks; /* at columns and items, as a measure of the work */
};

/* ---- plan.c ---- */

/* Sets the reason of the refusal; returns code. */
enum err_code reject(struct planner *p, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Splices text, which lives as long as the arena, in or over tokens. */
enum err_code plan_edit(struct planner *p, enum edit_place place, uint32_t first, uint32_t last,
                        struct slice text);
/* Does either token stand inside a versioned comment? */
bool plan_in_comment(const struct planner *p, uint32_t first, uint32_t last);
/* What stands at an expression: a literal, a parameter, DEFAULT or NULL, something else. */
struct value_ref plan_value(struct planner *p, const struct node *expr);
/* The statement names these tables only: SINGLE, PASS or the refusal. */
enum err_code plan_settle(struct planner *p);
/* Does the client see the column `tenant` (SET @mq_schema = 'tenant')? */
static inline bool plan_shows_tenant(const struct planner *p)
{
    return p->dialect->modes & MODE_TENANT_SCHEMA;
}
/* The name of an identifier node or of the last identifier below n. */
struct slice plan_name(struct planner *p, const struct node *n);
const struct node *plan_last_ident(const struct node *n);

/* Arguments for "%.*s" that quote a client's name without flooding the message. */
#define NAME_FORMAT(s) (int)((s).len > 64 ? 64 : (s).len), (s).data

/* Parses and plans, as if there were no unsharded keyspace. */
enum err_code plan_tree(struct planner *p);

/* ---- unsharded.c ---- */

bool unsharded_names_queue_table(const struct planner *p);
enum err_code unsharded_plan(struct planner *p);

/* ---- template.c ---- */

/* The template and everything it points to, copied to arena. */
const struct template *template_keep(const struct template *t, struct arena *arena);

/* ---- names.c: which table a name means ---- */

enum name_meaning {
    NAME_QUEUE_TABLE,
    NAME_QUERY, /* a common table expression */
    NAME_DUAL,
    NAME_OTHER_TABLE
};
/* Also replaces a database's name by the shard's. */
enum err_code names_resolve(struct planner *p, const struct node *name,
                            enum name_meaning *ret_meaning, const struct catalog_table **ret_table);
/* The query that WITH gave this name, after names_resolve() said NAME_QUERY. */
const struct cte_name *names_query(const struct planner *p, struct slice name);
/* The same where only a queue table will do. */
enum err_code names_queue_table(struct planner *p, const struct node *name,
                                const struct catalog_table **ret_table);
/* The identifier names a database: it must be the keyspace or an alias. */
enum err_code names_database(struct planner *p, const struct node *ident);
/* The same without a splice, for statements that are answered here. */
bool names_is_keyspace(const struct planner *p, struct slice database);
/* The statement names it: may the account? */
void names_note_database(struct planner *p, struct slice name);
/* Counts a reference to a queue table. `clause` is where its tenant would stand. */
void names_count(struct planner *p, const struct catalog_table *table, const char *clause);

/* ---- visit.c: expressions ---- */

/* With Vitess behind: whether the node is one that vtgate is known to answer wrongly. */
enum err_code vitess_check(struct planner *p, const struct node *n);

enum err_code visit(struct planner *p, const struct node *n);
enum err_code visit_children(struct planner *p, const struct node *n);

/* ---- scope.c: table references and their conditions ---- */

struct table_ref {
    const struct node *node;           /* TABLE, DERIVED or JSON_TABLE */
    const struct catalog_table *table; /* NULL: anything but a queue table */
    const struct node *parens;         /* the outermost that hold nothing else; may be NULL */
    struct slice name;                 /* by which its columns are qualified; may be empty */
    const struct node *columns;        /* of a query: COLUMNS that name its columns, or NULL */
    const struct shape *shape;         /* of a query, or NULL: not known */
    struct shown_list *shown;          /* of a query: shape.c */
    bool has_alias;
    bool hides_tenant;         /* it must become one */
    bool wrapped;              /* it became a derived table without the column `tenant` */
    bool scoped;               /* the client's own condition does it */
    bool conditioned;          /* ours is written */
    bool viewed;               /* of information_schema: views.c */
    bool patterned;            /* a value, in which a pattern may name the tenant, binds it */
    bool tied;                 /* its partition keys are of the tenant that a value names */
    const struct node *target; /* the ON that takes its condition; NULL: WHERE */
    struct table_ref *next;    /* in the order of the text */
};

/* A join of a scope, for its ON. */
struct join_ref {
    const struct node *node;
    const struct node *target; /* where conditions of its ON count as well */
    struct join_ref *next;
};

struct scope {
    const struct node *from, *where;
    uint32_t anchor; /* the token behind which a WHERE is added */
    struct table_ref *refs, **refs_end;
    struct join_ref *joins;
    size_t count;
    size_t queue_count;
    size_t tenants; /* how many columns `tenant` the part that was collected last shows */
    bool anchored; /* its rows are of the tenant of the row around it: partition keys are equal */
    bool merges; /* NATURAL or USING: `*` is no list of whole tables */
    const struct node *block; /* NULL: of a change, or TABLE */
    /* For names of columns, qualified.c: */
    struct scope *outer; /* of the query around it whose columns it sees */
    bool open;           /* it may have other columns, which nobody knows */
    bool united;         /* of a set operation's result, whose columns have no table */
    bool having, ordering; /* HAVING or ORDER BY is visited */
    bool groups_key;     /* GROUP BY names tenant and key */
    const struct listed_key *listed_keys; /* what the block's list calls by their names */
};

/* Resolves the tables of from, takes note of the tenants that the client's conditions name
 * and opens the conditions. */
enum err_code scope_open(struct planner *p, struct scope *s, const struct node *from,
                         const struct node *where, uint32_t anchor);
/* "tenant = 't'", or "tenant IN ('t', 'u')" of several. */
struct slice plan_tenant_condition(const struct planner *p);
struct slice plan_tenant_where(struct planner *p);
/* Closes them, after everything inside has been visited. */
enum err_code scope_close(struct planner *p, struct scope *s);

/* ---- locks.c: indexes that tenants share, in statements that lock ---- */

enum err_code locks_scope(struct planner *p, struct scope *s);
/* The same for one table, where a hint may stand directly behind it. */
enum err_code locks_table(struct planner *p, struct scope *s, const struct table_ref *r);
/* The same of a DELETE of one table, which takes no index hints. */
enum err_code locks_delete(struct planner *p, struct scope *s, const struct node *statement);

/* ---- query.c ---- */

/* A whole query expression. */
enum err_code query_visit(struct planner *p, const struct node *query);
/* The same inside another statement or query: names it gives are not the answer's. */
enum err_code query_visit_inner(struct planner *p, const struct node *query);
enum err_code query_with(struct planner *p, const struct node *with);

/* ---- change.c: UPDATE and DELETE ---- */

enum err_code change_visit(struct planner *p, const struct node *statement);

/* ---- shape.c: which columns a query or a FROM clause shows ---- */

struct shown_column {
    struct slice name;
    const struct table_ref *ref; /* whose column it is; of a merged one the table whose value */
};

/* The columns that `*` means over the scope, in the servers' order; false: not all are known. */
bool shape_scope(struct planner *p, const struct scope *s, struct vector *ret);
/* The same of a star in the list of a block over it. */
bool shape_star(struct planner *p, const struct scope *s, const struct node *star,
                struct vector *ret);
/* Those that the reference shows. */
bool shape_ref(struct planner *p, const struct table_ref *r, struct vector *ret);
/* Does it show one of that name? *ret_known: false if nobody can tell. */
bool shape_shows(struct planner *p, const struct table_ref *r, struct slice name, bool *ret_known);
/* Room for what is known of a query's columns. */
struct shown_list *shape_list(struct planner *p);

/* ---- star.c ---- */

/* A select list or RETURNING: expands stars, visits the rest. */
enum err_code star_list(struct planner *p, const struct scope *s, const struct node *list);
/* `a`, `b`, … of the table's columns that the client knows, qualified unless name is empty. */
void star_columns(const struct planner *p, const struct catalog_table *table, struct slice name,
                  struct text *out);
/* The same as the select list of a query of the reference's own. */
void star_wrapped(const struct planner *p, const struct table_ref *ref, struct text *out);
/* The same as a select list of the block, which may be a branch of a set operation; NULL: TABLE.
 * stored: the partition key as the shard has it. */
enum err_code star_selected(struct planner *p, const struct node *block, bool stored,
                            const struct catalog_table *table, struct slice name, struct text *out);

/* ---- columns.c ---- */

bool column_is_tenant(const struct planner *p, const struct node *column);
/* A mention of a column anywhere but where it is claimed. */
enum err_code column_visit(struct planner *p, const struct node *column);
/* Backquotes a bare catalogue column that the servers reserve. */
enum err_code column_quote(struct planner *p, const struct node *ident);
void column_claim(struct planner *p, const struct node *column);
/* The left side of an assignment. */
enum err_code column_assigned(struct planner *p, const struct catalog_table *table,
                              const struct node *assignment);
/* Notes that value is written into the column; the check, or NULL where none is needed. */
struct identifier_check *column_check_value(struct planner *p, const struct catalog_table *table,
                                            struct slice column, struct value_ref value);

/* ---- functions.c ---- */

enum err_code function_visit(struct planner *p, const struct node *function);
/* Puts the session's value in the place of the tokens. */
enum err_code plan_session_value(struct planner *p, enum session_value v, uint32_t first,
                                 uint32_t last);
/* The same of a function that answers for the session; of all others nothing. */
enum err_code function_session_value(struct planner *p, struct slice name, uint32_t first,
                                     uint32_t last);
/* LOCAL_SELECT_… of a function that belongs to the session, LOCAL_NONE of all others. */
enum local_op function_local(struct slice name);

/* ---- home.c: what lives on one connection ---- */

/* @mq_tenant and its kind, which no server knows; text begins with @. */
bool home_is_own_variable(struct slice text);
enum err_code home_variable(struct planner *p, const struct node *variable, enum home home);
enum err_code home_assignment(struct planner *p, const struct node *n);
/* What changes a server's session is sent as it is: a server that passed over a part of it in a
 * comment would change something else. */
enum err_code home_is_plain(struct planner *p, const struct node *statement);
/* The value of a variable that is set. */
enum err_code home_assigned(struct planner *p, const struct node *value);
enum err_code home_into(struct planner *p, const struct node *into);
/* A built-in function; *ret_is_lock: one of those that take and free locks by name. */
enum err_code home_function(struct planner *p, const struct node *function, bool *ret_is_lock);

/* ---- temporary.c ---- */

/* A table of that name is meant that is no queue table. */
void temporary_note(struct planner *p, struct slice name);
/* No queue table is named: nothing of the statement is about their columns. */
bool temporary_alone(struct planner *p);
/* All the other tables may be temporary ones, which have to be the session's. */
bool temporary_settle(struct planner *p);
enum err_code temporary_create(struct planner *p, const struct node *create);
enum err_code temporary_drop(struct planner *p, const struct node *drop);
bool temporary_is_target(const struct planner *p, const struct node *target);
enum err_code temporary_insert(struct planner *p, const struct node *insert);

/* ---- found_rows.c ---- */

enum found_rows found_rows_effect(const struct planner *p, const struct node *root);
/* Of a statement that is relayed as it is; reads: it is a query. */
enum found_rows found_rows_relayed(const struct planner *p, bool reads);

/* ---- charset.c: identifier columns are ASCII on the shards ---- */

/* Notes the values that meet an identifier column below n. */
void charset_operands(struct planner *p, const struct node *n);
/* How a branch of a set operation, which may be joined by any characters, shows such a column. */
struct united_form {
    bool convert; /* as utf8mb4; */
    bool named;   /* and then by its own name */
};
/* block: the branch; NULL: TABLE. */
enum err_code charset_united_form(struct planner *p, const struct node *block,
                                  struct united_form *ret);
/* Appends a table's column in that form, qualified unless table is empty. */
void charset_united_column(const struct planner *p, struct slice table, struct slice column,
                           const struct united_form *form, struct text *out);
/* `*` over a query, whose columns may be such ones. */
enum err_code charset_united_query(struct planner *p);
/* An item of a branch. */
enum err_code charset_united(struct planner *p, const struct node *block, const struct node *item);
enum err_code charset_collate(struct planner *p, const struct node *collate);
/* A value that is written into a column: with IGNORE a server stores `?` for what is not ASCII. */
enum err_code charset_stored(struct planner *p, const struct catalog_table *table,
                             struct slice column, const struct node *value);
/* A value that a user variable takes over, character set and all. */
enum err_code charset_kept(struct planner *p, const struct node *value);
/* CHARSET() and its kin. */
enum err_code charset_function(struct planner *p, const struct node *function);
/* The ASCII column, or VALUES() of one, that n has its character set from, or NULL. */
const struct node *charset_source(struct planner *p, const struct node *n);
/* Have n's operands one character set and collation in common? */
bool charset_meets(const struct planner *p, const struct node *n);

/* ---- collation.c: texts with the session's collation beside identifier columns ---- */

/* Converts such a column where n compares or joins it with such a text. */
enum err_code collation_operands(struct planner *p, const struct node *n);
/* The same of the columns that a join with USING or NATURAL compares: refuses it. */
enum err_code collation_join(struct planner *p, const struct table_ref *refs);
/* May a branch of a set operation show such a text? */
bool collation_united(struct planner *p);

/* ---- the statements ---- */

enum err_code hints_visit(struct planner *p, const struct catalog_table *table,
                          const struct node *table_node);
enum err_code insert_plan(struct planner *p, const struct node *insert);
enum err_code select_plan(struct planner *p, const struct node *query);
enum err_code explain_plan(struct planner *p, const struct node *explain);
enum err_code session_plan(struct planner *p, const struct node *statement);
enum err_code show_plan(struct planner *p, const struct node *show);
enum err_code show_schema_plan(struct planner *p, const struct node *show);
/* Is it among the words before the subject? FULL changes the answer. */
bool show_has_modifier(const struct planner *p, const struct node *show, enum keyword word);
enum err_code ddl_create(struct planner *p, const struct node *create);
enum err_code ddl_drop(struct planner *p, const struct node *drop);
enum err_code ddl_truncate(struct planner *p, const struct node *truncate);
/* Maps the parameters of the rewritten text; edits are sorted. */
void params_map(struct planner *p);

#endif
