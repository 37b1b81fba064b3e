/* What the definitions of the catalogue's columns mean, so that a client can be told: the text
 * "VARCHAR(255) NOT NULL" as a type, its length, a default. Pure; the words of a flavour of server
 * for it are routing/describe.h's business. */
#ifndef MQ_VSCHEMA_DEFINITION_H
#define MQ_VSCHEMA_DEFINITION_H

#include "base/arena.h"
#include "vschema/catalog.h"

enum column_kind {
    COLUMN_INTEGER,
    COLUMN_BOOLEAN, /* tinyint(1) */
    COLUMN_DECIMAL,
    COLUMN_APPROXIMATE,
    COLUMN_CHAR,
    COLUMN_BINARY,
    COLUMN_TEXT,
    COLUMN_BLOB,
    COLUMN_JSON,
    COLUMN_DATE,
    COLUMN_TIME,
    COLUMN_YEAR
};

struct column_type {
    const char *word, *name;
    enum column_kind kind;
    uint64_t size, unsigned_size;
    unsigned digits;
};

enum column_default { DEFAULT_NONE, DEFAULT_NULL, DEFAULT_NUMBER, DEFAULT_STRING, DEFAULT_NOW };

struct column_definition {
    const char *name;
    const struct column_type *type;
    bool has_first, has_second; /* what stands in parentheses behind the type */
    uint64_t first, second;
    bool is_unsigned, zerofill, nullable, auto_increment, on_update_now;
    enum column_default default_kind;
    struct slice default_text;       /* of a number or string, without quotes */
    struct slice charset, collation; /* empty: no characters */
    bool names_charset;              /* the definition tells one of them */
    unsigned charset_bytes;          /* the longest character */
    struct slice comment;
};

struct key_definition {
    const char *name; /* "PRIMARY" as well */
    bool unique, primary;
    const struct column_definition **columns;
    size_t column_count;
};

struct table_definition {
    const char *name;
    struct column_definition *columns;
    size_t column_count;
    struct key_definition *keys; /* as servers order them: primary, unique, others */
    size_t key_count;
};

/* The legacy table, or with tenant that of the shards. Everything is in the arena or the
 * catalogue's. Fails with MQ_NOT_UNDERSTOOD when a definition cannot be described. */
enum err_code define_table(const struct catalog_table *t, bool tenant, struct arena *arena,
                             const struct table_definition **ret, struct err *reterr);

/* The default character set and collation of every table of the catalogue. */
extern const char table_charset[], table_collation[];

#endif
