/* Capabilities by whom they are offered to, in wire/capabilities.def. */
#ifndef MQ_PROXY_OFFERS_H
#define MQ_PROXY_OFFERS_H

#include "wire/capability.h"

enum offer { OFFER_NOBODY, OFFER_EVERYBODY, OFFER_ENFORCED, OFFER_OBSERVED,
             OFFER_TLS_LISTENERS, OFFER_MARIADB };
#define CAPABILITY_ROW(bit, name, manual, offered, note) \
    | (OFFER_##offered == OFFER_HERE ? UINT64_C(1) << (bit) : 0)
enum {
#define OFFER_HERE OFFER_EVERYBODY
    CLIENT_CAPABILITIES = 0
#include "wire/capabilities.def"
    ,
#undef OFFER_HERE
#define OFFER_HERE OFFER_ENFORCED
    ENFORCED_CAPABILITIES = 0
#include "wire/capabilities.def"
    ,
#undef OFFER_HERE
#define OFFER_HERE OFFER_OBSERVED
    OBSERVED_CAPABILITIES = 0
#include "wire/capabilities.def"
    ,
#undef OFFER_HERE
#define OFFER_HERE OFFER_MARIADB
    MARIADB_CAPABILITIES = 0
#include "wire/capabilities.def"
#undef OFFER_HERE
};
#undef CAPABILITY_ROW

#endif
