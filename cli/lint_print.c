/* What lint found, for people: the refusals by their reason, then what needs a tenant, then
 * how many of each. */
#define _DEFAULT_SOURCE
#include "cli/lint.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"

enum { WIDTH = 120, WIDTH_MIN = 60, INDENT = 11, SHORT_LIST = 10 };

struct page {
    const struct lint *lint;
    size_t width; /* of a line, in characters */
    struct lint_finding *kinds;
    size_t count;
};

static size_t page_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return WIDTH;
    return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

/* ---- one kind ---- */

/* As many characters as there is room for; control characters would move the cursor. */
static void print_text(struct slice s, size_t room)
{
    size_t chars = 0, i = 0;
    for (; i < s.len; i++) {
        bool begins = ((uint8_t)s.data[i] & 0xc0) != 0x80;
        if (begins && ++chars > room)
            break;
        putchar((uint8_t)s.data[i] < ' ' || s.data[i] == 0x7f ? ' ' : s.data[i]);
    }
    puts(i < s.len ? "…" : "");
}

/* file:line of the first, or when it was seen. */
static void print_place(const struct lint_finding *f)
{
    printf("%*s", INDENT, "");
    if (f->file)
        printf("%s:%" PRIu64, f->file->name, f->line);
    else
        printf("%s, last %s", f->first_seen.data, f->last_seen.data);
}

static void print_kind(const struct page *p, const struct lint_finding *f, bool reasons)
{
    const char *table = lint_table_word(f->table);
    printf("%9" PRIu64 "  ", f->count);
    print_text(f->statement, p->width - INDENT - 1);
    print_place(f);
    if (table)
        printf("  %s table", table);
    if (reasons && *f->reason)
        printf("  ");
    print_text(slice_cstr(reasons ? f->reason : ""), SIZE_MAX);
}

/* ---- classes ---- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_title(const struct page *p, enum lint_class class)
{
    const struct lint_report *r = &p->lint->report;
    uint64_t kinds = r->classes[class].kinds, statements = r->classes[class].statements;
    const char *title = lint_class_title(class);
    printf("%c%s: %" PRIu64 " kind%s, %" PRIu64 " statement%s\n\n", title[0] - 'a' + 'A', title + 1,
           kinds, plural(kinds), statements, plural(statements));
}

static void print_code(enum err_code code, bool first)
{
    const struct err_info *info = err_info(code);
    if (code)
        printf("%sMQ%04d  %s\n        %s\n\n", first ? "" : "\n", (int)code, info->summary,
               info->remedy);
}

/* The kinds of a class; of all but the refusals only the most frequent, unless all are wanted. */
static void print_class(const struct page *p, enum lint_class class)
{
    const struct lint_report *r = &p->lint->report;
    bool whole = class == LINT_REFUSED || p->lint->options->all;
    enum err_code code = MQ_INTERNAL;
    size_t printed = 0, left_out = 0;
    if (!r->classes[class].kinds)
        return;
    print_title(p, class);
    for (size_t i = 0; i < p->count; i++) {
        const struct lint_finding *f = &p->kinds[i];
        if (f->class != class)
            continue;
        if (f->code != code)
            print_code(code = f->code, printed == 0);
        if (whole || printed < SHORT_LIST) {
            print_kind(p, f, class != LINT_SESSION);
            printed++;
        } else {
            left_out++;
        }
    }
    if (left_out)
        printf("           and %zu more kind%s (--all)\n", left_out, plural(left_out));
    putchar('\n');
}

/* ---- the summary ---- */

static void print_files(const struct lint_report *r)
{
    enum { FILES_MAX = 20 };
    size_t count = 0;
    for (const struct lint_file *f = r->files; f; f = f->next)
        if (++count <= FILES_MAX)
            printf("%s: %s, %" PRIu64 " statement%s\n", f->name, capture_format_summary(f->format),
                   f->statements, plural(f->statements));
    if (count > FILES_MAX)
        printf("and %zu more files\n", count - FILES_MAX);
    if (count)
        putchar('\n');
}

static void print_count(const char *what, uint64_t count, const char *note)
{
    if (count)
        printf("%-38s %8s %11" PRIu64 "%s\n", what, "", count, note);
}

static void print_summary(const struct lint *lint)
{
    const struct lint_report *r = &lint->report;
    printf("%-38s %8s %11s\n", "", "kinds", "statements");
    for (int class = LINT_CLASSES; class -- > 0;) {
        uint64_t kinds = r->classes[class].kinds;
        if (kinds || class == LINT_SERVED || class == LINT_REFUSED)
            printf("%-38s %8" PRIu64 " %11" PRIu64 "\n", lint_class_title((enum lint_class) class),
                   kinds, r->classes[class].statements);
        print_count("  of kinds that are not listed", r->classes[class].unkept, "");
    }
    print_count("in other databases, left out", r->elsewhere, "");
    print_count("of kinds that nobody kept", r->unseen,
                lint->options->live ? "  (the sidecar's table was full)"
                                    : "  (the server's digest table was full)");
    print_count("records that cannot be read", r->damaged, "");
}

void lint_print(const struct lint *lint)
{
    struct page p = { .lint = lint, .width = page_width() };
    p.kinds = lint_report_sorted(&lint->report, &p.count);
    print_files(&lint->report);
    print_class(&p, LINT_REFUSED);
    print_class(&p, LINT_UNJUDGED);
    print_class(&p, LINT_SESSION);
    if (lint->options->all)
        print_class(&p, LINT_SERVED);
    print_summary(lint);
    mem_free(p.kinds);
}
