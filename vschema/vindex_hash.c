/* `hash`: an integer as 8 bytes big-endian, encrypted by DES with a key of zeros
 * (go/vt/vtgate/vindexes/hash.go). Not for secrecy. Own code, since a libcrypto of today may
 * lack DES; with that key every round's subkey is zero, so there is no key schedule. */
#include "vschema/vindex_int.h"

enum { ROUNDS = 16, BOXES = 8 };

static const uint8_t boxes[BOXES][64] = {
#include "vschema/des_sboxes.def"
};

/* Positions count from 1, the highest bit, as in FIPS PUB 46-3. */
static const uint8_t initial_permutation[64] = {
    58, 50, 42, 34, 26, 18, 10, 2,  60, 52, 44, 36, 28, 20, 12, 4,  62, 54, 46, 38, 30, 22,
    14, 6,  64, 56, 48, 40, 32, 24, 16, 8,  57, 49, 41, 33, 25, 17, 9,  1,  59, 51, 43, 35,
    27, 19, 11, 3,  61, 53, 45, 37, 29, 21, 13, 5,  63, 55, 47, 39, 31, 23, 15, 7,
};
static const uint8_t round_permutation[32] = {
    16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
    2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25,
};

static uint64_t permute(uint64_t block)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i++)
        out |= (block >> (64 - initial_permutation[i]) & 1) << (63 - i);
    return out;
}

static uint64_t permute_back(uint64_t block)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i++)
        out |= (block >> (63 - i) & 1) << (64 - initial_permutation[i]);
    return out;
}

/* Box i sees four bits of the half and one on either side: its row is the outer two. */
static uint32_t substitute(uint32_t half)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < BOXES; i++) {
        unsigned turn = (4 * i + 5) % 32;
        unsigned six = (half << turn | half >> (32 - turn)) & 63;
        unsigned row = (six >> 4 & 2) | (six & 1), column = six >> 1 & 15;
        out = out << 4 | boxes[i][16 * row + column];
    }
    return out;
}

static uint32_t round_function(uint32_t half)
{
    uint32_t substituted = substitute(half), out = 0;
    for (int i = 0; i < 32; i++)
        out |= (substituted >> (32 - round_permutation[i]) & 1) << (31 - i);
    return out;
}

static uint64_t encrypt(uint64_t number)
{
    uint64_t block = permute(number);
    uint32_t left = (uint32_t)(block >> 32), right = (uint32_t)block;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t next = left ^ round_function(right);
        left = right;
        right = next;
    }
    return permute_back((uint64_t)right << 32 | left);
}

/* A tenant is a text, of which Vitess reads a number without sign: "-1" has no shard, unlike the
 * -1 of an integer column. */
bool vindex_hash(struct slice value, struct keyspace_id *ret)
{
    unsigned long long number;
    if (!slice_to_u64(value, &number))
        return false;
    vindex_store_big_endian(encrypt(number), ret);
    return true;
}
