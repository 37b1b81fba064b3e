/* Files for lint: opened, recognised by their first bytes and fed to a reader line by line.
 * Lines of any length pass in pieces, so that memory does not grow with the file. */
#define _XOPEN_SOURCE 700
#include "cli/lint.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

enum { CHUNK = 256 * 1024 };

/* ---- one file ---- */

struct input {
    FILE *file;
    char *data; /* CHUNK bytes */
    size_t len;
    bool ended;
    bool in_line; /* a piece of the line was fed */
};

static void feed_line(struct capture *c, struct input *in, const char *from, const char *to,
                      bool ends)
{
    capture_feed(c, slice_of(from, (size_t)(to - from)), !in->in_line, ends);
    in->in_line = !ends;
}

/* Whole lines; what is left of the last one stays, unless it fills the buffer by itself. */
static void feed(struct capture *c, struct input *in)
{
    const char *at = in->data, *end = in->data + in->len, *newline;
    while (at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
        feed_line(c, in, at, newline, true);
        at = newline + 1;
    }
    if (at == in->data && in->len == CHUNK) {
        feed_line(c, in, at, end, false);
        at = end;
    }
    in->len = (size_t)(end - at);
    memmove(in->data, at, in->len);
}

/* Fills the buffer; a pipe gives little at a time. */
static void fill(struct input *in)
{
    size_t got = 1;
    while (got && in->len < CHUNK) {
        got = fread(in->data + in->len, 1, CHUNK - in->len, in->file);
        in->len += got;
    }
    in->ended = !got;
}

static void read_all(struct capture *c, struct input *in)
{
    for (; !in->ended; fill(in))
        feed(c, in);
    feed(c, in);
    if (in->len || in->in_line)
        feed_line(c, in, in->data, in->data + in->len, true);
    capture_finish(c);
}

static enum capture_format choose_format(const struct lint *lint, const struct input *in)
{
    if (lint->options->format)
        return capture_format_find(lint->options->format);
    return capture_recognise(slice_of(in->data, in->len));
}

static void read_stream(struct lint *lint, struct input *in, const char *name)
{
    struct capture_options o = {
        .statement_max = lint->planning.topology->config->limits.max_statement_size,
        .row_width = lint_row_width,
        .sink = lint_take,
        .context = lint,
    };
    fill(in);
    o.format = choose_format(lint, in);
    lint->file = lint_report_file(&lint->report, name, o.format);
    lint->digests = o.format >= CAPTURE_TSV;
    lint->capture = capture_create(&o);
    lint_sessions_clear(lint->sessions);
    read_all(lint->capture, in);
    capture_destroy(lint->capture);
    lint->capture = NULL;
}

static enum err_code read_file(struct lint *lint, const char *path, struct err *reterr)
{
    bool standard = strcmp(path, "-") == 0;
    struct input in = { .file = standard ? stdin : fopen(path, "rb") };
    if (!in.file)
        return err_set(reterr, MQ_USAGE, "%s: %s", path, strerror(errno));
    in.data = mem_alloc(CHUNK);
    read_stream(lint, &in, standard ? "(standard input)" : path);
    bool failed = ferror(in.file);
    mem_free(in.data);
    if (!standard)
        fclose(in.file);
    return failed ? err_set(reterr, MQ_USAGE, "%s cannot be read to its end", path) : MQ_OK;
}

/* ---- folders ---- */

static int is_candidate(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_sql(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, ".sql") == 0;
}

static enum err_code read_path(struct lint *lint, const char *path, bool named, struct err *reterr);

/* In the order of the names, as migrations are applied. */
static enum err_code read_folder(struct lint *lint, const char *path, struct err *reterr)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_candidate, alphasort);
    enum err_code code = MQ_OK;
    if (count < 0)
        return err_set(reterr, MQ_USAGE, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct buf name;
        buf_init(&name);
        buf_printf(&name, "%s/%s", path, entries[i]->d_name);
        if (!code)
            code = read_path(lint, buf_cstr(&name), false, reterr);
        buf_fini(&name);
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* Below a folder symbolic links are not followed: they could lead back. */
static enum err_code read_path(struct lint *lint, const char *path, bool named, struct err *reterr)
{
    struct stat s;
    if (named && strcmp(path, "-") == 0)
        return read_file(lint, path, reterr);
    if ((named ? stat(path, &s) : lstat(path, &s)) != 0)
        return err_set(reterr, MQ_USAGE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(s.st_mode))
        return read_folder(lint, path, reterr);
    return named || (S_ISREG(s.st_mode) && is_sql(path)) ? read_file(lint, path, reterr) : MQ_OK;
}

enum err_code lint_read(struct lint *lint, const char *path, struct err *reterr)
{
    return read_path(lint, path, true, reterr);
}
