/* Statements counted by kind, in bounded memory: kinds beyond the bound are only counted. */
#ifndef MQ_CLI_LINT_REPORT_H
#define MQ_CLI_LINT_REPORT_H

#include "capture/capture.h"
#include "routing/plan.h"

enum lint_class {
#define CLASS_ROW(name, word, title) LINT_##name,
#include "cli/lint_classes.def"
#undef CLASS_ROW
    LINT_CLASSES
};
const char *lint_class_word(enum lint_class class);
const char *lint_class_title(enum lint_class class);

/* What a CREATE TABLE is about. */
enum lint_table { LINT_NO_TABLE, LINT_LEGACY_TABLE, LINT_TENANT_TABLE, LINT_OTHER_TABLE };
const char *lint_table_word(enum lint_table table);

struct lint_file {
    char *name;
    enum capture_format format;
    uint64_t statements;
    struct lint_file *next;
};

/* A statement and what would become of it; everything borrowed. */
struct lint_finding {
    enum lint_class class;
    enum err_code code; /* MQ_OK of what is served */
    enum verdict verdict;
    enum lint_table table;
    uint64_t fingerprint;   /* 0: the text does not lex */
    struct slice statement; /* on one line, `?` for its literals */
    struct slice example;   /* as it was written */
    const char *reason;
    const struct lint_file *file; /* NULL: none */
    uint64_t line, count;
    struct slice first_seen, last_seen; /* by a running sidecar; empty: not told */
};

struct lint_kind; /* a finding with its own memory */

struct lint_report {
    struct lint_kind *kinds; /* a hash table */
    size_t kind_count;
    struct {
        uint64_t kinds, statements;
        uint64_t unkept; /* statements of kinds that had no room */
    } classes[LINT_CLASSES];
    uint64_t elsewhere; /* statements in other databases */
    uint64_t unseen;    /* that are counted but not named */
    uint64_t damaged;   /* records that could not be read */
    struct lint_file *files, **files_end;
};

void lint_report_init(struct lint_report *r);
void lint_report_fini(struct lint_report *r);
struct lint_file *lint_report_file(struct lint_report *r, const char *name,
                                   enum capture_format format);
void lint_report_add(struct lint_report *r, const struct lint_finding *f);

/* The kinds kept, those refused first, of each class and code the most frequent first; an array
 * for mem_free, whose items live as long as the report. */
struct lint_finding *lint_report_sorted(const struct lint_report *r, size_t *ret_count);

#endif
