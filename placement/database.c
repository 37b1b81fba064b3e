#include "placement/database.h"

#include <errmsg.h>
#include <mysql.h>
#include <stdio.h>

#include "base/memory.h"

/* Whole seconds, as the library wants them. MySQL's own tries a read up to three times. */
enum { CONNECT_TIMEOUT_S = 3, IO_TIMEOUT_S = 5, COLUMNS_MAX = 8 };

enum { ERROR_NO_SUCH_TABLE = 1146 };

struct database {
    MYSQL *mysql;
    char *where; /* for messages: "127.0.0.1:3306/mq_vindex" */
    enum err_code failure;
};

static char *describe(const struct database_target *t)
{
    struct buf out;
    buf_init(&out);
    if (t->address->socket)
        buf_append_cstr(&out, t->address->socket);
    else
        buf_printf(&out, "%s:%u", t->address->host, (unsigned)t->address->port);
    if (t->database)
        buf_printf(&out, "/%s", t->database);
    char *text = mem_strdup(buf_cstr(&out));
    buf_fini(&out);
    return text;
}

static enum err_code failed(struct database *d, struct err *reterr)
{
    return err_set(reterr, d->failure, "%s: %s (%u)", d->where, mysql_error(d->mysql),
                   mysql_errno(d->mysql));
}

static void set_options(MYSQL *mysql, unsigned patience_s)
{
    unsigned connect_timeout = CONNECT_TIMEOUT_S;
    unsigned io_timeout = patience_s ? patience_s : IO_TIMEOUT_S;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout);
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &io_timeout);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &io_timeout);
    /* A server may not ask for files of this machine. */
    unsigned local_infile = 0;
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &local_infile);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    /* A value that does not fit is an error, and a lock that somebody holds is reported by
     * the server before the read times out. */
    mysql_options(mysql, MYSQL_INIT_COMMAND,
                  "SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 3");
#ifndef LIBMARIADB
    /* Connector/C asks for the RSA key of caching_sha2_password by itself. */
    bool get_key = true;
    mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &get_key);
#endif
}

#ifdef LIBMARIADB
/* It verifies the chain as soon as it has a CA, and knows no TLS that is preferred. */
static void set_mode(MYSQL *mysql, enum tls_mode mode)
{
    my_bool on = 1;
    mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
    if (mode == TLS_VERIFY_IDENTITY)
        mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
    mysql_options(mysql, MARIADB_OPT_TLS_VERSION, "TLSv1.2,TLSv1.3");
}
#else
static void set_mode(MYSQL *mysql, enum tls_mode mode)
{
    unsigned value = SSL_MODE_DISABLED + (mode - TLS_DISABLED);
    mysql_options(mysql, MYSQL_OPT_SSL_MODE, &value);
    mysql_options(mysql, MYSQL_OPT_TLS_VERSION, "TLSv1.2,TLSv1.3");
}
#endif

static void set_tls(MYSQL *mysql, const struct tls_config *tls)
{
    if (tls->mode >= TLS_VERIFY_CA)
        mysql_options(mysql, MYSQL_OPT_SSL_CA, tls->ca);
    if (tls->cert) {
        mysql_options(mysql, MYSQL_OPT_SSL_CERT, tls->cert);
        mysql_options(mysql, MYSQL_OPT_SSL_KEY, tls->key);
    }
    set_mode(mysql, tls->mode);
}

static bool try_connect(struct database *d, const struct database_target *t, bool tls)
{
    const struct address *a = t->address;
    if (d->mysql)
        mysql_close(d->mysql);
    d->mysql = mysql_init(NULL);
    if (!d->mysql)
        mem_exhausted(sizeof *d->mysql);
    set_options(d->mysql, t->patience_s);
    if (tls)
        set_tls(d->mysql, t->tls);
    return mysql_real_connect(d->mysql, a->socket ? NULL : a->host, t->credentials->user,
                              t->credentials->password, t->database, a->port, a->socket, 0);
}

