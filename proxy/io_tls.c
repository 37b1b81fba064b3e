/* io over TLS over another io. OpenSSL reads from the lower io by itself; what it seals is
 * gathered, and goes down in one write however many records it makes.
 *
 *   owner ── io_write ──> SSL ──> records ──> lower
 *   owner <── io_read ─── SSL <── early, lower
 *
 * Plain bytes count as written once their records are out. Until then the caller keeps them, as
 * it does with those that a full socket did not take, and they are owed. */
#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>

#include "base/memory.h"
#include "proxy/io_int.h"
#include "proxy/tls_int.h"

enum {
    BATCH = 65536,           /* plain bytes that are sealed before they are sent */
    RECORDS_MAX = 2 * BATCH, /* a peer that makes TLS answer, and does not read, is cut off */
};

struct io_tls {
    struct io io;
    struct io *lower;
    SSL *ssl;
    struct event again; /* the lower io will not tell of what is inside */
    struct buf early;   /* read before TLS began */
    struct buf records; /* sealed and not sent */
    size_t owed;        /* plain bytes in them */
    bool ended;
    int end;           /* what the end was: 0 closed, else a negative errno */
    bool lower_ended;
    int lower_end;     /* the same, of the lower io */
    char why[160];     /* -EPROTO in words */
};

static struct io_tls *tls_of(const struct io *io)
{
    return (struct io_tls *)(uintptr_t)io;
}

/* ---- what OpenSSL reads and writes ---- */

static int take_early(struct io_tls *t, char *data, size_t size)
{
    size_t n = buf_len(&t->early) < size ? buf_len(&t->early) : size;
    memcpy(data, buf_begin(&t->early), n);
    buf_consume(&t->early, n);
    buf_release(&t->early);
    return (int)n;
}

static int bio_read(BIO *bio, char *data, int size)
{
    struct io_tls *t = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0)
        return 0;
    if (buf_len(&t->early))
        return take_early(t, data, (size_t)size);
    ssize_t n = io_read(t->lower, data, (size_t)size);
    if (n > 0)
        return (int)n;
    if (n == -EAGAIN) {
        BIO_set_retry_read(bio);
    } else {
        t->lower_ended = true;
        t->lower_end = (int)n;
    }
    return -1;
}

static int bio_write(BIO *bio, const char *data, int size)
{
    struct io_tls *t = BIO_get_data(bio);
    if (size < 0 || buf_len(&t->records) + (size_t)size > RECORDS_MAX)
        return -1;
    buf_append(&t->records, data, (size_t)size);
    return size;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void make_method(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "io");
    if (!method)
        mem_exhausted(sizeof(void *));
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_ctrl(method, bio_ctrl);
}

static BIO *new_bio(struct io_tls *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_method);
    BIO *bio = BIO_new(method);
    if (!bio)
        mem_exhausted(sizeof(void *));
    BIO_set_data(bio, t);
    BIO_set_init(bio, 1);
    return bio;
}

/* ---- ends ---- */

static void end(struct io_tls *t, int how)
{
    t->ended = true;
    t->end = how;
}

static const char *words(const struct io_tls *t)
{
    unsigned long e = ERR_peek_last_error();
    if (ERR_GET_REASON(e) == SSL_R_CERTIFICATE_VERIFY_FAILED)
        return X509_verify_cert_error_string(SSL_get_verify_result(t->ssl));
    const char *reason = ERR_reason_error_string(e);
    return reason ? reason : "protocol error";
}

/* A call gave nothing; true when it was the end. A connection that is cut without a
 * close_notify has ended like one without TLS: packets tell their length. */
static bool note_end(struct io_tls *t)
{
    int error = SSL_get_error(t->ssl, 0);
    if (error == SSL_ERROR_WANT_READ)
        return false;
    if (error == SSL_ERROR_ZERO_RETURN) {
        end(t, 0);
    } else if (t->lower_ended) {
        end(t, t->lower_end);
    } else {
        snprintf(t->why, sizeof t->why, "TLS: %s", words(t));
        end(t, -EPROTO);
    }
    ERR_clear_error();
    return true;
}

/* ---- the lower io ---- */

