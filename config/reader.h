/* From the tree of a configuration file to a draft of struct config: what the decoders of
 * setting_types.def share. A fault never stops the reading; all are gathered. */
#ifndef MQ_CONFIG_READER_H
#define MQ_CONFIG_READER_H

#include "config/node.h"
#include "config/settings.h"

struct reader {
    struct arena arena; /* tree, paths and texts; freed after the reading */
    struct diagnostics *out;
    const struct config_overrides *overrides;
    const char *path; /* of the file */
    const struct node *root;
    struct draft draft;
};

/* One setting that stands in the tree (or its fallback). */
struct slot {
    const struct setting *setting;
    const struct node *node;
    const char *path; /* as a person writes it: "accounts.app.password" */
    void *record;     /* that the setting belongs to */
};

/* Where the value of the slot's type goes. */
static inline void *slot_field(const struct slot *s)
{
    return (char *)s->record + s->setting->offset;
}

/* Adds "path: message" with the node's line, and who set it if not the file. */
void reader_fault(struct reader *r, const struct node *n, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A relative path of the file stands beside the file. Caller frees. */
char *reader_resolve(const struct reader *r, const char *path);
/* The value of an environment variable, borrowed, or NULL. */
const char *reader_variable(const struct reader *r, const char *name);

/* Decodes every setting that stands directly in the group into record, with fallbacks, and
 * complains about unknown names. group is a pattern ("accounts.*"), path what it stands for;
 * map may be NULL or null. */
void reader_section(struct reader *r, const struct node *map, const char *group, const char *path,
                    void *record);
/* Decodes one node as the setting of that pattern. */
void reader_decode(struct reader *r, const char *pattern, const struct node *n, const char *path,
                   void *record);
/* The scalar's text, or NULL after a complaint. */
const char *reader_text(struct reader *r, const struct slot *s);
/* The index of the text among the words, or -1 after a complaint. */
int reader_choice(struct reader *r, const struct slot *s, const char *const *words, size_t count);
/* Flags and environment variables put into the tree. */
void reader_override(struct reader *r, struct node *root);
/* What needs several settings at once; the tree gives the lines. */
void reader_check(struct reader *r);

#define SETTING_TYPE_ROW(type, decoder, shown) void decoder(struct reader *r, const struct slot *s);
#include "config/setting_types.def"
#undef SETTING_TYPE_ROW

#endif
