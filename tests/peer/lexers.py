#!/usr/bin/env python3
"""Does mqgate's lexer read every text as the servers do?

    tests/peer/lexers.py --seed 1 --count 20000 build/asan/tests/peer_view

Makes SELECT lists out of what lexers stumble over (quotes, backslashes, comments of all kinds,
introducers, numbers, stray bytes) and asks a real server and mqgate for each, under every sql_mode
and character set that mqgate accepts. Where both read it, they must see the same number of
items, the same strings in them, the same names. What only the server reads is counted, by mqgate's
reason; that mqgate reads what the server calls a syntax error is a fault as well.
Exit status: 0 when they agree, 1 when not, 77 when there is no server.
"""

import argparse
import itertools
import random
import sys
from collections import Counter

from peers import ALL_MODES, Stream, View, connect, server

BATCH = 250  # statements that are under way at once
CHARSETS = ("utf8mb4", "utf8mb4", "utf8mb4", "utf8mb3", "latin1", "ascii", "binary", "latin2",
            "cp1251", "greek", "koi8r", "ujis", "eucjpms", "gb2312", "tis620", "cp850")

# --- what statements are made of ---------------------------------------------------------------

COLUMNS = (b"a", b"b", b"n", b"x", b"e", b"m", b"_x", b"$a", b"a1")
NUMBERS = (b"1", b"0", b"12", b"1.5", b".5", b"1.", b"1e3", b"1E-1", b"1e", b"1.5e", b"1e+",
           b"5a", b"0x4d", b"0xABC", b"0X4d", b"0x", b"0xg", b"0b01", b"0b2", b"0B1",
           b"18446744073709551616", b"1..2", b"1.a", b"0x4dg", b"1e1.5")
LITERALS = (b"'a'", b"''", b'"b"', b'""', b"N'a'", b"n'b'", b"N 'a'", b"X'4d'", b"x'4D4e'",
            b"X'4'", b"X''", b"x'4d", b"B'01'", b"b'1'", b"b'2'", b"X '4d'", b"`a`", b"`a``b`",
            b"``", b"NULL", b"TRUE", b"\\N", b"DATE'2024-01-31'", b"{d '2024-01-31'}")
INTRODUCERS = (b"_utf8mb4", b"_utf8", b"_latin1", b"_binary", b"_ascii", b"_UTF8MB3", b"_ucs2",
               b"_gbk", b"_sjis", b"_nosuch", b"_utf8mb4 ", b"_latin1/**/", b"_filename")
COMMENTS = (b"/**/", b"/* ' */", b"/* */ */", b"/*", b"*/", b"/*!", b"/*! ", b"/*!0", b"/*!32302",
            b"/*!40101 ", b"/*!50000 1*/", b"/*!80000 ", b"/*!99999 ", b"/*!999999 ", b"/*!090700 ",
            b"/*!101100 ", b"/*M!", b"/*M! ", b"/*M!100000 ", b"/*M!999999 ", b"/*M!50701 ",
            b"/*+ */", b"/*/", b"/*/*/", b"/* /* */", b"/*!50000/* */", b"/*!99999 /* */ */",
            b"-- ", b"--\n", b"--\t", b"--\x01", b"--\x00", b"--", b"--5", b"--a", b"--\xa0",
            b"#", b"# '\n", b"-- '\n", b"\n")
SIGNS = (b",", b", ", b",", b" ", b" ", b"+", b"-", b"*", b"/", b"%", b"=", b"!=", b"<>", b"<=>",
         b"<", b">=", b"!", b"=!", b"<=!", b"=-", b"|", b"||", b"&", b"&&", b"^", b"~", b"<<",
         b">>", b":=", b"->", b"->>", b"(", b")", b";", b"; ", b".", b"..", b"?", b"@", b"@@",
         b"@a", b"@'a'", b"@`a`", b'@"a"', b"@a.b", b"@@version", b"{", b"}", b":", b"\\", b"$",
         b"$$", b"$a$", b" AS ", b" as `a`", b" 'a'", b" NOT ", b" AND ", b" OR ", b" IN (1)",
         b" BETWEEN 1 AND ", b" LIKE ", b"count(*)", b"count (*)", b"abs(1)", b"abs (1)",
         b" COLLATE ", b" DIV ", b" IS NULL", b"a+INTERVAL 1 DAY")
