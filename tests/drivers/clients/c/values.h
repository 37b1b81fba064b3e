/* Parameters of the specification as values of the C interface, and values of answers as texts. */
#ifndef VALUES_H
#define VALUES_H

#include <jansson.h>
#include <mysql.h>
#include <stdbool.h>

#ifdef MARIADB_BASE_VERSION
typedef my_bool flag_t;
#else
typedef bool flag_t;
#endif

struct value {
    char *bytes; /* freed by the caller */
    size_t len;
    unsigned long length;
    long long integer;
    double real;
    MYSQL_TIME time;
    bool is_long; /* to be sent as long data */
};

void value_bind(json_t *param, struct value *v, MYSQL_BIND *bind);

/* The size that value_literal() needs at most. */
size_t value_literal_size(json_t *param);
size_t value_literal(MYSQL *m, json_t *param, char *out);

/* A cell as text; a long one by length and checksum. */
json_t *value_text(const char *bytes, size_t len);

/* ca NULL: without TLS. */
void set_tls(MYSQL *m, const char *ca);

#endif
