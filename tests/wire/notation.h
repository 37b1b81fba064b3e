/* Packets as text: what stands behind `sends` and `expects` in a script (tests/wire/play.c has
 * the notation's description) becomes bytes, some of which may be open. */
#ifndef MQ_TESTS_WIRE_NOTATION_H
#define MQ_TESTS_WIRE_NOTATION_H

#include "wire/auth.h"
#include "wire/codec.h"

/* What an expected byte may be. */
enum match { MATCH_EXACT, MATCH_ANY, MATCH_NONCE /* anything but 0, which is remembered */ };

struct pattern {
    struct buf bytes;
    struct buf matches; /* one enum match for each byte; empty: all are exact */
    bool open;          /* more may follow */
    unsigned times;     /* so many packets of this kind */
};

/* What packets may refer to. */
struct surroundings {
    const char *schema; /* the database that column definitions name */
    struct buf nonce;   /* that the client got last */
};

void pattern_init(struct pattern *p);
void pattern_fini(struct pattern *p);

/* Reads one payload from the front of text, up to `;` or its end, which it steps over. False:
 * not understood; *ret_why says what. */
bool notation_read(struct slice *text, struct surroundings *around, struct pattern *ret,
                   const char **ret_why);

/* Does the payload fit? Takes a nonce that passes by. *ret_at is the first byte that does not. */
bool pattern_fits(const struct pattern *p, struct slice payload, struct surroundings *around,
                  size_t *ret_at);

/* Bits of capabilities and of status flags by their names in lower case ("deprecate_eof"). */
bool notation_flag(struct slice name, unsigned long long *ret);

#endif
