/* What lies between a client and the protocol: a PROXY header, TLS, and what listeners and accounts
 * ask of them. */
#include "base/log.h"
#include "proxy/session_int.h"
#include "wire/proxy_header.h"

static const struct listener_config *listener(const struct session *s)
{
    return &s->deployment->topology->config->listeners[s->from.listener];
}

/* ---- PROXY ---- */

void session_receive(struct session *s)
{
    const struct network_list *proxies = &listener(s)->proxies;
    s->expects_proxy = networks_have(proxies->items, proxies->count, &s->from.address);
    if (!s->expects_proxy)
        session_greet(s);
}

size_t session_take_proxy_header(struct session *s, const uint8_t *data, size_t len)
{
    struct proxy_header h;
    char where[32], text[IP_TEXT_MAX];
    switch (proxy_header_parse(data, len, &h)) {
    case PROXY_INCOMPLETE:
        return 0;
    case PROXY_BAD:
        log_info(session_where(s, where), "from %s: no PROXY header", ip_print(&s->from.address, text));
        session_kill(s);
        return 0;
    case PROXY_COMPLETE:
        break;
    }
    s->expects_proxy = false;
    if (h.address.size) {
        s->from.address = h.address;
        s->from.port = h.port;
    }
    session_greet(s);
    return h.size;
}

/* ---- TLS ---- */

static enum tls_mode listener_mode(const struct session *s)
{
    return listener(s)->tls;
}

bool session_offers_tls(const struct session *s)
{
    return listener_mode(s) != TLS_DISABLED;
}

/* Twice is once too often, and what is left of the greeting must not go into TLS. */
bool session_begin_tls(struct session *s, struct slice early)
{
    if (!session_offers_tls(s) || io_is_tls(s->io) || buf_len(&s->out))
        return false;
    s->io = io_tls(s->deployment->client_tls, s->worker->base, s->io, early);
    return true;
}

bool session_is_secure(const struct session *s)
{
    return s->from.unix_socket || io_is_tls(s->io);
}

bool session_suits_listener(const struct session *s)
{
    return session_is_secure(s) || listener_mode(s) != TLS_REQUIRED;
}

static bool may_log_in_here(const struct session *s)
{
    const struct string_list *listeners = &s->account->config->listeners;
    const char *here = listener(s)->name;
    for (size_t i = 0; i < listeners->count; i++)
        if (strcmp(listeners->items[i], here) == 0)
            return true;
    return listeners->count == 0;
}

bool session_suits_account(const struct session *s)
{
    if (!may_log_in_here(s))
        return false;
    switch (s->account->config->require) {
    case TRANSPORT_ANY:
        return true;
    case TRANSPORT_TLS:
        return io_is_tls(s->io);
    case TRANSPORT_X509:
        return io_tls_has_certificate(s->io);
    case TRANSPORT_IDENTITY:
        return io_tls_is_named(s->io, slice_cstr(s->account->config->user));
    }
    return false;
}
