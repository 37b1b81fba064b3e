/* The table of sql/chars.h: sixteen rows of sixteen bytes. */
#include "sql/chars.h"

/* clang-format off */
enum {
    NO = CHAR_BAD, SP = CHAR_SPACE, QU = CHAR_QUOTE, DQ = CHAR_DOUBLE_QUOTE, BT = CHAR_BACKTICK,
    AT = CHAR_AT, DT = CHAR_DOT, CM = CHAR_COMPARE, TW = CHAR_TWICE, CO = CHAR_COLON,
    MI = CHAR_MINUS, SL = CHAR_SLASH, ST = CHAR_STAR, HA = CHAR_HASH, QM = CHAR_QUESTION,
    OP = CHAR_SINGLE, SE = CHAR_SEPARATOR,
    D_ = CHAR_DIGIT | CHAR_IS_WORD | CHAR_IS_HEX,
    W_ = CHAR_WORD | CHAR_IS_WORD,
    H_ = CHAR_WORD | CHAR_IS_WORD | CHAR_IS_HEX,
    N_ = CHAR_N | CHAR_IS_WORD,
    X_ = CHAR_X | CHAR_IS_WORD,
    B_ = CHAR_B | CHAR_IS_WORD | CHAR_IS_HEX,
};

const uint8_t char_table[256] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, SP, SP, SP, SP, SP, NO, NO, /* 00 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 10 */
    SP, CM, DQ, HA, W_, OP, TW, QU, SE, SE, ST, OP, SE, MI, DT, SL, /* 20 */
    D_, D_, D_, D_, D_, D_, D_, D_, D_, D_, CO, OP, CM, CM, CM, QM, /* 30 */
    AT, H_, B_, H_, H_, H_, H_, W_, W_, W_, W_, W_, W_, W_, N_, W_, /* 40 */
    W_, W_, W_, W_, W_, W_, W_, W_, X_, W_, W_, NO, NO, NO, OP, W_, /* 50 */
    BT, H_, B_, H_, H_, H_, H_, W_, W_, W_, W_, W_, W_, W_, N_, W_, /* 60 */
    W_, W_, W_, W_, W_, W_, W_, W_, X_, W_, W_, OP, TW, OP, OP, NO, /* 70 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* 80 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* 90 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* a0 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* b0 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* c0 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* d0 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* e0 */
    W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, W_, /* f0 */
};
/* clang-format on */
