/* Runs the cases of a job with libmysqlclient or libmariadb, whichever it is linked with, and
 * prints one line of JSON per case; see ../../cases.yaml. */
#include <inttypes.h>
#include <jansson.h>
#include <mysql.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

enum { COLUMNS_MAX = 64 };

/* ---- results ---- */

static json_t *error_result(unsigned errnum, const char *state, const char *message)
{
    return json_pack("{s:{s:i, s:s, s:s}}", "error", "errno", (int)errnum, "sqlstate", state,
                     "message", message);
}

static json_t *failed(MYSQL *m)
{
    return error_result(mysql_errno(m), mysql_sqlstate(m), mysql_error(m));
}

static json_t *stmt_failed(MYSQL_STMT *stmt)
{
    return error_result(mysql_stmt_errno(stmt), mysql_stmt_sqlstate(stmt), mysql_stmt_error(stmt));
}

static json_t *ok_or_failed(MYSQL *m, bool ok)
{
    return ok ? json_pack("{s:b}", "ok", 1) : failed(m);
}

static json_t *change(uint64_t affected, uint64_t id, unsigned warnings)
{
    return json_pack("{s:I, s:I, s:i}", "affected", (json_int_t)affected, "id", (json_int_t)id,
                     "warnings", (int)warnings);
}

/* What tells of keys is left out: the shards' keys begin with the tenant. So are the flags and the
 * character set of what is no table's column: where DATABASE() stood, mqgate tells a literal's. */
static void describe(const MYSQL_FIELD *f, char *text, size_t size)
{
    const unsigned keys = PRI_KEY_FLAG | UNIQUE_KEY_FLAG | MULTIPLE_KEY_FLAG | PART_KEY_FLAG;
    if (!f->table[0])
        snprintf(text, size, "%s %d %u", f->name, f->type, f->decimals);
    else
        snprintf(text, size, "%s.%s.%s %d %u %u %u", f->db, f->table, f->name, f->type,
                 f->flags & ~keys, f->decimals, f->charsetnr);
}

