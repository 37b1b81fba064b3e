/* Rows that the session itself keeps for COM_STMT_FETCH: those of a cursor over several tenants,
 * which no one server has. They are held up to CURSOR_STORED_MAX for all statements of the session;
 * an answer that is longer goes out at once, without a cursor, as a server may do.
 *
 *   column count, definitions │ row, row, row … │ end     the answer as it was merged
 *                                ^ at                     what was fetched lies before */
#include "base/memory.h"
#include "proxy/session_int.h"

struct stored_rows {
    struct buf packets;
    size_t at, end;
};

/* ---- packets ---- */

/* Of one payload, which may take several packets. */
static size_t whole_packet(const uint8_t *data)
{
    size_t at = 0, len;
    do {
        len = packet_length(data + at);
        at += PACKET_HEADER + len;
    } while (len == PACKET_MAX);
    return at;
}

static size_t skip_packets(const struct buf *b, size_t count)
{
    size_t at = 0;
    while (count--)
        at += whole_packet(buf_begin(b) + at);
    return at;
}

static void send_packets(struct session *s, uint8_t *data, size_t len)
{
    struct iovec part = { data, len };
    for (size_t at = 0; at < len; at += PACKET_HEADER + packet_length(data + at))
        data[at + 3] = s->seq++;
    if (len)
        session_send(s, &part, 1);
}

static void send_end(struct session *s, const struct ok_packet *ok, uint16_t status)
{
    struct ok_packet end = *ok;
    struct buf payload;
    buf_init(&payload);
    end.status |= status;
    if (s->capabilities & CAP_DEPRECATE_EOF)
        ok_write(&payload, &end, 0xfe, s->capabilities);
    else
        eof_write(&payload, end.warnings, end.status);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
}

/* ---- EXECUTE ---- */

bool session_may_store(const struct session *s, size_t bytes)
{
    return s->stored_bytes + bytes <= CURSOR_STORED_MAX;
}

void session_open_stored(struct session *s, struct buf *answer, size_t columns,
                         const struct ok_packet *end)
{
    struct stored_rows *r = mem_new(struct stored_rows);
    bool eof = !(s->capabilities & CAP_DEPRECATE_EOF);
    size_t definitions = skip_packets(answer, 1 + columns);
    r->packets = *answer;
    buf_init(answer);
    r->at = eof ? skip_packets(&r->packets, 2 + columns) : definitions;
    r->end = buf_len(&r->packets);
    for (size_t at = r->at; at < buf_len(&r->packets); at += whole_packet(buf_begin(&r->packets) + at))
        r->end = at;
    send_packets(s, buf_begin(&r->packets), definitions);
    send_end(s, end, STATUS_CURSOR_EXISTS);
    s->request.stmt->cursor.stored = r;
    s->stored_bytes += buf_len(&r->packets);
}

struct slice session_stored_row(const struct session *s, const struct buf *answer, size_t columns)
{
    bool eof = !(s->capabilities & CAP_DEPRECATE_EOF);
    size_t at = skip_packets(answer, 1 + columns + eof);
    const uint8_t *row = buf_begin(answer) + at;
    return slice_of((const char *)row + PACKET_HEADER, packet_length(row));
}

void session_close_stored(struct session *s, struct cursor *c)
{
    struct stored_rows *r = c->stored;
    c->stored = NULL;
    if (!r)
        return;
    s->stored_bytes -= buf_len(&r->packets);
    buf_fini(&r->packets);
    mem_free(r);
}

/* ---- FETCH ---- */

/* That there are no more rows shows, as with servers, when one more is asked for. */
void session_fetch_stored(struct session *s, struct cursor *c, uint32_t count)
{
    struct stored_rows *r = c->stored;
    struct ok_packet ok = { .status = session_own_status(s) };
    uint8_t *data = buf_begin(&r->packets);
    size_t from = r->at;
    for (; count && r->at < r->end; count--)
        r->at += whole_packet(data + r->at);
    send_packets(s, data + from, r->at - from);
    send_end(s, &ok, count ? STATUS_LAST_ROW_SENT : STATUS_CURSOR_EXISTS);
    if (count)
        session_close_stored(s, c);
    session_note_warnings(s, 0);
    s->row_count = -1;
    session_done(s);
}
