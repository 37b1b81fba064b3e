/* What lies between a client and the protocol: TLS, and what listeners and accounts ask of it. */
#include "proxy/session_int.h"

static enum tls_mode listener_mode(const struct session *s)
{
    return s->deployment->topology->config->listeners[s->listener].tls;
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
    return s->unix_socket || io_is_tls(s->io);
}

bool session_suits_listener(const struct session *s)
{
    return session_is_secure(s) || listener_mode(s) != TLS_REQUIRED;
}

bool session_suits_account(const struct session *s)
{
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
