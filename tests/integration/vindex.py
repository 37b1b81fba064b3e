"""Where a tenant lives, worked out independently of mqgate: Vitess' `xxhash` vindex."""

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (
    11400714785074694791,
    14029467366897019727,
    1609587929392839161,
    9650029242287828579,
    2870177450012600261,
)


def _rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


def _round(accumulator, lane):
    return _rotate((accumulator + lane * P2) & MASK, 31) * P1 & MASK


def xxhash64(data):
    """XXH64 with seed 0 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    at = 0
    if len(data) >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= len(data):
            for n in range(4):
                lane = int.from_bytes(data[at + 8 * n : at + 8 * n + 8], "little")
                lanes[n] = _round(lanes[n], lane)
            at += 32
        h = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ _round(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + len(data)) & MASK
    while at + 8 <= len(data):
        h = (
            _rotate(h ^ _round(0, int.from_bytes(data[at : at + 8], "little")), 27) * P1 + P4
        ) & MASK
        at += 8
    if at + 4 <= len(data):
        h = (
            _rotate(h ^ int.from_bytes(data[at : at + 4], "little") * P1 & MASK, 23) * P2 + P3
        ) & MASK
        at += 4
    for byte in data[at:]:
        h = _rotate(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def keyspace_id(tenant):
    """8 bytes; Vitess stores the hash in little-endian order."""
    return xxhash64(tenant.encode()).to_bytes(8, "little")


def shard_index(tenant, names):
    """The index of the shard (named by key range, "-80", "80-") that owns a tenant."""
    key = keyspace_id(tenant)
    for index, name in enumerate(names):
        low, high = (bytes.fromhex(bound) for bound in name.split("-"))
        if low <= key and (not high or key < high):
            return index
    raise ValueError(f"no shard of {names} owns {tenant}")
