#!/usr/bin/env python3
"""Writes keyword_hash.def: where each word of keywords.def lies in the table that
keywords.c searches. Run it after a change of keywords.def; a unit test tells when it was
forgotten. The function below is word_hash() of words.h."""
import pathlib
import re

SLOT_BITS = 12
FOLD = 0xDFDFDFDFDFDFDFDF
FACTOR = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def word_hash(word):
    h = len(word) * FACTOR & MASK
    data = word.encode()
    for at in range(0, len(data), 8):
        chunk = int.from_bytes(data[at:at + 8], "little") & FOLD
        h = (h ^ chunk) * FACTOR & MASK
        h ^= h >> 32
    return h * FACTOR & MASK


def main():
    here = pathlib.Path(__file__).parent
    words = re.findall(r"^KEYWORD_ROW\((\w+),", (here / "keywords.def").read_text(), re.M)
    slots = [None] * (1 << SLOT_BITS)
    for word in words:
        slot = word_hash(word) >> (64 - SLOT_BITS)
        while slots[slot]:
            slot = (slot + 1) % len(slots)
        slots[slot] = word
    rows = [f"KEYWORD_SLOT({slot}, {word})\n" for slot, word in enumerate(slots) if word]
    (here / "keyword_hash.def").write_text(
        "/* KEYWORD_SLOT(slot, word): made by keyword_hash.py from keywords.def. */\n" + "".join(rows))


if __name__ == "__main__":
    main()