static json_t *columns_of(MYSQL_RES *res)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < mysql_num_fields(res); i++) {
        char text[512];
        describe(mysql_fetch_field_direct(res, i), text, sizeof text);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

/* ---- text ---- */

static json_t *text_rows(MYSQL *m, MYSQL_RES *res)
{
    json_t *rows = json_array();
    MYSQL_ROW row;
    while ((row = mysql_fetch_row(res)) != NULL) {
        unsigned long *lengths = mysql_fetch_lengths(res);
        json_t *cells = json_array();
        for (unsigned i = 0; i < mysql_num_fields(res); i++)
            json_array_append_new(cells, value_text(row[i], row[i] ? lengths[i] : 0));
        json_array_append_new(rows, cells);
    }
    if (mysql_errno(m)) {
        json_decref(rows);
        return failed(m);
    }
    return json_pack("{s:o, s:o}", "rows", rows, "types", columns_of(res));
}

/* Of the result that stands next. */
static json_t *current_result(MYSQL *m)
{
    MYSQL_RES *res = mysql_use_result(m);
    if (!res)
        return mysql_field_count(m)
                   ? failed(m)
                   : change(mysql_affected_rows(m), mysql_insert_id(m), mysql_warning_count(m));
    json_t *seen = text_rows(m, res);
    mysql_free_result(res);
    return seen;
}

/* The statement with the parameters in place of its question marks. */
static char *interpolated(MYSQL *m, const char *sql, json_t *params, size_t *ret_len)
{
    size_t size = strlen(sql) + 1, len = 0, i;
    json_t *param;
    json_array_foreach(params, i, param) size += value_literal_size(param);
    char *out = malloc(size);
    for (i = 0; *sql; sql++) {
        if (*sql == '?')
            len += value_literal(m, json_array_get(params, i++), out + len);
        else
            out[len++] = *sql;
    }
    *ret_len = len;
    return out;
}

static json_t *run_query(MYSQL *m, const char *sql, json_t *params)
{
    size_t len;
    char *text = interpolated(m, sql, params, &len);
    int status = mysql_real_query(m, text, len);
    free(text);
    return status ? failed(m) : current_result(m);
}

static json_t *run_multi(MYSQL *m, const char *sql)
{
    json_t *results = json_array();
    int status = mysql_real_query(m, sql, strlen(sql));
    while (status == 0) {
        json_array_append_new(results, current_result(m));
        status = mysql_next_result(m);
    }
    if (status > 0)
        json_array_append_new(results, failed(m));
    return results;
}

/* ---- prepared ---- */

/* Values come in pieces, so that their length need not be known before. */
static json_t *stmt_cell(MYSQL_STMT *stmt, MYSQL_BIND *bind, unsigned column)
{
    if (*bind->is_null)
        return json_null();
    unsigned long len = *bind->length;
    char *bytes = malloc(len + 1);
    MYSQL_BIND whole = { .buffer_type = MYSQL_TYPE_STRING,
                         .buffer = bytes,
                         .buffer_length = len + 1 };
    unsigned long again;
    whole.length = &again;
    mysql_stmt_fetch_column(stmt, &whole, column, 0);
    json_t *text = value_text(bytes, again);
    free(bytes);
    return text;
}

static json_t *stmt_rows(MYSQL_STMT *stmt, MYSQL_RES *meta)
{
    static MYSQL_BIND binds[COLUMNS_MAX];
    static unsigned long lengths[COLUMNS_MAX];
    static flag_t nulls[COLUMNS_MAX];
    unsigned count = mysql_num_fields(meta);
    memset(binds, 0, sizeof binds);
    for (unsigned i = 0; i < count; i++) {
        binds[i].buffer_type = MYSQL_TYPE_STRING;
        binds[i].length = &lengths[i];
        binds[i].is_null = &nulls[i];
    }
    if (mysql_stmt_bind_result(stmt, binds))
        return stmt_failed(stmt);
    json_t *rows = json_array();
    int status;
    while ((status = mysql_stmt_fetch(stmt)) == 0 || status == MYSQL_DATA_TRUNCATED) {
        json_t *cells = json_array();
        for (unsigned i = 0; i < count; i++)
            json_array_append_new(cells, stmt_cell(stmt, &binds[i], i));
        json_array_append_new(rows, cells);
    }
    if (status == 1) {
        json_decref(rows);
        return stmt_failed(stmt);
    }
    return json_pack("{s:o, s:o}", "rows", rows, "types", columns_of(meta));
}

static json_t *stmt_result(MYSQL *m, MYSQL_STMT *stmt)
{
    MYSQL_RES *meta = mysql_stmt_result_metadata(stmt);
    if (!meta)
        return change(mysql_stmt_affected_rows(stmt), mysql_stmt_insert_id(stmt),
                      mysql_warning_count(m));
    json_t *seen = stmt_rows(stmt, meta);
    mysql_free_result(meta);
    mysql_stmt_free_result(stmt);
    return seen;
}

/* Blobs go as long data, in pieces. */
static bool send_long_data(MYSQL_STMT *stmt, struct value *values, unsigned count)
{
    enum { PIECE = 1 << 20 };
    for (unsigned i = 0; i < count; i++)
        for (size_t at = 0; values[i].is_long && at < values[i].len; at += PIECE) {
            size_t left = values[i].len - at;
            if (mysql_stmt_send_long_data(stmt, i, values[i].bytes + at,
                                          left < PIECE ? left : PIECE))
                return false;
        }
    return true;
}

static json_t *execute(MYSQL *m, MYSQL_STMT *stmt, json_t *params)
{
    unsigned count = (unsigned)json_array_size(params);
    struct value values[COLUMNS_MAX] = { 0 };
    MYSQL_BIND binds[COLUMNS_MAX];
    memset(binds, 0, sizeof binds);
    for (unsigned i = 0; i < count; i++)
        value_bind(json_array_get(params, i), &values[i], &binds[i]);
    bool done = !(count && mysql_stmt_bind_param(stmt, binds)) &&
                send_long_data(stmt, values, count) && !mysql_stmt_execute(stmt);
    for (unsigned i = 0; i < count; i++)
        free(values[i].bytes);
    return done ? stmt_result(m, stmt) : stmt_failed(stmt);
}

static json_t *run_prepared(MYSQL *m, const char *sql, json_t *sets, bool cursor)
{
    json_t *results = json_array(), *params;
    MYSQL_STMT *stmt = mysql_stmt_init(m);
    unsigned long type = CURSOR_TYPE_READ_ONLY, rows = 2;
    size_t i;
    if (cursor) {
        mysql_stmt_attr_set(stmt, STMT_ATTR_CURSOR_TYPE, &type);
        mysql_stmt_attr_set(stmt, STMT_ATTR_PREFETCH_ROWS, &rows);
    }
    if (mysql_stmt_prepare(stmt, sql, strlen(sql)))
        json_array_append_new(results, stmt_failed(stmt));
    else
        json_array_foreach(sets, i, params)
            json_array_append_new(results, execute(m, stmt, params));
    mysql_stmt_close(stmt);
    return results;
}

/* ---- steps ---- */

static const char *string_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_t *call(MYSQL *m, json_t *target, const char *name)
{
    if (strcmp(name, "begin") == 0)
        return ok_or_failed(m, mysql_query(m, "START TRANSACTION") == 0);
    if (strcmp(name, "commit") == 0)
        return ok_or_failed(m, !mysql_commit(m));
    if (strcmp(name, "rollback") == 0)
        return ok_or_failed(m, !mysql_rollback(m));
    if (strcmp(name, "ping") == 0)
        return ok_or_failed(m, mysql_ping(m) == 0);
    if (strcmp(name, "reset") == 0)
        return ok_or_failed(m, mysql_reset_connection(m) == 0);
    if (strcmp(name, "change_user") == 0)
        return ok_or_failed(m, !mysql_change_user(m, string_of(target, "user"),
                                                  string_of(target, "password"),
                                                  string_of(target, "database")));
    return json_pack("{s:b}", "unsupported", 1);
}

static json_t *run_step(MYSQL *m, json_t *target, json_t *step)
{
    const char *op = string_of(step, "op"), *sql = string_of(step, "sql");
    json_t *sets = json_object_get(step, "params"), *params, *results;
    size_t i;
    if (strcmp(op, "multi") == 0)
        return run_multi(m, sql);
    if (strcmp(op, "prepared") == 0 || strcmp(op, "cursor") == 0)
        return run_prepared(m, sql, sets, strcmp(op, "cursor") == 0);
    results = json_array();
    if (strcmp(op, "call") == 0)
        json_array_append_new(results, call(m, target, string_of(step, "name")));
    else if (!sets)
        json_array_append_new(results, run_query(m, sql, NULL));
    else
        json_array_foreach(sets, i, params)
            json_array_append_new(results, run_query(m, sql, params));
    return results;
}

static bool connect_to(MYSQL *m, json_t *target)
{
    json_t *tls = json_object_get(target, "tls");
    unsigned long packet = 64ul << 20;
    mysql_options(m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(m, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
    if (json_is_true(json_object_get(target, "compress")))
        mysql_options(m, MYSQL_OPT_COMPRESS, NULL);
    set_tls(m, json_is_object(tls) ? string_of(tls, "ca") : NULL);
    return mysql_real_connect(m, string_of(target, "socket") ? NULL : string_of(target, "host"),
                              string_of(target, "user"), string_of(target, "password"),
                              string_of(target, "database"),
                              (unsigned)json_integer_value(json_object_get(target, "port")),
                              string_of(target, "socket"), CLIENT_MULTI_STATEMENTS) != NULL;
}

static json_t *run_case(json_t *target, json_t *steps)
{
    json_t *results = json_array(), *step;
    MYSQL *m = mysql_init(NULL);
    size_t i;
    if (connect_to(m, target))
        json_array_foreach(steps, i, step)
            json_array_append_new(results, run_step(m, target, step));
    else
        json_array_append_new(results, json_pack("[o]", failed(m)));
    mysql_close(m);
    return results;
}

static void print_line(json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    puts(text);
    fflush(stdout);
    free(text);
    json_decref(line);
}

int main(int argc, char **argv)
{
    json_error_t why;
    json_t *job = argc == 2 ? json_load_file(argv[1], 0, &why) : NULL, *one;
    size_t i;
    if (!job) {
        fprintf(stderr, "no job: %s\n", argc == 2 ? why.text : "usage: client JOB");
        return 1;
    }
    print_line(json_pack("{s:s}", "version", mysql_get_client_info()));
    json_array_foreach(json_object_get(job, "cases"), i, one)
    {
        json_t *target = json_object_get(json_object_get(job, "targets"), string_of(one, "target"));
        print_line(json_pack("{s:s, s:o}", "case", string_of(one, "name"), "steps",
                             run_case(target, json_object_get(one, "steps"))));
    }
    json_decref(job);
    return 0;
}
