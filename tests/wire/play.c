/* Plays scripts: clients and shards of which every byte is written down, with mqgate's sessions
 * between them (in memory, tests/unit/proxy/gate.h).
 *
 *     case "rows reach a client that wants EOF packets"
 *     client connects -deprecate_eof
 *     client sends 0: COM_QUERY "SELECT id FROM queue_messages WHERE topic = 'a'"
 *     shard expects 0: COM_QUERY "SELECT id FROM queue_messages WHERE tenant = 'acme' AND (topic =
 * 'a')" shard sends 1: 01; column("id"); lstr("x"); end client expects 1: 01; column("id"); eof;
 * lstr("x"); eof
 *
 * A case is played again and again, and has to end the same way each time: as written; what one
 * side sends in a row in one write; all that a client will ever send before its first answer;
 * through pipes that hold a few bytes; byte by byte; and each line in two pieces, cut at every
 * position (of long lines, near both ends; of 1 MiB and more, not at all). All that twice: with
 * shards whose database has another name, so that packets are made anew, and "plain", when most
 * pass as they are.
 *
 * Lines of a case, `#` begins a comment:
 *
 *   case "TITLE"
 *   observe | warn               sessions of that kind, on one server; else two shards, with
 *                                tenant acme on `shard` and globex on `shard2`
 *   config YAML                  more configuration
 *   backend [+FLAG] [-FLAG] [version="V"]   what shards say of themselves
 *   by hand                      shards log nobody in and answer no SET by themselves
 *   unless WAY                   not played so: merged, ahead, narrow, bytes, split; renamed,
 *                                plain
 *   client opens                 connects; the greeting is to be expected
 *   client connects [+FLAG] [-FLAG] [user=U] [database=D]   and logs in, to mq@acme
 *   PEER sends N: PACKETS        PEER is client, client2 …, shard, shard2. Sequence numbers
 *   PEER expects N: PACKETS      begin at N
 *   PEER sends raw: BYTES        without a header
 *   PEER expects nothing | closed
 *   PEER closes
 *   time passes MILLISECONDS
 *
 * Packets are separated by `;` (`times(N)` at the end of one: N of them), and made of
 *
 *   0a00            bytes                          "text\n\x00"        a string
 *   ITEM * N        the same N times               ...                 more may follow (expects)
 *   COM_QUERY       the command's byte             any(N) nonce(N)     whatever they are; nonce
 *   u8(N) u16 u24 u32 u64 lenenc(N)                                    remembers them for proof
 *   lstr("s")       with a length                  cstr("s")           with a NUL
 *   proof("password", plugin="caching_sha2_password")
 *   ok(status=F|F, affected=N, id=N, warnings=N, info="s", state="s")  autocommit, 0s
 *   end(…)          the same with 0xFE             eof(status=F, warnings=N)
 *   err(CODE, "STATE", "message")                  without a state: the form before the login
 *   column("name", table="t", schema="s", type=N, charset=N, length=N, flags=N)
 *   computed("name", …)                            the same without a table and a name there
 *   param                                          the definition of a parameter
 *   schema                                         the database, as that peer calls it
 *
 * F and FLAG are rows of wire/status.def and wire/capabilities.def in lower case. At the end of a
 * case nobody may have anything unread. */
#include <stdarg.h>
#include <stdlib.h>

#include "tests/unit/proxy/gate.h"
#include "tests/wire/notation.h"

enum {
    MOST_STEPS = 256,
    MOST_NAMED = 8, /* clients of a case */
    CUTS_MAX = 400, /* longer lines are cut near their ends only: */
    CUTS_AT_END = 12,
    BYTE_BY_BYTE_MAX = 4096,
    HUGE = 1 << 20, /* cases with longer lines are not cut at all */
    NARROW_PIPE = 7,
};

enum mode { AS_WRITTEN, MERGED, AHEAD, NARROW, BYTES, SPLIT, MODES };
static const char *const mode_names[MODES] = { "as written", "merged", "ahead",
                                               "narrow",     "bytes",  "split" };

