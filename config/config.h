/* The configuration as the rest of mqgate sees it: defaults filled in, secrets read, every
 * value checked. Built once per start or reload and then never changed; freed with its last
 * reference (it is part of the snapshot). */
#ifndef MQ_CONFIG_CONFIG_H
#define MQ_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/ip.h"
#include "base/log.h"
#include "base/slice.h"
#include "config/pattern.h"

/* Names in a list; each NUL-terminated. */
struct string_list {
    char **items;
    size_t count;
};

struct network_list {
    struct network *items;
    size_t count;
};

/* host:port or the path of a unix socket (then host is NULL). */
struct address {
    char *host;
    uint16_t port;
    char *socket;
};

enum tls_mode {
    TLS_UNSET, /* only while the configuration is read */
    TLS_DISABLED,
    TLS_PREFERRED,      /* TLS if the peer can */
    TLS_REQUIRED,       /* TLS, or no connection */
    TLS_VERIFY_CA,      /* and the server's certificate is the CA's; not for listeners */
    TLS_VERIFY_IDENTITY /* and it is of this very server */
};
enum tls_version { TLS_1_2, TLS_1_3 };

/* How mqgate connects to servers. */
struct tls_config {
    enum tls_mode mode;
    char *ca;          /* NULL: certificates are not looked at */
    char *cert, *key;  /* mqgate's own; NULL: none */
    char *server_name; /* that the certificate is for; NULL: the host's */
};

/* How clients connect. */
struct client_tls_config {
    enum tls_mode mode;
    char *cert, *key; /* NULL: no TLS */
    char *client_ca;  /* NULL: clients are not asked for certificates */
    enum client_certificate {
        CERTIFICATE_UNSET, /* only while the configuration is read */
        CERTIFICATE_OPTIONAL,
        CERTIFICATE_REQUIRED
    } verify_client;
    enum tls_version min_version;
};

struct listener_config {
    char *name; /* for logs and `--listener` */
    struct address address;
    enum tls_mode tls;          /* DISABLED, PREFERRED or REQUIRED */
    struct network_list proxies; /* who begins with a PROXY header */
    struct string_list tenants; /* empty: not bound */
};

/* An account on the shards or on the vindex database. */
struct credentials {
    char *user;
    char *password; /* clear text, from password, password_file or the environment */
};

/* What an account's connections have to be like. */
enum account_transport {
    TRANSPORT_ANY,
    TRANSPORT_TLS,
    TRANSPORT_X509,    /* with a certificate of the client CA */
    TRANSPORT_IDENTITY /* whose common name is the account's */
};

struct account_config {
    char *user;
    char *password;             /* clear text, or NULL when only the hash is known */
    char *password_hash;        /* "*…" or "$A$…", or NULL */
    struct string_list tenants; /* empty: not bound */
    struct string_list listeners; /* names; empty: any */
    struct string_list databases; /* the same */
    struct credentials backend; /* the shards' account for this one */
    uint32_t max_connections;   /* 0: no limit of its own, as below */
    uint32_t concurrency;       /* statements and transactions */
    enum account_transport require;
    bool administrator;         /* may use every-shard statements (DROP TABLE, TRUNCATE, …) */
};

struct shard_config {
    char *name; /* the key range, "-80"; of vtgates the keyspace */
    struct address address;
    struct string_list standbys;       /* as configured; of vtgates the others */
    struct address *standby_addresses; /* the same, read */
    struct tls_config tls;
    char *database; /* the shard's own database */
};

/* What stands behind mqgate. */
enum backend_kind {
    BACKENDS_MYSQL, /* a server for each shard */
    BACKENDS_VITESS /* vtgates, which know the shards; to mqgate they are one shard */
};

struct vitess_config {
    struct string_list gates;  /* as configured; read, they are the shard's servers */
    struct string_list shards; /* key ranges; empty: not named */
    char *workload;            /* NULL: each session has its own */
};

/* The keyspace of all tables that are no queue tables, on one server. */
struct unsharded_config {
    bool configured;
    struct shard_config server; /* its name is the keyspace's */
    uint32_t max_connections;   /* over all workers; default 128 */
};

/* A table's legacy and tenant shape beyond the built-in five (`queue_tables:`). */
struct column_config {
    char *name;
    char *definition; /* as in CREATE TABLE, e.g. "VARCHAR(255) NOT NULL" */
};
struct queue_table_config {
    char *name;
    struct column_config *columns; /* of the legacy table, in order */
    size_t column_count;
    struct string_list primary_key; /* legacy */
    char *replicated_by;            /* every tenant has a copy: the column that tells the newest */
};

enum enforcement {
    ENFORCE, /* statements are routed, or refused */
    OBSERVE, /* all go unchanged to one server with the legacy schema; findings are kept */
    WARN,    /* the same; what would be refused gets a warning */
};

/* May one transaction be of several tenants? */
enum transactions {
    TRANSACTIONS_SINGLE,
    TRANSACTIONS_MULTI, /* on each one's shard, without atomicity */
};

enum tenants_mode {
    TENANTS_LIST, /* tenants, MQ_TENANTS or tenants_file */
    TENANTS_TABLE /* every tenant of the vindex table */
};

enum partition_keys {
    KEYS_PLAIN,
    KEYS_QUALIFIED, /* clients see tenant|key, and name the tenant by it */
};

struct vindex_table_config {
    bool configured;
    struct address address;
    struct credentials credentials;
    struct tls_config tls; /* server_name is NULL */
    char *database;
    char *table;                  /* default "mq_tenant_vindex" */
    uint32_t refresh_interval_ms; /* default 5000 */
    uint32_t max_age_ms;          /* vindex_max_age, default 900000 */
    char *snapshot_file;          /* may be NULL */
};

struct config {
    char *path; /* of the file, for messages */

