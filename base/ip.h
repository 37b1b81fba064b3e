/* Internet addresses and networks, as text and as bytes. */
#ifndef MQ_BASE_IP_H
#define MQ_BASE_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { IP_TEXT_MAX = 46 }; /* with its NUL */

struct ip {
    uint8_t size; /* of bytes: 4, 16, or 0: none */
    uint8_t bytes[16];
};

/* An IPv4 address that stands in an IPv6 one (::ffff:a.b.c.d) becomes itself. */
struct ip ip_of_bytes(const void *bytes, uint8_t size);
bool ip_parse(struct slice text, struct ip *ret);
/* "-" for none. */
const char *ip_print(const struct ip *ip, char text[IP_TEXT_MAX]);

struct network {
    struct ip address; /* no bit is set behind the prefix */
    uint8_t prefix;
};

/* "10.0.0.0/8", "fd00::/8", or one address. NULL, or what is wrong. */
const char *network_parse(struct slice text, struct network *ret);
bool network_has(const struct network *n, const struct ip *ip);
/* Any of the networks does. */
bool networks_have(const struct network *networks, size_t count, const struct ip *ip);

#endif
