/* Capability and status flags by the protocol's names: rows of wire/capabilities.def and
 * wire/status.def. */
#ifndef MQ_WIRE_CAPABILITY_H
#define MQ_WIRE_CAPABILITY_H

enum {
#define CAPABILITY_ROW(bit, name, manual, offered, note) CAP_##name = 1u << (bit),
#include "wire/capabilities.def"
#undef CAPABILITY_ROW
};

enum {
#define STATUS_ROW(bits, name, note) STATUS_##name = bits,
#include "wire/status.def"
#undef STATUS_ROW
};

#endif
