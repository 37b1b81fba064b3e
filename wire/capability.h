/* Capability and status flags by the protocol's names: rows of wire/capabilities.def and
 * wire/status.def. Capabilities are 64 bits, of which the upper half is MariaDB's: it stands in the
 * filler of the greeting and of the login packet where CAP_LONG_PASSWORD is not set, which MariaDB
 * calls CLIENT_MYSQL. */
#ifndef MQ_WIRE_CAPABILITY_H
#define MQ_WIRE_CAPABILITY_H

#include <stdint.h>

enum {
#define CAPABILITY_ROW(bit, name, manual, offered, note) CAP_##name = UINT64_C(1) << (bit),
#include "wire/capabilities.def"
#undef CAPABILITY_ROW
};

enum {
#define STATUS_ROW(bits, name, note) STATUS_##name = bits,
#include "wire/status.def"
#undef STATUS_ROW
};

#endif
