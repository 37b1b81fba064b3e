#include "capture/capture_int.h"

#include "base/memory.h"

static const struct {
    const char *name, *summary;
} formats[] = {
    { NULL, NULL },
#define FORMAT_ROW(name, word, summary) { word, summary },
#include "capture/formats.def"
#undef FORMAT_ROW
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char *capture_format_name(enum capture_format format)
{
    return (unsigned)format < FORMAT_COUNT ? formats[format].name : NULL;
}

const char *capture_format_summary(enum capture_format format)
{
    return (unsigned)format < FORMAT_COUNT ? formats[format].summary : NULL;
}

enum capture_format capture_format_find(const char *name)
{
    for (int i = 1; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return (enum capture_format)i;
    return CAPTURE_UNKNOWN;
}

struct capture *capture_create(const struct capture_options *options)
{
    struct capture *c = mem_new(struct capture);
    c->options = *options;
    buf_init(&c->text);
    buf_init(&c->user);
    buf_init(&c->database);
    buf_init(&c->restored);
    buf_init(&c->slow.used);
    c->script.escapes = true;
    c->script.delimiter[0] = ';';
    c->script.delimiter_len = 1;
    return c;
}

void capture_destroy(struct capture *c)
{
    if (!c)
        return;
    buf_fini(&c->text);
    buf_fini(&c->user);
    buf_fini(&c->database);
    buf_fini(&c->restored);
    buf_fini(&c->slow.used);
    mem_free(c);
}

void capture_set_escapes(struct capture *c, bool backslash_escapes)
{
    c->script.escapes = backslash_escapes;
}

/* ---- the event under way ---- */

struct capture_event *capture_begin(struct capture *c, enum capture_kind kind)
{
    c->event = (struct capture_event){ .kind = kind, .line = c->line, .count = 1 };
    c->pending = true;
    buf_clear(&c->text);
    return &c->event;
}

void capture_append(struct capture *c, struct slice bytes)
{
    size_t room = c->options.statement_max - buf_len(&c->text);
    if (bytes.len > room) {
        bytes.len = room;
        c->event.cut = true;
    }
    buf_append_slice(&c->text, bytes);
}

void capture_keep_user(struct capture *c, struct slice user)
{
    buf_clear(&c->user);
    buf_append_slice(&c->user, user);
    c->event.has_user = true;
}

void capture_keep_database(struct capture *c, struct slice database)
{
    buf_clear(&c->database);
    buf_append_slice(&c->database, database);
    c->event.has_database = true;
}

/* MySQL's logs hide the text that PREPARE … FROM prepares. */
static void unhide(struct capture *c)
{
    struct slice text = buf_slice(&c->text), prefix = text;
    if (text.len > 9 && text_take(&prefix, "PREPARE ") &&
        memcmp(text.data + text.len - 9, " FROM ...", 9) == 0) {
        c->text.end -= 3;
        buf_append_byte(&c->text, '?');
    }
}

void capture_emit(struct capture *c)
{
    if (!c->pending)
        return;
    c->pending = false;
    unhide(c);
    c->event.text = buf_slice(&c->text);
    c->event.user = buf_slice(&c->user);
    c->event.database = buf_slice(&c->database);
    c->options.sink(c->options.context, &c->event);
}

/* ---- feeding ---- */

static void no_finish(struct capture *c)
{
    capture_emit(c);
}

/* A record that the file's end cut off. */
static void table_finish(struct capture *c)
{
    c->event.kind = CAPTURE_DAMAGED;
    buf_clear(&c->text);
    capture_emit(c);
}

static const struct {
    void (*feed)(struct capture *c, const struct piece *p);
    void (*finish)(struct capture *c);
} readers[] = {
    [CAPTURE_SCRIPT] = { script_feed, script_finish },
    [CAPTURE_GENERAL] = { general_log_feed, no_finish },
    [CAPTURE_SLOW] = { slow_log_feed, slow_log_finish },
    [CAPTURE_TSV] = { digest_tsv_feed, table_finish },
    [CAPTURE_CSV] = { digest_csv_feed, table_finish },
    [CAPTURE_JSON] = { digest_json_feed, table_finish },
};

void capture_feed(struct capture *c, struct slice piece, bool begins, bool ends)
{
    const struct piece p = { piece, begins, ends };
    c->line += begins;
    readers[c->options.format].feed(c, &p);
}

void capture_finish(struct capture *c)
{
    readers[c->options.format].finish(c);
}