/* 0 when all is out, else a negative errno. */
static int send_records(struct io_tls *t)
{
    struct iovec part = { buf_begin(&t->records), buf_len(&t->records) };
    if (part.iov_len == 0)
        return 0;
    ssize_t n = io_write(t->lower, &part, 1);
    if (n < 0)
        return (int)n;
    buf_consume(&t->records, (size_t)n);
    if (buf_len(&t->records))
        return -EAGAIN;
    buf_release(&t->records);
    return 0;
}

/* While the handshake runs there is nothing to write but what it seals itself. */
static void watch_lower(struct io_tls *t, unsigned events)
{
    bool writes = (events & IO_WRITE) && SSL_is_init_finished(t->ssl);
    if (buf_len(&t->records))
        writes = true;
    io_watch(t->lower, (events & IO_READ) | (writes ? IO_WRITE : 0));
}

/* What OpenSSL has sealed goes out, whether or not it was asked to write. */
static int settle(struct io_tls *t)
{
    int sent = send_records(t);
    if (sent < 0 && sent != -EAGAIN && !t->ended)
        end(t, sent);
    watch_lower(t, t->io.watched);
    return sent;
}

static bool holds_more(const struct io_tls *t)
{
    return t->ended || buf_len(&t->early) || SSL_has_pending(t->ssl);
}

/* In the loop's next turn: an event that is made active would come before all others for as long
 * as there is more. */
static void tell_again(struct io_tls *t)
{
    static const struct timeval at_once = { 0 };
    if (holds_more(t))
        event_add(&t->again, &at_once);
}

static void on_again(evutil_socket_t fd, short what, void *context)
{
    struct io_tls *t = context;
    (void)fd, (void)what;
    if (t->io.watched & IO_READ)
        t->io.ready(t->io.owner, IO_READ);
    else if (t->ended && t->io.watched)
        t->io.ready(t->io.owner, IO_WRITE);
}

static void on_lower(void *owner, unsigned events)
{
    struct io_tls *t = owner;
    if (events & IO_READ) {
        t->io.ready(t->io.owner, IO_READ);
        return;
    }
    int sent = settle(t);
    if (t->ended)
        tell_again(t);
    else if (sent == 0 && (t->io.watched & IO_WRITE))
        t->io.ready(t->io.owner, IO_WRITE);
}

/* ---- the operations ---- */

static ssize_t tls_read(struct io *io, void *buffer, size_t size)
{
    struct io_tls *t = tls_of(io);
    size_t have = 0, n;
    if (t->ended)
        return t->end;
    ERR_clear_error();
    do {
        if (SSL_read_ex(t->ssl, (char *)buffer + have, size - have, &n) != 1) {
            note_end(t);
            break;
        }
        have += n;
    } while (have < size && holds_more(t));
    settle(t);
    if (have == size || t->ended)
        tell_again(t);
    if (have)
        return (ssize_t)have;
    return t->ended ? t->end : -EAGAIN;
}

/* The bytes behind the first `skip`, at most BATCH of them, in one piece. */
static struct slice next_batch(const struct iovec *parts, int count, size_t skip,
                               struct buf *joined)
{
    int i = 0;
    while (i < count && skip >= parts[i].iov_len)
        skip -= parts[i++].iov_len;
    if (i == count)
        return slice_of("", 0);
    struct slice first = slice_of((char *)parts[i].iov_base + skip, parts[i].iov_len - skip);
    if (first.len >= BATCH)
        return slice_of(first.data, BATCH);
    if (i + 1 == count)
        return first;
    buf_clear(joined);
    buf_append_slice(joined, first);
    while (++i < count && buf_len(joined) < BATCH) {
        size_t room = BATCH - buf_len(joined);
        buf_append(joined, parts[i].iov_base, parts[i].iov_len < room ? parts[i].iov_len : room);
    }
    return buf_slice(joined);
}

/* How many bytes became records: all or, before the handshake has ended, none. */
static size_t seal(struct io_tls *t, struct slice batch)
{
    size_t n = 0;
    ERR_clear_error();
    if (SSL_write_ex(t->ssl, batch.data, batch.len, &n) == 1)
        return n;
    if (!note_end(t) && SSL_is_init_finished(t->ssl))
        end(t, -EPROTO);
    return 0;
}

