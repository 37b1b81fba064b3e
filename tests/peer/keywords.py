#!/usr/bin/env python3
"""Does mqgate know which words the servers reserve?

    tests/peer/keywords.py build/asan/tests/peer_view

Puts every word of sql/keywords.def where a name may stand, in 20 places. What a server reads there
mqgate must read as well, and the other way round, save the words below. Exit status: 0 when they agree, 1 when not, 77 when there is no server.
"""

import argparse
import re
import sys

from peers import ROOT, SYNTAX_ERRORS, Stream, View, connect, server

PLACES = (
    "SELECT t.a FROM (SELECT 1 a) AS %", "SELECT t.% FROM (SELECT 1 a) t", "SELECT 1 AS %",
    "SELECT 1 FROM t %", "SELECT 1 FROM %", "SELECT 1 FROM % WHERE 1", "SELECT %.* FROM t",
    "SELECT 1 FROM a JOIN % ON 1", "SELECT 1 FROM a JOIN b % ON 1",
    "SELECT 1 FROM a JOIN b USING (%)", "SELECT 1 FROM a ORDER BY %", "SELECT a FROM t GROUP BY %",
    "SELECT a %, b FROM t", "SELECT %, a FROM t", "INSERT INTO t (%) VALUES (1)",
    "UPDATE t SET % = 1", "DELETE FROM %", "SAVEPOINT %", "SELECT SUM(1) OVER % FROM t WINDOW % AS ()",
    "SELECT @@%",
)
# Reserved before MySQL 8.4.
FREED = ("MASTER_BIND", "MASTER_SSL_VERIFY_SERVER_CERT")
# mqgate quotes the column offset for servers that reserve it. The others are no names, or not in
# all of these places; the server says so.
LAX = ("OFFSET", "DEFAULT", "IGNORE", "WINDOW", "MEMBER", "SOUNDS", "GLOBAL", "LOCAL", "SESSION",
       "PERSIST", "PERSIST_ONLY")


def words():
    rows = (ROOT / "sql" / "keywords.def").read_text()
    return re.findall(r"^KEYWORD_ROW\((\w+),", rows, re.M)


def differences(flavour, program):
    with server(flavour) as shard, connect(shard) as connection:
        connection.query(f"USE {shard['database']}")
        view, stream = View(program, connection.version), Stream(connection)
        for place in PLACES:
            texts = [place.replace("%", word).encode() for word in words()]
            views = view.ask("parse", [("", text) for text in texts])
            stream.send(texts)
            for word, text, ours in zip(words(), texts, views):
                theirs = stream.answer().errno not in SYNTAX_ERRORS
                if theirs and not ours.startswith(b"ok") and word not in FREED:
                    yield f"{flavour} reads {text.decode()}"
                if not theirs and ours.startswith(b"ok") and word not in LAX:
                    yield f"{flavour} does not read {text.decode()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("view", help="the program peer_view")
    parser.add_argument("--servers", default="mysql,mariadb")
    arguments = parser.parse_args()
    faults = [fault for flavour in arguments.servers.split(",")
              for fault in differences(flavour, arguments.view)]
    print("\n".join(faults[:60]))
    print(f"{len(words())} words in {len(PLACES)} places; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
