/* Which rule reads a statement: decided by its first word. */
#include "sql/parse_int.h"

static struct node *update(struct parser *p)
{
    return parse_update(p, NULL);
}

static struct node *delete(struct parser *p)
{
    return parse_delete(p, NULL);
}

/* OTHER: a statement that is never routed, so only its first word counts. */
struct node *parse_other(struct parser *p)
{
    struct branch b = branch_open(p, N_OTHER);
    b.node->op = token_here(p)->value;
    skip_to_end(p);
    return branch_close(p, &b);
}

struct statement_rule {
    uint16_t word;
    struct node *(*parse)(struct parser *p);
};

/* The frequent ones first. */
static const struct statement_rule statements[] = {
    { KW_SELECT, parse_query },
    { KW_INSERT, parse_insert },
    { KW_UPDATE, update },
    { KW_DELETE, delete },
    { KW_BEGIN, parse_begin },
    { KW_START, parse_start },
    { KW_COMMIT, parse_commit },
    { KW_ROLLBACK, parse_rollback },
    { KW_SET, parse_set },
    { KW_REPLACE, parse_insert },
    { KW_WITH, parse_with_statement },
    { KW_SHOW, parse_show },
    { KW_USE, parse_use },
    { KW_SAVEPOINT, parse_savepoint },
    { KW_RELEASE, parse_release },
    { KW_EXPLAIN, parse_describe },
    { KW_DESCRIBE, parse_describe },
    { KW_DESC, parse_describe },
    { KW_DO, parse_do },
    { KW_TABLE, parse_query },
    { KW_VALUES, parse_query },
    { KW_CREATE, parse_create },
    { KW_DROP, parse_drop },
    { KW_TRUNCATE, parse_truncate },
    { KW_ALTER, parse_other },
    { KW_ANALYZE, parse_analyze },
    { KW_BACKUP, parse_other },
    { KW_BINLOG, parse_other },
    { KW_CACHE, parse_other },
    { KW_CALL, parse_other },
    { KW_CHANGE, parse_other },
    { KW_CHECK, parse_other },
    { KW_CHECKSUM, parse_other },
    { KW_CLONE, parse_other },
    { KW_DEALLOCATE, parse_other },
    { KW_EXECUTE, parse_other },
    { KW_FLUSH, parse_other },
    { KW_GET, parse_other },
    { KW_GRANT, parse_other },
    { KW_HANDLER, parse_other },
    { KW_HELP, parse_other },
    { KW_IMPORT, parse_other },
    { KW_INSTALL, parse_other },
    { KW_KILL, parse_kill },
    { KW_LOAD, parse_other },
    { KW_LOCK, parse_other },
    { KW_OPTIMIZE, parse_other },
    { KW_PREPARE, parse_other },
    { KW_PURGE, parse_other },
    { KW_RENAME, parse_other },
    { KW_REPAIR, parse_other },
    { KW_RESET, parse_other },
    { KW_RESIGNAL, parse_other },
    { KW_RESTART, parse_other },
    { KW_REVOKE, parse_other },
    { KW_SHUTDOWN, parse_other },
    { KW_SIGNAL, parse_other },
    { KW_STOP, parse_other },
    { KW_UNINSTALL, parse_other },
    { KW_UNLOCK, parse_unlock },
    { KW_XA, parse_other },
};

struct node *parse_statement(struct parser *p)
{
    if (at_sign(p, OP_LPAREN))
        return parse_query(p);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (at_word(p, statements[i].word))
            return statements[i].parse(p);
    return missing(p, "a statement");
}
