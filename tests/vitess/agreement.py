#!/usr/bin/env python3
"""For every vindex function, 20,000 tenants: does mqgate name the keyspace id that vtgate computes,
and the shard where Vitess has put the row?

    MQGATE=build/asan/mqgate tests/vitess/agreement.py [--count N] [--seed N]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pymysql
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "local-cluster"
MQGATE = Path(os.environ.get("MQGATE", ROOT / "build" / "asan" / "mqgate")).resolve()
KEYSPACE = "queue"
NAMES = ["xxhash", "binary", "binary_md5", "unicode_loose_md5", "unicode_loose_xxhash", "null"]
NUMBERS = ["hash", "numeric", "reverse_bits"]
BATCH = 500
# Printable ASCII that a tenant may hold.
ALPHABET = "".join(chr(c) for c in range(0x21, 0x7F) if chr(c) not in "',\"\\`|")


def random_name(random_):
    length = random_.choice([1, 2, 3, 7, 8, 9, 15, 16, 31, 32, 33, 64, 255, random_.randint(1, 255)])
    middle = "".join(random_.choice(ALPHABET + " ") for _ in range(max(0, length - 2)))
    ends = [random_.choice(ALPHABET) for _ in range(2)]
    return (ends[0] + middle + ends[1])[:length].strip() or ends[0]


def random_number(random_):
    return str(random_.choice([random_.getrandbits(64), random_.getrandbits(63),
                               random_.randint(0, 100000), (1 << random_.randint(0, 63))]))


def tenants_for(vindex, random_, count):
    make = random_number if vindex in NUMBERS else random_name
    names = set(ALPHABET) if vindex in NAMES else {"0", "1", "9223372036854775807",
                                                   "9223372036854775808", "18446744073709551615"}
    while len(names) < count:
        names.add(make(random_))
    return sorted(names)


def vschema(tables):
    """tables: {name: vindex type}"""
    return {
        "sharded": True,
        "vindexes": {f"by_{kind}": {"type": kind} for kind in set(tables.values())},
        "tables": {
            name: {"column_vindexes": [{"column": "tenant", "name": f"by_{kind}"}]}
            for name, kind in tables.items()
        },
    }


def cluster_tool(command, folder, *arguments):
    done = subprocess.run([sys.executable, TOOL, command, "--dir", folder, *arguments],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"tools/local-cluster {command} failed")
    return done.stdout


def asked_of_mqgate(folder, config, vindex, tenants):
    """{tenant: (keyspace id, shard)} by mqgate, for queue tables that this vindex shards."""
    queue_tables = json.loads(subprocess.run([MQGATE, "schema", "--vschema"], check=True,
                                             capture_output=True, text=True).stdout)["tables"]
    path = folder / f"{vindex}.json"
    path.write_text(json.dumps(vschema({table: vindex for table in queue_tables})))
    changed = folder / f"{vindex}.yaml"
    settings = yaml.safe_load(Path(config).read_text())
    settings["keyspace"]["vschema"] = str(path)
    settings["tenants"] = tenants
    changed.write_text(yaml.safe_dump(settings))
    said = subprocess.run([MQGATE, "tenants", "list", "-c", changed, "--json"],
                          capture_output=True, text=True, check=False)
    if said.returncode:
        sys.exit(f"mqgate tenants list: {said.stderr}")
    return {row["tenant"]: (row["keyspace_id"], row["shard"]) for row in json.loads(said.stdout)}


def batches(values):
    for at in range(0, len(values), BATCH):
        yield values[at : at + BATCH]


def asked_of_vtgate(vtgate, vindex, tenants):
    found = {}
    with vtgate.cursor() as cursor:
        for some in batches(tenants):
            marks = ", ".join(["%s"] * len(some))
            cursor.execute(
                f"SELECT id, hex_keyspace_id, shard FROM by_{vindex} WHERE id IN ({marks})", some)
            for identifier, keyspace_id, shard in cursor.fetchall():
                found[text_of(identifier)] = (text_of(keyspace_id), text_of(shard))
    return found


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def rows_of_shards(cluster, vtgate, vindex, tenants):
    """{tenant: shard} where the rows are, inserted through vtgate and read behind it."""
    with vtgate.cursor() as cursor:
        cursor.execute(f"CREATE TABLE t_{vindex} (tenant VARCHAR(255) CHARACTER SET ascii COLLATE "
                       "ascii_bin NOT NULL, PRIMARY KEY (tenant))")
        for some in batches(tenants):
            values = ", ".join(["(%s)"] * len(some))
            cursor.execute(f"INSERT INTO t_{vindex} (tenant) VALUES {values}", some)
    found = {}
    for shard in cluster["shards"]:
        connection = pymysql.connect(host=shard["host"], port=shard["port"], user="root",
                                     password="root", database=shard["database"])
        with connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT tenant FROM t_{vindex}")
            found.update({row[0]: shard["name"] for row in cursor.fetchall()})
    return found


def differences(vindex, tenants, mqgate, vtgate, rows):
    return [
        f"{vindex}: tenant {tenant!r}: mqgate {mqgate.get(tenant)}, vtgate {vtgate.get(tenant)}, "
        f"the row is on {rows.get(tenant)}"
        for tenant in tenants
        if mqgate[tenant] != vtgate.get(tenant)
        or mqgate[tenant][1] != rows.get(tenant)
    ]


def compare(cluster, folder, count, random_):
    vtgate = pymysql.connect(host="127.0.0.1", port=cluster["vitess"]["port"], user="root",
                             database=KEYSPACE, autocommit=True)
    faults = 0
    with vtgate:
        with vtgate.cursor() as cursor:
            cursor.execute("SET transaction_mode = 'multi'")  # a batch goes to several shards
        for vindex in NAMES + NUMBERS:
            tenants = tenants_for(vindex, random_, count)
            found = differences(vindex, tenants,
                                asked_of_mqgate(folder, cluster["config"], vindex, tenants),
                                asked_of_vtgate(vtgate, vindex, tenants),
                                rows_of_shards(cluster, vtgate, vindex, tenants))
            print(f"{vindex:<22} {len(tenants):>6} tenants, {len(found)} differences", flush=True)
            for line in found[:10]:
                print("  " + line)
            faults += len(found)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=20000, help="tenants for each vindex")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "vschema.json"
        path.write_text(json.dumps(vschema({f"t_{kind}": kind for kind in NAMES + NUMBERS})))
        cluster_tool("start", folder / "c", "--vitess", "--vschema", path, "--no-schema",
                     "--base-port", "auto", "--listen", "auto", "--tenants", "any")
        try:
            cluster = json.loads((folder / "c" / "cluster.json").read_text())
            return 1 if compare(cluster, folder, args.count, random.Random(args.seed)) else 0
        finally:
            cluster_tool("stop", folder / "c")


if __name__ == "__main__":
    sys.exit(main())