/* What shards call their database. */
enum naming { RENAMED, PLAIN, NAMINGS };
static const struct {
    const char *name, *database, *yaml;
} namings[NAMINGS] = { { "renamed", "shard", GATE_YAML_OF("shard") },
                       { "plain", "mq", GATE_YAML_OF("mq") } };

enum verb { OPENS, CONNECTS, SENDS, EXPECTS, CLOSES, TIME };

struct step {
    unsigned line;
    enum verb verb;
    bool shard;
    unsigned number; /* of the peer */
    struct slice rest;
};

/* One case of a file; slices are the file's. */
struct scene {
    struct slice title;
    struct buf yaml;
    bool observing, by_hand;
    bool without[MODES], without_naming[NAMINGS];
    uint64_t backend_capabilities;
    char version[64];
    struct step steps[MOST_STEPS];
    size_t step_count;
};

/* One way of playing it. */
struct run {
    const char *file;
    const struct scene *scene;
    struct topology *topology;
    enum mode mode;
    enum naming naming;
    size_t cut; /* SPLIT: where */
    bool from_end;
    struct gate gate;
    struct peer *clients[MOST_NAMED];
    bool opened[MOST_NAMED];       /* they log in by hand, and so have to listen */
    size_t sent_until[MOST_NAMED]; /* AHEAD: steps before this one are done */
    struct surroundings around;
    size_t longest; /* line that was sent */
    unsigned line;
    bool failed;
};

/* ---- saying what is wrong ---- */