BYTES = (b"\x00", b"\x01", b"\x0b", b"\x0c", b"\x1a", b"\x7f", b"\x80", b"\x85", b"\xa0", b"\xff",
         b"\xc3\xa9", b"\xc3", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"\xed\xa0\x80",
         b"\xe5\x5c", b"\x81\x27", b"\xa1\xa1", b"\xc0\x80")
HINTS = (b"/*+ */", b"/*+ MAX_EXECUTION_TIME(1000) */", b"/*+ QB_NAME(`a`) */", b"/*+ QB_NAME(`*/`) */",
         b'/*+ QB_NAME("*/") */', b"/*+ a 'b */", b"/*+ a '*/ ' */", b"/*+ /* */", b"/*+ \x00 */",
         b"/*+ BKA(a) */ */", b"/*+ a -- */", b"/*+ SET_VAR(sql_mode='ANSI_QUOTES') */", b"/*+", b"/*+ \\' */")
INSIDE = (b"a", b"b", b" ", b",", b"'", b"''", b'"', b'""', b"`", b"``", b"\\", b"\\\\", b"\\'",
          b'\\"', b"\\n", b"\\0", b"\\Z", b"\\%", b"\\_", b"\\b", b"\\x", b"/*", b"*/", b"-- ",
          b"#", b"\n", b";", b"%", b"1", b"@", b"?", *BYTES)
OUTSIDE = (COLUMNS, COLUMNS, NUMBERS, LITERALS, LITERALS, INTRODUCERS, COMMENTS, COMMENTS, SIGNS,
           SIGNS, SIGNS, BYTES, INSIDE)


class Maker:
    """Statements out of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, pieces, most):
        return b"".join(self.random.choices(pieces, k=self.random.randint(0, most)))

    def quoted(self):
        quote = self.random.choice((b"'", b"'", b'"', b"`"))
        before = self.random.choice((b"", b"", b"", b"N", b"_utf8mb4", b"_latin1 ", b"@", b"X"))
        return before + quote + self.some(INSIDE, 5) + quote

    def piece(self):
        if self.random.random() < 0.3:
            return self.quoted()
        return self.random.choice(self.random.choice(OUTSIDE))

    def wild(self):
        pieces = [self.piece() for _ in range(self.random.choice((1, 1, 2, 3, 5)))]
        return self.random.choice((b"", b"", b" ")).join(pieces)

    def tame(self):
        """An item that most servers read, perhaps with a comment beside it."""
        kind = self.random.choice((COLUMNS, NUMBERS[:12], LITERALS, None, None, None))
        item = self.random.choice(kind) if kind else self.quoted()
        if kind is None and self.random.random() < 0.2:
            item = b"a IN (" + b",".join((item, *self.some_items())) + b")"
        if self.random.random() < 0.2:
            item += self.random.choice(COMMENTS)
        return item

    def some_items(self):
        return [self.piece() if self.random.random() < 0.2 else self.random.choice(LITERALS)
                for _ in range(self.random.randint(0, 4))]

    def statement(self):
        items = [self.tame() for _ in range(self.random.randint(1, 5))]
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            items[self.random.randrange(len(items))] = self.wild()
        hint = self.random.choice(HINTS) if self.random.random() < 0.1 else b""
        text = b"SELECT " + hint + self.random.choice((b",", b",", b", ", b" ,")).join(items)
        # Shows where the last string or comment ended.
        return text + self.random.choice((b"", b"\nFROM lexers", b",'end'\nFROM lexers", b" #'"))


# --- comparing ---------------------------------------------------------------------------------


class Item:
    """An item of the list, as mqgate reads it (see write_item in view.c)."""

    def __init__(self, text):
        self.kind, value, span, alias = text.split(":")
        self.value, self.span = bytes.fromhex(value), bytes.fromhex(span)
        self.alias = None if alias == "-" else bytes.fromhex(alias)


def differs(item, name, value, known):
    """How the server's column differs from the item; None when it does not."""
    if item.alias is not None and is_ascii(item.alias) and item.alias.strip() != name.strip():
        return f"alias {item.alias!r}, not {name!r}"
    if not known:
        return None
    if (item.kind == "N") != (value is None) and item.kind in "NSI":
        return f"{item.kind} is {value!r}"
    if item.kind == "I" and int(item.span) != int(value):
        return f"number {item.span!r}, not {value!r}"
    if item.kind == "S" and item.value != value:
        return f"string {item.value!r}, not {value!r}"
    return None


