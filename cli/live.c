#include "cli/live.h"

#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "config/scalar.h"

const char *live_host(const struct address *a)
{
    return a->host && strcmp(a->host, "0.0.0.0") == 0 ? "127.0.0.1" : a->host;
}

enum err_code live_failed(const struct live_target *t, MYSQL *mysql, struct err *reterr)
{
    struct buf where;
    buf_init(&where);
    address_print(t->address, &where);
    err_set(reterr, MQ_SHARD_DOWN, "%s, as %s: %s", buf_cstr(&where), t->user, mysql_error(mysql));
    buf_fini(&where);
    return MQ_SHARD_DOWN;
}

/* Connector/C uses TLS only when it is told to. */
static void set_tls(MYSQL *mysql, const struct live_target *t)
{
#ifdef LIBMARIADB
    my_bool on = 1;
    if (t->tls)
        mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
#else
    (void)mysql, (void)t;
#endif
}

static void set_options(MYSQL *mysql, unsigned timeout_s)
{
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &timeout_s);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &timeout_s);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
#ifndef LIBMARIADB
    /* Connector/C asks for the RSA key of caching_sha2_password by itself. */
    bool get_key = true;
    mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &get_key);
#endif
}

enum err_code live_connect(const struct live_target *t, MYSQL **ret, struct err *reterr)
{
    MYSQL *mysql = mysql_init(NULL);
    if (!mysql)
        mem_exhausted(sizeof *mysql);
    set_options(mysql, t->timeout_s);
    set_tls(mysql, t);
    *ret = mysql;
    if (mysql_real_connect(mysql, live_host(t->address), t->user, t->password, NULL,
                           t->address->port, t->address->socket, 0))
        return MQ_OK;
    enum err_code code = live_failed(t, mysql, reterr);
    mysql_close(mysql);
    *ret = NULL;
    return code;
}