    struct listener_config *listeners;
    size_t listener_count;
    struct client_tls_config client_tls;

    char *keyspace; /* what clients name as the database */
    struct string_list database_aliases;
    char *vschema_path; /* NULL: xxhash on tenant for every queue table */
    enum backend_kind backend;
    struct vitess_config vitess;
    struct shard_config *shards; /* BACKENDS_VITESS: one, with the keyspace's name */
    size_t shard_count;
    struct unsharded_config unsharded;
    struct queue_table_config *queue_tables;
    size_t queue_table_count;

    struct account_config *accounts;
    size_t account_count;

    enum tenants_mode tenants_mode;
    struct string_list tenants; /* trimmed, without duplicates */
    struct vindex_table_config vindex_table;

    struct string_list scatter_writes; /* queue tables; of several tenants at once */
    struct string_list metadata_paths; /* default {"queue_name"} */
    bool payload_enabled;
    struct string_list payload_paths; /* default {"queue_name", "queueName"} */
    enum pattern_column { PATTERN_TOPIC, PATTERN_PARTITION_KEY } pattern_column;
    struct tenant_pattern *pattern; /* names a tenant in values of that column; NULL: none */
    char *default_tenant;             /* NULL: none */
    enum partition_keys partition_keys;
    char key_separator; /* between tenant and key; no tenant that is served has it */

    bool allow_create_table; /* legacy CREATE TABLE on every shard; default true */

    enum enforcement enforcement;
    enum transactions transactions;
    uint32_t workers;     /* default 1 */
    char *server_version; /* NULL: the one last seen */
    struct {
        uint32_t max_per_shard;      /* default 32, over all workers */
        uint32_t idle_timeout_ms;    /* default 60000 */
        uint32_t wait_timeout_ms;    /* wait for a backend; default 10000 */
        uint32_t connect_timeout_ms; /* default 3000 */
        uint32_t silence_timeout_ms; /* default 10000 */
        uint32_t max_statements;     /* prepared per backend; default 256 */
    } pool;
    struct {
        uint32_t max_connections;         /* default 4096 */
        uint32_t tenant_concurrency;      /* statements and transactions; 0: no limit */
        uint32_t max_statement_size;      /* bytes, default 64 MiB */
        uint32_t max_prepared_statements; /* per session; default 16382 */
        uint32_t login_timeout_ms;        /* default 10000 */
        uint32_t login_delay_ms;          /* the longest; default 4000 */
        uint32_t idle_timeout_ms;         /* default 28800000, the server's wait_timeout */
        uint32_t interactive_timeout_ms;  /* the same for interactive clients */
        uint32_t read_timeout_ms;         /* default 30000 */
        uint32_t write_timeout_ms;        /* default 60000 */
        /* 0, the default: no limit */
        uint32_t statement_timeout_ms, transaction_timeout_ms, transaction_idle_timeout_ms;
    } limits;
    struct {
        enum log_level level;
        enum log_format format;
    } log;
    struct {
        uint32_t drain_min_ms; /* default 0 */
        uint32_t drain_max_ms; /* default 30000 */
    } shutdown;
};

/* One complaint about a configuration. */
struct diagnostic {
    uint32_t line; /* 0: not about a line */
    char *text;    /* "shards.-80.adress: unknown setting (did you mean address?)" */
};
struct diagnostics {
    struct diagnostic *items;
    size_t count;
};

/* What overrides the file: flag over environment over file. */
struct config_overrides {
    const char *const *environment; /* NULL-terminated "NAME=value", or NULL */
    const char *const *settings;    /* NULL-terminated "path=value" from --set, or NULL */
};

/* Reads path, applies overrides, fills in defaults, reads secret files and checks all
 * values. Every fault found is added to *ret_diagnostics (never NULL; caller frees it with
 * diagnostics_fini). Returns NULL when there is any. */
struct config *config_load(const char *path, const struct config_overrides *overrides,
                           struct diagnostics *ret_diagnostics);
/* The same from text in memory; `path` only for messages. */
struct config *config_parse(struct slice text, const char *path,
                            const struct config_overrides *overrides,
                            struct diagnostics *ret_diagnostics);
void config_destroy(struct config *c);
/* Takes the shards, in the place of those that it has. */
void config_replace_shards(struct config *c, struct shard_config *shards, size_t count);

void diagnostics_init(struct diagnostics *d);
void diagnostics_add(struct diagnostics *d, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends "file:line: text", one line each, to out. */
void diagnostics_print(const struct diagnostics *d, const char *path, struct buf *out);
void diagnostics_fini(struct diagnostics *d);

static inline bool config_is_vitess(const struct config *c)
{
    return c->backend == BACKENDS_VITESS;
}

enum { CONFIG_WORKLOAD_MAX = 64 };
/* May it be a WORKLOAD_NAME? That stands in a comment, and is a label of Vitess' metrics. */
bool config_is_workload(struct slice name);

/* Is the database the sharded keyspace, by its name or an alias? */
bool config_is_keyspace(const struct config *c, struct slice database);

/* Is the database among those? An empty list means any, and so does NULL. */
bool config_has_database(const struct string_list *databases, struct slice database);

/* The account of a user name, or NULL. */
const struct account_config *config_account(const struct config *c, struct slice user);

/* "1-255 printable ASCII without comma, quotes, backslash, `|`, or a space at either end":
 * MQ_OK or MQ_TENANT_INVALID with the reason. */
enum err_code tenant_check(struct slice tenant, struct err *reterr);

/* Every setting with its type, default and meaning, for `mqgate check --settings` and
 * docs/configuration.md; from config/settings.def. */
struct setting_info {
    const char *path, *type, *fallback, *summary;
};
const struct setting_info *config_settings(size_t *ret_count);

#endif