def is_ascii(text):
    return all(0x20 <= c < 0x7F for c in text)


def disagreement(answer, items):
    if answer.names is None or any(item.kind == "STAR" for item in items):
        return None
    if len(answer.names) != len(items):
        return f"{len(items)} items, not {len(answer.names)}"
    values = answer.values or [None] * len(items)
    for item, name, value in zip(items, answer.names, values):
        difference = differs(item, name, value, answer.values is not None)
        if difference:
            return difference
    return None


def is_other_letter(charset, text):
    """mqgate takes bytes from 0x80 in bare words for letters, in whatever character set. To the
    server, some are none: then it refuses the statement."""
    return charset != "utf8mb4" and any(c >= 0x80 for c in text)


class Tally:
    def __init__(self):
        self.counts, self.refused = Counter(), Counter()
        self.examples, self.faults = {}, []

    def add(self, modes, charset, text, answer, view):
        """One statement, read by both."""
        ours, fault = view.startswith(b"ok"), None
        if answer.is_early:
            self.counts["by the server in part"] += 1
        elif not ours and answer.refuses:
            self.counts["by none"] += 1
        elif not ours:
            self.counts["by the server only"] += 1
            reason = view.split(b" at ")[0].split(b" near ")[0].decode()
            self.refused[reason] += 1
            self.examples[reason] = min(self.examples.get(reason, text), text, key=len)
        elif not answer.refuses:
            self.counts["by both"] += 1
            items = [Item(t) for t in view.decode().split()[1:]]
            fault = None if answer.errno else disagreement(answer, items)
        elif is_other_letter(charset, text):
            self.counts["by mqgate only, letters of other character sets"] += 1
        else:
            fault = f"the server says {answer.message}"
        if fault:
            self.faults.append((modes, charset, text, fault))


def settings(seed):
    """(sql_mode, character set), each mode with several sets."""
    chooser = random.Random(seed)
    for mode in itertools.cycle(chooser.sample(ALL_MODES, k=len(ALL_MODES))):
        yield mode, chooser.choice(CHARSETS)


def compare(flavour, program, seed, count):
    tally, maker = Tally(), Maker(seed)
    with server(flavour) as shard, connect(shard) as connection:
        connection.query(f"USE {shard['database']}")
        connection.query("CREATE TABLE lexers (" + ", ".join(
            f"`{name.decode()}` INT DEFAULT 1" for name in COLUMNS) + ")")
        connection.query("INSERT INTO lexers VALUES ()")
        view, stream = View(program, connection.version), Stream(connection)
        for modes, charset in itertools.islice(settings(seed), (count + BATCH - 1) // BATCH):
            texts = [maker.statement() for _ in range(BATCH)]
            stream.send([f"SET NAMES {charset}, character_set_results = NULL,"
                         f" sql_mode = '{modes}'".encode(), *texts])
            assert stream.answer().errno == 0
            views = view.ask("items", [(modes, text) for text in texts])
            for text, seen in zip(texts, views):
                tally.add(modes, charset, text, stream.answer(), seen)
    return tally


def report(flavour, tally, seed):
    counts = ", ".join(f"{times} {who}" for who, times in tally.counts.most_common())
    print(f"{flavour}, seed {seed}: read {counts}; {len(tally.faults)} faults")
    for reason, times in tally.refused.most_common():
        print(f"  {times:6} only the server: {reason}, as in {tally.examples[reason]}")
    for modes, charset, text, fault in tally.faults[:40]:
        print(f"  [{modes}] {charset} {text!r}\n      {fault}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("view", help="the program peer_view")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=20000, help="statements for each server")
    parser.add_argument("--servers", default="mysql,mariadb")
    arguments = parser.parse_args()
    faults = 0
    for flavour in arguments.servers.split(","):
        tally = compare(flavour, arguments.view, arguments.seed, arguments.count)
        report(flavour, tally, arguments.seed)
        faults += len(tally.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