__attribute__((format(printf, 2, 3))) static void fail(struct run *r, const char *format, ...)
{
    va_list args;
    if (r->failed)
        return;
    r->failed = true;
    fprintf(stderr, "%s:%u: \"%.*s\", %s, %s", r->file, r->line, (int)r->scene->title.len,
            r->scene->title.data, namings[r->naming].name, mode_names[r->mode]);
    if (r->mode == SPLIT)
        fprintf(stderr, " at %s%zu", r->from_end ? "-" : "", r->cut);
    fputs(": ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static void print_bytes(const char *what, struct slice bytes)
{
    size_t shown = bytes.len < 256 ? bytes.len : 256;
    fprintf(stderr, "  %s (%zu):", what, bytes.len);
    for (size_t i = 0; i < shown; i++)
        fprintf(stderr, " %02x", (uint8_t)bytes.data[i]);
    fputs("  '", stderr);
    for (size_t i = 0; i < shown; i++)
        fputc(bytes.data[i] >= ' ' && bytes.data[i] <= '~' ? bytes.data[i] : '.', stderr);
    fputs("'\n", stderr);
}

/* ---- peers ---- */

static struct peer *find_shard(struct gate *g, unsigned number)
{
    struct peer *closed = NULL;
    for (size_t i = g->shard_count; i-- > 0;) {
        struct peer *p = &g->shards[i];
        if (p->shard == number && !p->closed)
            return p;
        if (p->shard == number && !closed)
            closed = p;
    }
    return closed;
}

static struct peer *find_peer(struct run *r, const struct step *step)
{
    struct peer *p = step->shard ? find_shard(&r->gate, step->number) : r->clients[step->number];
    if (!p)
        fail(r, "nobody of that name is connected");
    return p;
}

/* What column definitions that the peer sends or gets name their database. */
static const char *schema_of(const struct run *r, const struct step *step)
{
    return step->shard && !r->scene->observing ? namings[r->naming].database : "mq";
}

/* ---- sending ---- */

static void send_and_run(struct run *r, struct peer *p, const uint8_t *bytes, size_t len)
{
    peer_send(p, bytes, len);
    gate_run(&r->gate);
}

static void deliver(struct run *r, struct peer *p, struct slice bytes)
{
    const uint8_t *data = (const uint8_t *)bytes.data;
    size_t len = bytes.len, first = len;
    if (len > r->longest)
        r->longest = len;
    if (r->mode == SPLIT && r->cut < len)
        first = r->from_end ? len - r->cut : r->cut;
    if (r->mode == BYTES && len <= BYTE_BY_BYTE_MAX)
        first = 1;
    for (size_t at = 0; at < len; at += first) {
        size_t n = r->mode == BYTES && first == 1 ? 1 : at ? len - at : first;
        send_and_run(r, p, data + at, n);
        if (at)
            first = n;
    }
}

/* The bytes of a `sends` line, behind what is in out. */
static void read_sent(struct run *r, const struct step *step, struct buf *out)
{
    struct slice text = step->rest;
    const char *why;
    bool raw = begins(text, "raw:");
    uint8_t seq = (uint8_t)strtoul(text.data, NULL, 10);
    const char *colon = memchr(text.data, ':', text.len);
    r->around.schema = schema_of(r, step);
    if (!colon) {
        fail(r, "`sends` needs a sequence number and a colon");
        return;
    }
    text = slice_of(colon + 1, text.len - (size_t)(colon + 1 - text.data));
    do {
        struct pattern p;
        pattern_init(&p);
        if (!notation_read(&text, &r->around, &p, &why))
            fail(r, "%s, before: %.*s", why, (int)text.len, text.data);
        else if (raw)
            buf_append_slice(out, buf_slice(&p.bytes));
        for (unsigned i = 0; !raw && i < p.times; i++)
            packet_append(out, &seq, buf_slice(&p.bytes));
        pattern_fini(&p);
    } while (text.len && !r->failed);
}

static bool same_sender(const struct step *a, const struct step *b)
{
    return b->verb == SENDS && a->shard == b->shard && a->number == b->number;
}

/* How many steps from this one on a client can make before it hears anything. */
static size_t ahead(const struct scene *c, size_t first)
{
    size_t last = first;
    for (size_t i = first; i < c->step_count; i++) {
        const struct step *step = &c->steps[i];
        bool waits = step->verb == CLOSES || step->verb == TIME;
        if (waits)
            break;
        if (same_sender(&c->steps[first], step))
            last = i;
    }
    return last + 1;
}

static void send_ahead(struct run *r, struct peer *p, size_t first)
{
    const struct scene *c = r->scene;
    struct buf bytes;
    buf_init(&bytes);
    size_t end = ahead(c, first);
    for (size_t i = first; i < end; i++)
        if (same_sender(&c->steps[first], &c->steps[i]))
            read_sent(r, &c->steps[i], &bytes);
    r->sent_until[c->steps[first].number] = end;
    deliver(r, p, buf_slice(&bytes));
    buf_fini(&bytes);
}

/* Returns the number of steps that are done. */
static size_t sends(struct run *r, size_t first)
{
    const struct scene *c = r->scene;
    const struct step *step = &c->steps[first];
    struct peer *p = find_peer(r, step);
    size_t count = 1;
    if (!p)
        return 1;
    if (r->mode == AHEAD && !step->shard && !r->opened[step->number]) {
        if (first >= r->sent_until[step->number])
            send_ahead(r, p, first);
        return 1;
    }
    struct buf bytes;
    buf_init(&bytes);
    read_sent(r, step, &bytes);
    while (r->mode == MERGED && first + count < c->step_count &&
           same_sender(step, &c->steps[first + count]))
        read_sent(r, &c->steps[first + count++], &bytes);
    deliver(r, p, buf_slice(&bytes));
    buf_fini(&bytes);
    return count;
}

/* ---- expecting ---- */

static void expect_one(struct run *r, struct peer *p, uint8_t *seq, const struct pattern *want)
{
    struct packet got;
    size_t at;
    if (!peer_packet(p, &got)) {
        fail(r, "no packet where number %u was due%s", *seq, p->closed ? "; closed" : "");
        print_bytes("want", buf_slice(&want->bytes));
        return;
    }
    bool fits = pattern_fits(want, got.payload, &r->around, &at);
    if (!fits)
        fail(r, "another packet, from byte %zu on", at);
    else if (got.first_seq != *seq || !got.sequence_ok)
        fail(r, "sequence number %u, not %u", got.first_seq, *seq);
    if (r->failed) {
        print_bytes("want", buf_slice(&want->bytes));
        print_bytes("got", got.payload);
    }
    *seq = (uint8_t)(got.last_seq + 1);
}

static void expect_packets(struct run *r, struct peer *p, const struct step *step,
                           struct slice text)
{
    uint8_t seq = (uint8_t)strtoul(text.data, NULL, 10);
    const char *colon = memchr(text.data, ':', text.len), *why;
    r->around.schema = schema_of(r, step);
    if (!colon) {
        fail(r, "`expects` needs a sequence number and a colon");
        return;
    }
    text = slice_of(colon + 1, text.len - (size_t)(colon + 1 - text.data));
    do {
        struct pattern want;
        pattern_init(&want);
        if (!notation_read(&text, &r->around, &want, &why))
            fail(r, "%s, before: %.*s", why, (int)text.len, text.data);
        for (unsigned i = 0; i < want.times && !r->failed; i++)
            expect_one(r, p, &seq, &want);
        pattern_fini(&want);
    } while (text.len && !r->failed);
}

static void expect_quiet(struct run *r, struct peer *p)
{
    if (!buf_len(&p->in))
        return;
    fail(r, "more than was expected");
    print_bytes("got", buf_slice(&p->in));
}

static void expects(struct run *r, const struct step *step)
{
    struct peer *p = find_peer(r, step);
    if (!p)
        return;
    if (slice_eq(step->rest, SLICE_LIT("nothing"))) {
        expect_quiet(r, p);
    } else if (slice_eq(step->rest, SLICE_LIT("closed"))) {
        expect_quiet(r, p);
        if (!p->closed)
            fail(r, "the connection is open");
    } else {
        expect_packets(r, p, step, step->rest);
    }
}

/* ---- connecting ---- */

struct login_words {
    uint64_t capabilities;
    char user[32], database[64];
};

static struct slice next_word(struct slice *text)
{
    *text = slice_trim(*text);
    size_t len = 0;
    while (len < text->len && text->data[len] != ' ')
        len++;
    struct slice word = slice_of(text->data, len);
    *text = slice_of(text->data + len, text->len - len);
    return word;
}

/* +FLAG and -FLAG. */
static bool take_flag(struct slice word, uint64_t *flags)
{
    unsigned long long bits;
    if (word.len < 2 || (*word.data != '+' && *word.data != '-') ||
        !notation_flag(slice_of(word.data + 1, word.len - 1), &bits))
        return false;
    *flags = *word.data == '+' ? *flags | bits : *flags & ~bits;
    return true;
}

/* NAME=VALUE, of which the value is kept; quotes around it go. */
static bool take_value(struct slice word, const char *name, char *value, size_t size)
{
    size_t len = strlen(name);
    if (word.len < len || memcmp(word.data, name, len) != 0)
        return false;
    struct slice v = slice_of(word.data + len, word.len - len);
    if (v.len >= 2 && *v.data == '"')
        v = slice_of(v.data + 1, v.len - 2);
    snprintf(value, size, "%.*s", (int)v.len, v.data);
    return true;
}

static void connects(struct run *r, const struct step *step)
{
    struct login_words w = { GATE_CLIENT, "app", "" };
    struct slice text = step->rest, word;
    snprintf(w.database, sizeof w.database, "%s", r->scene->observing ? "mq" : "mq@acme");
    while ((word = next_word(&text)).len)
        if (!take_flag(word, &w.capabilities) &&
            !take_value(word, "user=", w.user, sizeof w.user) &&
            !take_value(word, "database=", w.database, sizeof w.database))
            fail(r, "not understood: %.*s", (int)word.len, word.data);
    struct peer *p = client_connect(&r->gate);
    r->clients[step->number] = p;
    if (!client_login(&r->gate, p, w.user, w.database[0] ? w.database : NULL, w.capabilities))
        fail(r, "the login is refused");
}

/* ---- a run ---- */

static size_t play_step(struct run *r, size_t at)
{
    const struct step *step = &r->scene->steps[at];
    r->line = step->line;
    switch (step->verb) {
    case OPENS:
        r->clients[step->number] = client_connect(&r->gate);
        r->opened[step->number] = true;
        break;
    case CONNECTS:
        connects(r, step);
        break;
    case SENDS:
        return sends(r, at);
    case EXPECTS:
        expects(r, step);
        break;
    case CLOSES:
        if (find_peer(r, step))
            peer_close(find_peer(r, step));
        gate_run(&r->gate);
        break;
    case TIME:
        gate_pass_time(&r->gate, strtoul(step->rest.data, NULL, 10));
        break;
    }
    return 1;
}

static void check_the_end(struct run *r)
{
    for (size_t i = 0; i < r->gate.client_count && !r->failed; i++)
        expect_quiet(r, &r->gate.clients[i]);
    for (size_t i = 0; i < r->gate.shard_count && !r->failed; i++)
        expect_quiet(r, &r->gate.shards[i]);
}

static void play(struct run *r)
{
    const struct scene *c = r->scene;
    gate_set_up(&r->gate, topology_acquire(r->topology));
    r->gate.shard_capabilities = c->backend_capabilities;
    r->gate.shard_version = c->version;
    r->gate.by_hand = c->by_hand;
    if (r->mode == NARROW)
        r->gate.pipe = NARROW_PIPE;
    gate_start(&r->gate);
    for (size_t at = 0; at < c->step_count && !r->failed;)
        at += play_step(r, at);
    check_the_end(r);
    gate_close(&r->gate);
    buf_fini(&r->around.nonce);
}

/* One way; false when it went wrong. *ret_longest is the longest line sent. */
static bool play_as(const struct run *how, size_t *ret_longest)
{
    static struct run r;
    r = *how;
    play(&r);
    *ret_longest = r.longest;
    return !r.failed;
}

static bool play_cuts(struct run *how, size_t longest)
{
    size_t unused, last = longest <= CUTS_MAX ? longest : CUTS_AT_END;
    for (how->cut = 1; how->cut < last; how->cut++)
        if (!play_as(how, &unused))
            return false;
    how->from_end = true;
    for (how->cut = 1; longest > CUTS_MAX && how->cut <= last; how->cut++)
        if (!play_as(how, &unused))
            return false;
    return true;
}

static bool play_all(const char *file, const struct scene *c, enum naming naming,
                     struct topology *topology)
{
    struct run how = { .file = file, .scene = c, .naming = naming, .topology = topology };
    size_t longest, unused;
    if (!play_as(&how, &longest))
        return false;
    bool cut = longest <= HUGE;
    for (how.mode = MERGED; how.mode < (cut ? SPLIT : NARROW); how.mode++)
        if (!c->without[how.mode] && !play_as(&how, &unused))
            return false;
    return !cut || c->without[SPLIT] || play_cuts(&how, longest);
}

/* ---- reading a file ---- */

static void complain(const char *file, unsigned line, const char *what)
{
    fprintf(stderr, "%s:%u: %s\n", file, line, what);
    exit(2);
}

static void begin_scene(struct scene *c, struct slice title)
{
    buf_fini(&c->yaml);
    *c = (struct scene){ .title = title, .backend_capabilities = GATE_SHARD };
    snprintf(c->version, sizeof c->version, "8.0.36");
}

static bool take_exception(struct scene *c, struct slice name)
{
    for (int naming = 0; naming < NAMINGS; naming++)
        if (slice_eq(name, slice_cstr(namings[naming].name))) {
            c->without_naming[naming] = true;
            return true;
        }
    for (int mode = MERGED; mode < MODES; mode++)
        if (slice_eq(name, slice_cstr(mode_names[mode]))) {
            c->without[mode] = true;
            return true;
        }
    return false;
}

static bool take_backend(struct scene *c, struct slice words)
{
    struct slice word;
    while ((word = next_word(&words)).len)
        if (!take_flag(word, &c->backend_capabilities) &&
            !take_value(word, "version=", c->version, sizeof c->version))
            return false;
    return true;
}

/* What a case says of itself as a whole. */
static bool take_setting(struct scene *c, struct slice word, struct slice rest)
{
    if (slice_eq(word, SLICE_LIT("observe")) || slice_eq(word, SLICE_LIT("warn"))) {
        c->observing = true;
        buf_printf(&c->yaml, "enforcement: %.*s\n", (int)word.len, word.data);
        return true;
    }
    if (slice_eq(word, SLICE_LIT("config"))) {
        buf_printf(&c->yaml, "%.*s\n", (int)rest.len, rest.data);
        return true;
    }
    if (slice_eq(word, SLICE_LIT("by")))
        return c->by_hand = true;
    if (slice_eq(word, SLICE_LIT("unless")))
        return take_exception(c, rest);
    return slice_eq(word, SLICE_LIT("backend")) && take_backend(c, rest);
}

static bool take_peer(struct slice word, struct step *step)
{
    bool client = begins(word, "client");
    size_t name = client ? strlen("client") : strlen("shard");
    step->shard = !client;
    if (!client && !begins(word, "shard"))
        return false;
    if (word.len > name + 1 ||
        (word.len > name && (word.data[name] < '1' || word.data[name] > '8')))
        return false;
    step->number = word.len > name ? (unsigned)(word.data[name] - '1') : 0;
    return true;
}

static bool take_verb(struct slice word, enum verb *ret)
{
    static const char *const verbs[] = {
        [OPENS] = "opens",     [CONNECTS] = "connects", [SENDS] = "sends",
        [EXPECTS] = "expects", [CLOSES] = "closes",     [TIME] = "passes"
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (slice_eq(word, slice_cstr(verbs[i]))) {
            *ret = (enum verb)i;
            return true;
        }
    return false;
}

static void take_line(const char *file, unsigned number, struct scene *c, struct slice line)
{
    struct slice rest = line, word = next_word(&rest);
    struct step step = { .line = number };
    if (take_setting(c, word, slice_trim(rest)))
        return;
    if (!slice_eq(word, SLICE_LIT("time")) && !take_peer(word, &step))
        complain(file, number, "not understood");
    if (!take_verb(next_word(&rest), &step.verb))
        complain(file, number, "a verb that is not known");
    if (c->step_count == MOST_STEPS)
        complain(file, number, "too many steps");
    step.rest = slice_trim(rest);
    c->steps[c->step_count++] = step;
}

static bool play_named(const char *file, struct scene *c, enum naming naming)
{
    static const char observing[] = GATE_OBSERVING_YAML("observe");
    struct buf yaml;
    buf_init(&yaml);
    buf_append_cstr(&yaml, c->observing ? observing : namings[naming].yaml);
    if (c->observing) /* says which of the two by itself */
        yaml.end -= strlen("enforcement: observe\n");
    buf_append_slice(&yaml, buf_slice(&c->yaml));
    struct topology *topology = gate_topology(buf_cstr(&yaml));
    bool good = play_all(file, c, naming, topology);
    topology_release(topology);
    buf_fini(&yaml);
    return good;
}

/* Where mqgate only observes nothing is renamed. */
static bool play_scene(const char *file, struct scene *c)
{
    bool good = true;
    for (int naming = c->observing ? PLAIN : RENAMED; naming < NAMINGS && c->step_count; naming++)
        if (!c->without_naming[naming])
            good &= play_named(file, c, (enum naming)naming);
    return good;
}

static bool play_file(const char *file, struct slice text)
{
    static struct scene scene;
    unsigned number = 0;
    bool good = true;
    while (text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;
        struct slice line = slice_trim(slice_of(text.data, len));
        text = slice_of(text.data + len + (end != NULL), text.len - len - (end != NULL));
        number++;
        if (!line.len || *line.data == '#')
            continue;
        if (begins(line, "case \"")) {
            good &= play_scene(file, &scene);
            begin_scene(&scene, slice_of(line.data + 6, line.len - 7));
        } else {
            take_line(file, number, &scene, line);
        }
    }
    good &= play_scene(file, &scene);
    buf_fini(&scene.yaml);
    return good;
}

static void read_file(const char *path, struct buf *ret)
{
    FILE *f = fopen(path, "rb");
    size_t n;
    GATE_REQUIRE(f);
    do {
        n = fread(buf_reserve(ret, 65536), 1, 65536, f);
        buf_commit(ret, n);
    } while (n);
    fclose(f);
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        struct buf text;
        buf_init(&text);
        read_file(argv[i], &text);
        buf_cstr(&text);
        good &= play_file(argv[i], buf_slice(&text));
        buf_fini(&text);
    }
    return good ? 0 : 1;
}
