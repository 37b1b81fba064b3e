/* What a running sidecar remembers of refused statements: SHOW MQGATE_FINDINGS, asked as one of
 * its administrators. The password never stands on the command line. */
#define _DEFAULT_SOURCE
#include "cli/lint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/live.h"
#include "config/scalar.h"

enum { TIMEOUT_S = 5, SECRET_MAX = 1024 };

/* ---- where and as whom ---- */

struct target {
    struct config *config; /* NULL when the command line says all */
    struct address address;
    bool own_address; /* to be ended */
    const char *user;
    char password[SECRET_MAX];
};

static void target_fini(struct target *t)
{
    volatile char *secret = t->password;
    if (t->own_address)
        address_fini(&t->address);
    config_destroy(t->config);
    for (size_t i = 0; i < sizeof t->password; i++)
        secret[i] = '\0';
}

static enum err_code load_config(struct target *t, const struct lint_options *o, struct err *reterr)
{
    const struct settings *settings = &o->planning.settings;
    if (o->address && o->planning.user && !settings->config)
        return MQ_OK;
    t->config = settings_load(settings);
    return t->config
               ? MQ_OK
               : err_set(reterr, MQ_CONFIG_INVALID, "%s is not valid", settings_path(settings));
}

static enum err_code choose_address(struct target *t, const struct lint_options *o,
                                    struct err *reterr)
{
    if (!o->address) {
        t->address = t->config->listeners[0].address;
        return MQ_OK;
    }
    const char *fault = scalar_address(o->address, &t->address);
    t->own_address = !fault;
    return fault ? err_set(reterr, MQ_USAGE, "--address %s: %s", o->address, fault) : MQ_OK;
}

static const struct account_config *find_account(const struct target *t)
{
    return t->config && t->user ? config_account(t->config, slice_cstr(t->user)) : NULL;
}

/* The one named, else the first administrator of the configuration. */
static enum err_code choose_user(struct target *t, const struct lint_options *o, struct err *reterr)
{
    t->user = o->planning.user;
    for (size_t i = 0; !t->user && i < t->config->account_count; i++)
        if (t->config->accounts[i].administrator)
            t->user = t->config->accounts[i].user;
    return t->user ? MQ_OK
                   : err_set(reterr, MQ_USAGE,
                             "no account has `administrator: true`; name one with --user");
}

/* ---- the password ---- */

static bool take_secret(struct target *t, const char *secret)
{
    size_t len = strlen(secret);
    while (len && (secret[len - 1] == '\n' || secret[len - 1] == '\r'))
        len--;
    if (len >= sizeof t->password)
        return false;
    memcpy(t->password, secret, len);
    t->password[len] = '\0';
    return true;
}

static enum err_code read_secret(struct target *t, FILE *from, struct err *reterr)
{
    char line[SECRET_MAX] = "";
    bool read = fgets(line, sizeof line, from) && take_secret(t, line);
    memset(line, 0, sizeof line);
    return read ? MQ_OK : err_set(reterr, MQ_USAGE, "the password cannot be read");
}

static enum err_code read_password_file(struct target *t, const char *path, struct err *reterr)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return err_set(reterr, MQ_USAGE, "%s: %s", path, strerror(errno));
    enum err_code code = read_secret(t, f, reterr);
    fclose(f);
    return code;
}

static enum err_code ask_password(struct target *t, struct err *reterr)
{
    struct termios usual, silent;
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &usual) != 0)
        return err_set(reterr, MQ_USAGE,
                       "the password of %s: set MQ_PASSWORD, or name a --password-file", t->user);
    silent = usual;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    fprintf(stderr, "Password of %s: ", t->user);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    enum err_code code = read_secret(t, stdin, reterr);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual);
    fputc('\n', stderr);
    return code;
}

static enum err_code choose_password(struct target *t, const struct lint_options *o,
                                     struct err *reterr)
{
    const char *environment = getenv("MQ_PASSWORD");
    const struct account_config *account = find_account(t);
    if (o->password_file)
        return read_password_file(t, o->password_file, reterr);
    if (!environment && account && account->password)
        environment = account->password;
    if (!environment)
        return ask_password(t, reterr);
    return take_secret(t, environment) ? MQ_OK
                                       : err_set(reterr, MQ_USAGE, "the password is too long");
}

