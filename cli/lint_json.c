/* What lint found, for programs. docs/lint.md explains the keys; they stay. */
#include "cli/lint.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/memory.h"

static void set_number(json_t *object, const char *key, uint64_t n)
{
    json_object_set_new(object, key, json_integer((json_int_t)n));
}

/* NULL where there is nothing, and for bytes that are not UTF-8. */
static void set_text(json_t *object, const char *key, struct slice s)
{
    json_t *text = s.len ? json_stringn(s.data, s.len) : NULL;
    json_object_set_new(object, key, text ? text : json_null());
}

static json_t *kind_json(const struct lint_finding *f)
{
    json_t *o = json_object();
    char fingerprint[17] = "";
    if (f->fingerprint)
        snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, f->fingerprint);
    set_text(o, "class", slice_cstr(lint_class_word(f->class)));
    set_text(o, "verdict", slice_cstr(verdict_name(f->verdict)));
    json_object_set_new(o, "code", f->code ? json_integer(f->code) : json_null());
    set_text(o, "name", slice_cstr(f->code ? err_info(f->code)->name : ""));
    set_text(o, "reason", slice_cstr(f->reason));
    set_text(o, "remedy", slice_cstr(f->code ? err_info(f->code)->remedy : ""));
    set_text(o, "table", slice_cstr(lint_table_word(f->table)));
    set_number(o, "count", f->count);
    set_text(o, "fingerprint", slice_cstr(fingerprint));
    set_text(o, "statement", f->statement);
    set_text(o, "example", f->example);
    set_text(o, "file", slice_cstr(f->file ? f->file->name : ""));
    json_object_set_new(o, "line", f->file ? json_integer((json_int_t)f->line) : json_null());
    set_text(o, "first_seen", f->first_seen);
    set_text(o, "last_seen", f->last_seen);
    return o;
}

static json_t *kinds_json(const struct lint *lint)
{
    size_t count;
    struct lint_finding *kinds = lint_report_sorted(&lint->report, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, kind_json(&kinds[i]));
    mem_free(kinds);
    return list;
}

static json_t *files_json(const struct lint_report *r)
{
    json_t *list = json_array();
    for (const struct lint_file *f = r->files; f; f = f->next) {
        json_t *o = json_object();
        set_text(o, "name", slice_cstr(f->name));
        set_text(o, "format", slice_cstr(capture_format_name(f->format)));
        set_number(o, "statements", f->statements);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *summary_json(const struct lint_report *r)
{
    json_t *o = json_object();
    for (int i = 0; i < LINT_CLASSES; i++) {
        json_t *class = json_object();
        set_number(class, "kinds", r->classes[i].kinds);
        set_number(class, "statements", r->classes[i].statements);
        set_number(class, "unlisted", r->classes[i].unkept);
        json_object_set_new(o, lint_class_word((enum lint_class)i), class);
    }
    set_number(o, "elsewhere", r->elsewhere);
    set_number(o, "unseen", r->unseen);
    set_number(o, "damaged", r->damaged);
    return o;
}

void lint_print_json(const struct lint *lint)
{
    json_t *o = json_object();
    json_object_set_new(o, "files", files_json(&lint->report));
    json_object_set_new(o, "summary", summary_json(&lint->report));
    json_object_set_new(o, "kinds", kinds_json(lint));
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
}
