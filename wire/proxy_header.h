/* The PROXY protocol (HAProxy's proxy-protocol.txt), versions 1 and 2: what a balancer says of a
 * client before the client's own first byte. */
#ifndef MQ_WIRE_PROXY_HEADER_H
#define MQ_WIRE_PROXY_HEADER_H

#include "base/buf.h"
#include "base/ip.h"

enum { PROXY_HEADER_MAX = 4096 }; /* of version 2, with whatever it adds; of 1 it is 107 */

struct proxy_header {
    struct ip address; /* the client's; size 0: none is told, that of the connection counts */
    uint16_t port;
    size_t size; /* of the header */
};

enum proxy_status { PROXY_INCOMPLETE, PROXY_COMPLETE, PROXY_BAD };

/* Looks at the first bytes of a connection. PROXY_BAD as soon as they can be no header. */
enum proxy_status proxy_header_parse(const uint8_t *data, size_t len, struct proxy_header *ret);
/* Appends the header of who speaks for himself (version 2, LOCAL). */
void proxy_header_write_local(struct buf *out);

#endif