static enum err_code find_target(struct target *t, const struct lint_options *o, struct err *reterr)
{
    enum err_code code = load_config(t, o, reterr);
    if (!code)
        code = choose_address(t, o, reterr);
    if (!code)
        code = choose_user(t, o, reterr);
    return code ? code : choose_password(t, o, reterr);
}

/* ---- the question ---- */

static struct live_target session_of(const struct target *t)
{
    return (struct live_target){ .address = &t->address,
                                 .tls = !t->own_address && t->config &&
                                        t->config->listeners[0].tls == TLS_REQUIRED,
                                 .user = t->user,
                                 .password = t->password,
                                 .timeout_s = TIMEOUT_S };
}

/* ---- the answer, whose columns are found by their names ---- */

struct row {
    MYSQL_RES *result;
    MYSQL_ROW values;
    const unsigned long *lengths;
};

/* Empty when it is NULL, or there is no such column. */
static struct slice column(const struct row *r, const char *name)
{
    for (unsigned i = 0; i < mysql_num_fields(r->result); i++)
        if (strcmp(mysql_fetch_field_direct(r->result, i)->name, name) == 0 && r->values[i])
            return slice_of(r->values[i], r->lengths[i]);
    return slice_of("", 0);
}

static enum verdict verdict_of(struct slice name)
{
    int v = VERDICT_LOCAL;
    while (v < VERDICT_REJECT && !slice_eq(name, slice_cstr(verdict_name((enum verdict)v))))
        v++;
    return (enum verdict)v;
}

/* What the session lacked it may have later: nothing else stood against the statement. */
static enum lint_class class_of(enum err_code code)
{
    if (!code)
        return LINT_SERVED;
    return code == MQ_TENANT_MISSING ? LINT_SESSION : LINT_REFUSED;
}

static uint64_t hexadecimal(struct slice s)
{
    char digits[17] = "";
    memcpy(digits, s.data, s.len < sizeof digits ? s.len : 0);
    return strtoull(digits, NULL, 16);
}

static void take_row(struct lint *lint, const struct row *r)
{
    struct slice code = column(r, "Code"), reason = column(r, "Reason");
    struct slice statement = column(r, "Statement"), count = column(r, "Count");
    struct lint_finding f = { .verdict = verdict_of(column(r, "Verdict")),
                              .reason = mem_strndup(reason),
                              .statement = statement,
                              .first_seen = column(r, "First_seen"),
                              .last_seen = column(r, "Last_seen") };
    unsigned long long number = 0, times = 0;
    slice_to_u64(count, &times);
    f.count = times;
    if (code.len > 2)
        slice_to_u64(slice_of(code.data + 2, code.len - 2), &number);
    f.code = (enum err_code)number;
    f.class = class_of(f.code);
    f.fingerprint = hexadecimal(column(r, "Fingerprint"));
    if (!statement.len)
        f.statement = SLICE_LIT("(a text that cannot be read)");
    if (!statement.len && !code.len)
        lint->report.unseen += f.count;
    else
        lint_report_add(&lint->report, &f);
    mem_free((char *)f.reason);
}

static enum err_code read_findings(struct lint *lint, MYSQL *mysql, const struct live_target *t,
                                   struct err *reterr)
{
    static const char sql[] = "SHOW MQGATE_FINDINGS";
    MYSQL_RES *result = NULL;
    if (mysql_real_query(mysql, sql, sizeof sql - 1) == 0)
        result = mysql_store_result(mysql);
    if (!result)
        return live_failed(t, mysql, reterr);
    struct row r = { .result = result };
    while ((r.values = mysql_fetch_row(result))) {
        r.lengths = mysql_fetch_lengths(result);
        take_row(lint, &r);
    }
    mysql_free_result(result);
    return MQ_OK;
}

static enum err_code ask(struct lint *lint, const struct target *t, struct err *reterr)
{
    MYSQL *mysql;
    const struct live_target session = session_of(t);
    enum err_code code = live_connect(&session, &mysql, reterr);
    if (code)
        return code;
    code = read_findings(lint, mysql, &session, reterr);
    mysql_close(mysql);
    return code;
}

enum err_code lint_live(struct lint *lint, struct err *reterr)
{
    struct target t = { 0 };
    enum err_code code = find_target(&t, lint->options, reterr);
    if (!code)
        code = ask(lint, &t, reterr);
    target_fini(&t);
    return code;
}
