#include "base/ip.h"

#include <arpa/inet.h>

static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

struct ip ip_of_bytes(const void *bytes, uint8_t size)
{
    struct ip ip = { .size = size };
    if (size == 16 && memcmp(bytes, mapped, sizeof mapped) == 0) {
        ip.size = 4;
        memcpy(ip.bytes, (const uint8_t *)bytes + sizeof mapped, 4);
    } else {
        memcpy(ip.bytes, bytes, size);
    }
    return ip;
}

bool ip_parse(struct slice text, struct ip *ret)
{
    char terminated[IP_TEXT_MAX];
    uint8_t bytes[16];
    if (text.len >= sizeof terminated || memchr(text.data, '\0', text.len))
        return false;
    memcpy(terminated, text.data, text.len);
    terminated[text.len] = '\0';
    if (inet_pton(AF_INET, terminated, bytes) == 1)
        *ret = ip_of_bytes(bytes, 4);
    else if (inet_pton(AF_INET6, terminated, bytes) == 1)
        *ret = ip_of_bytes(bytes, 16);
    else
        return false;
    return true;
}

const char *ip_print(const struct ip *ip, char text[IP_TEXT_MAX])
{
    int family = ip->size == 4 ? AF_INET : AF_INET6;
    if (ip->size == 0 || !inet_ntop(family, ip->bytes, text, IP_TEXT_MAX))
        memcpy(text, "-", 2);
    return text;
}

/* The bits of byte i that belong to the prefix. */
static uint8_t mask(uint8_t prefix, int i)
{
    int bits = prefix - 8 * i;
    return bits >= 8 ? 0xff : bits <= 0 ? 0 : (uint8_t)(0xff << (8 - bits));
}

const char *network_parse(struct slice text, struct network *ret)
{
    const char *slash = memchr(text.data, '/', text.len);
    size_t len = slash ? (size_t)(slash - text.data) : text.len;
    if (!ip_parse(slice_of(text.data, len), &ret->address))
        return "a network is expected, such as 10.0.0.0/8, fd00::/8 or one address";
    unsigned long long prefix = ret->address.size * 8u;
    if (slash && (!slice_to_u64(slice_of(slash + 1, text.len - len - 1), &prefix) ||
                  prefix > ret->address.size * 8u))
        return "the prefix is 0 to 32 bits, 128 with IPv6";
    ret->prefix = (uint8_t)prefix;
    for (int i = 0; i < ret->address.size; i++)
        if (ret->address.bytes[i] & ~mask(ret->prefix, i))
            return "bits are set behind the prefix";
    return NULL;
}

bool network_has(const struct network *n, const struct ip *ip)
{
    bool same = n->address.size == ip->size && ip->size;
    for (int i = 0; same && i < ip->size; i++)
        same = (ip->bytes[i] & mask(n->prefix, i)) == n->address.bytes[i];
    return same;
}

bool networks_have(const struct network *networks, size_t count, const struct ip *ip)
{
    for (size_t i = 0; i < count; i++)
        if (network_has(&networks[i], ip))
            return true;
    return false;
}
