/* enforcement: warn. A statement that enforce would refuse ends with one warning more, which
 * the statements that ask for warnings then show behind the server's own:
 *
 *   SHOW WARNINGS [LIMIT …]                           one row more
 *   SHOW COUNT(*) WARNINGS, SELECT @@warning_count    one more
 *
 * It lasts until the next statement that is none of these. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "proxy/session_int.h"

/* ---- what is asked ---- */

static bool word(const struct lexed *l, uint32_t at, enum keyword kw)
{
    return at < l->count && token_is_keyword(&l->tokens[at], kw);
}

static bool sign(const struct lexed *l, uint32_t at, enum op op)
{
    return at < l->count && token_is_op(&l->tokens[at], op);
}

static bool number(const struct lexed *l, uint32_t at, unsigned long long *ret)
{
    return at < l->count && l->tokens[at].kind == TOKEN_INTEGER &&
           slice_to_u64(token_text(l, at), ret);
}

/* LIMIT n | LIMIT skip, n | LIMIT n OFFSET skip */
static bool read_limit(const struct lexed *l, struct question *q)
{
    if (l->count == 2)
        return true;
    if (!word(l, 2, KW_LIMIT) || !number(l, 3, &q->most))
        return false;
    if (l->count == 4)
        return true;
    bool comma = sign(l, 4, OP_COMMA);
    if (l->count != 6 || !(comma || word(l, 4, KW_OFFSET)) || !number(l, 5, &q->skip))
        return false;
    if (comma) {
        unsigned long long first = q->most;
        q->most = q->skip;
        q->skip = first;
    }
    return true;
}

static bool asks_for_count(const struct lexed *l)
{
    if (l->count == 6)
        return word(l, 0, KW_SHOW) && word(l, 1, KW_COUNT) && sign(l, 2, OP_LPAREN) &&
               sign(l, 3, OP_STAR) && sign(l, 4, OP_RPAREN) && word(l, 5, KW_WARNINGS);
    return l->count == 3 && word(l, 0, KW_SELECT) && l->tokens[1].kind == TOKEN_SYSTEM_VAR &&
           token_is_ident(l, 2, "warning_count");
}

static bool asks_for_errors(const struct lexed *l)
{
    return word(l, 0, KW_SHOW) && word(l, l->count - 1, KW_ERRORS);
}

static struct question question_of(const struct lexed *l)
{
    struct question q = { .most = UINT64_MAX };
    if (word(l, 0, KW_SHOW) && word(l, 1, KW_WARNINGS) && read_limit(l, &q))
        q.about = ASKS_LIST;
    else if (asks_for_count(l))
        q.about = ASKS_COUNT;
    else if (l->count > 1 && asks_for_errors(l))
        q.about = ASKS_OTHER;
    return q;
}

void session_warn_about(struct session *s, const struct lexed *lexed, bool binary)
{
    struct observed *o = s->observed;
    o->question = lexed ? question_of(lexed) : (struct question){ 0 };
    o->question.binary = binary;
    if (o->question.about)
        return;
    o->warning.code = MQ_OK;
    o->warns = o->why.code && s->deployment->topology->config->enforcement == WARN;
}

/* ---- what is answered ---- */

bool session_warn_changes_answer(const struct session *s)
{
    const struct observed *o = s->observed;
    return o && o->warning.code && o->question.about;
}

/* The last packet of the answer, which is no error. */
void session_warn_end(struct session *s, uint8_t *payload, size_t len)
{
    struct observed *o = s->observed;
    struct answer *a = &s->backend->answer;
    if (!o->warns || !a->ended)
        return;
    o->warns = false;
    o->warning = o->why;
    o->servers_warnings = a->ok.warnings;
    if (a->ok.warnings == UINT16_MAX)
        return;
    a->ok.warnings++;
    warnings_set(payload, len, a->ok.warnings, a->capabilities);
}

static void write_list_row(const struct observed *o, struct buf *out)
{
    const struct err_info *info = err_info(o->warning.code);
    char text[ERR_TEXT_MAX + 16], code[8];
    size_t len = err_format(&o->warning, text, sizeof text);
    if (o->question.binary)
        write_u16(out, 0); /* header, and the bitmap of NULLs */
    write_lenenc_slice(out, SLICE_LIT("Warning"));
    if (o->question.binary)
        write_u32(out, info->mysql_errno);
    else
        write_lenenc_slice(
            out, slice_of(code, (size_t)snprintf(code, sizeof code, "%u", info->mysql_errno)));
    write_lenenc_slice(out, slice_of(text, len));
}

bool session_warn_row(struct session *s, struct buf *out)
{
    const struct observed *o = s->observed;
    const struct question *q = &o->question;
    if (!session_warn_changes_answer(s) || q->about != ASKS_LIST || q->skip > o->servers_warnings ||
        q->rows >= q->most)
        return false;
    size_t mark = packet_open(out);
    write_list_row(o, out);
    packet_close(out, mark, &s->seq);
    return true;
}

/* A count in a text row, or in a binary one. */
static bool read_count(const struct question *q, struct slice row, uint64_t *ret)
{
    struct reader r = reader_of(row.data, row.len);
    unsigned long long count;
    if (q->binary) {
        (void)read_u16(&r);
        *ret = read_u64(&r);
        return !r.bad && reader_left(&r) == 0;
    }
    if (!slice_to_u64(read_lenenc_slice(&r), &count) || r.bad)
        return false;
    *ret = count;
    return true;
}

static void write_count(const struct question *q, uint64_t count, struct buf *out)
{
    char text[24];
    if (q->binary) {
        write_u16(out, 0);
        write_u64(out, count);
        return;
    }
    int len = snprintf(text, sizeof text, "%" PRIu64, count);
    write_lenenc_slice(out, slice_of(text, (size_t)len));
}

bool session_warn_count(struct session *s, struct slice row, struct buf *out)
{
    struct question *q = &s->observed->question;
    uint64_t count;
    q->rows++;
    if (q->about != ASKS_COUNT || !read_count(q, row, &count))
        return false;
    size_t mark = packet_open(out);
    write_count(q, count + 1, out);
    packet_close(out, mark, &s->seq);
    return true;
}