static ssize_t tls_write(struct io *io, const struct iovec *parts, int count)
{
    struct io_tls *t = tls_of(io);
    struct slice batch = { 0 };
    struct buf joined;
    size_t done = 0;
    if (t->ended)
        return t->end ? t->end : -EPIPE;
    buf_init(&joined);
    int sent = settle(t);
    if (sent == 0) {
        done = t->owed;
        t->owed = 0;
    }
    while (sent == 0) {
        batch = next_batch(parts, count, done, &joined);
        size_t n = batch.len ? seal(t, batch) : 0;
        sent = settle(t);
        if (n == 0)
            break;
        if (sent == 0)
            done += n;
        else
            t->owed = n;
    }
    buf_fini(&joined);
    if (done || (sent == 0 && batch.len == 0))
        return (ssize_t)done;
    return !t->ended ? -EAGAIN : t->end ? t->end : -EPIPE;
}

static void tls_watch(struct io *io, unsigned events)
{
    struct io_tls *t = tls_of(io);
    watch_lower(t, events);
    if ((events & IO_READ) || t->ended)
        tell_again(t);
}

/* Records without plain bytes, such as a session ticket, are nothing unexpected. */
static bool tls_peek_readable(struct io *io)
{
    struct io_tls *t = tls_of(io);
    char byte;
    size_t n;
    if (t->ended || SSL_pending(t->ssl))
        return true;
    if (!io_peek_readable(t->lower))
        return false;
    ERR_clear_error();
    return SSL_peek_ex(t->ssl, &byte, 1, &n) == 1 || note_end(t);
}

static const char *tls_error_text(const struct io *io)
{
    return *tls_of(io)->why ? tls_of(io)->why : NULL;
}

static void tls_destroy(struct io *io)
{
    struct io_tls *t = tls_of(io);
    ERR_clear_error();
    if (t->end == 0 && SSL_is_init_finished(t->ssl))
        (void)SSL_shutdown(t->ssl); /* says close_notify, and waits for nothing */
    (void)send_records(t);
    ERR_clear_error();
    event_del(&t->again);
    io_destroy(t->lower);
    SSL_free(t->ssl);
    buf_fini(&t->early);
    buf_fini(&t->records);
    mem_free(t);
}

static const struct io_ops tls_ops = {
    .read = tls_read,
    .write = tls_write,
    .watch = tls_watch,
    .peek_readable = tls_peek_readable,
    .error_text = tls_error_text,
    .destroy = tls_destroy,
};

struct io *io_tls(const struct tls_context *c, struct event_base *base, struct io *lower,
                  struct slice early)
{
    struct io_tls *t = mem_new(struct io_tls);
    BIO *bio = new_bio(t);
    t->io = (struct io){ &tls_ops, lower->ready, lower->owner, lower->watched };
    t->lower = lower;
    t->ssl = tls_context_connection(c);
    SSL_set_bio(t->ssl, bio, bio);
    buf_append_slice(&t->early, early);
    event_assign(&t->again, base, -1, 0, on_again, t);
    io_set_owner(lower, on_lower, t);
    watch_lower(t, t->io.watched);
    tell_again(t);
    return &t->io;
}

/* ---- what is known of the peer ---- */

bool io_is_tls(const struct io *io)
{
    return io->ops == &tls_ops;
}

bool io_tls_is_resumed(const struct io *io)
{
    return io_is_tls(io) && SSL_session_reused(tls_of(io)->ssl) == 1;
}

/* Verified: the handshake fails over any other. */
static X509 *certificate(const struct io *io)
{
    return io_is_tls(io) ? SSL_get0_peer_certificate(tls_of(io)->ssl) : NULL;
}

bool io_tls_has_certificate(const struct io *io)
{
    return certificate(io) != NULL;
}

bool io_tls_is_named(const struct io *io, struct slice name)
{
    X509 *shown = certificate(io);
    X509_NAME *subject = shown ? X509_get_subject_name(shown) : NULL;
    int at = subject ? X509_NAME_get_index_by_NID(subject, NID_commonName, -1) : -1;
    if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0)
        return false;
    uint8_t *text = NULL;
    int len = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    bool same = len >= 0 && slice_eq(slice_of(text, (size_t)len), name);
    OPENSSL_free(text);
    return same;
}