/* On a unix socket, which is as safe, TLS is used only when it is asked for. Where it is only
 * preferred, a server without it will do. */
static bool connect_to(struct database *d, const struct database_target *t)
{
    bool tls = t->tls->mode >= (t->address->socket ? TLS_REQUIRED : TLS_PREFERRED);
    if (try_connect(d, t, tls))
        return true;
    return t->tls->mode == TLS_PREFERRED && tls && mysql_errno(d->mysql) == CR_SSL_CONNECTION_ERROR &&
           try_connect(d, t, false);
}

enum err_code database_open(const struct database_target *t, struct database **ret,
                            struct err *reterr)
{
    struct database *d = mem_new(struct database);
    d->failure = t->failure;
    d->where = describe(t);
    if (!connect_to(d, t)) {
        enum err_code code = failed(d, reterr);
        database_close(d);
        return code;
    }
    *ret = d;
    return MQ_OK;
}

void database_close(struct database *d)
{
    if (!d)
        return;
    mysql_close(d->mysql);
    mem_free(d->where);
    mem_free(d);
}

enum err_code database_run(struct database *d, struct slice sql, uint64_t *ret_changed,
                           struct err *reterr)
{
    if (mysql_real_query(d->mysql, sql.data, (unsigned long)sql.len) != 0)
        return failed(d, reterr);
    if (ret_changed)
        *ret_changed = mysql_affected_rows(d->mysql);
    return MQ_OK;
}

/* Rows are streamed: a table of a million tenants is not held twice. */
static void each_row(MYSQL_RES *result, database_row_seen *seen, void *context)
{
    struct slice columns[COLUMNS_MAX];
    unsigned count = mysql_num_fields(result);
    if (count > COLUMNS_MAX)
        count = COLUMNS_MAX;
    MYSQL_ROW row;
    while ((row = mysql_fetch_row(result))) {
        const unsigned long *lengths = mysql_fetch_lengths(result);
        for (unsigned i = 0; i < count; i++)
            columns[i] = slice_of(row[i], row[i] ? lengths[i] : 0);
        if (!seen(context, columns, count))
            return;
    }
}

enum err_code database_select(struct database *d, struct slice sql, database_row_seen *seen,
                              void *context, struct err *reterr)
{
    if (mysql_real_query(d->mysql, sql.data, (unsigned long)sql.len) != 0)
        return failed(d, reterr);
    MYSQL_RES *result = mysql_use_result(d->mysql);
    if (!result)
        return failed(d, reterr);
    each_row(result, seen, context);
    /* The end of the rows and a connection lost among them look alike until here. */
    enum err_code code = mysql_errno(d->mysql) ? failed(d, reterr) : MQ_OK;
    mysql_free_result(result);
    return code;
}

uint64_t database_insert_id(struct database *d)
{
    return mysql_insert_id(d->mysql);
}

bool database_table_missing(struct database *d)
{
    return mysql_errno(d->mysql) == ERROR_NO_SUCH_TABLE;
}

void database_quote(struct database *d, struct slice value, struct buf *out)
{
    buf_append_byte(out, '\'');
    char *to = (char *)buf_reserve(out, value.len * 2 + 1);
    buf_commit(out, mysql_real_escape_string(d->mysql, to, value.data, (unsigned long)value.len));
    buf_append_byte(out, '\'');
}

void database_quote_bytes(struct slice value, struct buf *out)
{
    buf_append_cstr(out, "X'");
    for (size_t i = 0; i < value.len; i++)
        buf_printf(out, "%02X", (unsigned)(uint8_t)value.data[i]);
    buf_append_byte(out, '\'');
}

void database_quote_name(const char *name, struct buf *out)
{
    buf_append_byte(out, '`');
    for (; *name; name++) {
        if (*name == '`')
            buf_append_byte(out, '`');
        buf_append_byte(out, (uint8_t)*name);
    }
    buf_append_byte(out, '`');
}

void database_thread_init(void)
{
    mysql_thread_init();
}

void database_thread_fini(void)
{
    mysql_thread_end();
}
