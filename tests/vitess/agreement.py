"""Does mqgate name the keyspace id that vtgate computes, and the shard where Vitess has put the row?
A table for each vindex function, many tenants in each."""

import json
import random

import yaml

from gateway import run_program

NAMES = ["xxhash", "binary", "binary_md5", "unicode_loose_md5", "unicode_loose_xxhash", "null"]
NUMBERS = ["hash", "numeric", "reverse_bits"]
VINDEXES = NAMES + NUMBERS
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


def tenants_for(vindex, seed, count):
    random_ = random.Random(f"{seed} {vindex}")
    make = random_number if vindex in NUMBERS else random_name
    names = set(ALPHABET) if vindex in NAMES else {"0", "1", "9223372036854775807",
                                                   "9223372036854775808", "18446744073709551615"}
    while len(names) < count:
        names.add(make(random_))
    return sorted(names)


def vschema(tables=None):
    """tables: {name: vindex type}; None: all that this module works with."""
    tables = tables or {f"t_{kind}": kind for kind in VINDEXES}
    return {
        "sharded": True,
        "vindexes": {f"by_{kind}": {"type": kind} for kind in set(tables.values())},
        "tables": {
            name: {"column_vindexes": [{"column": "tenant", "name": f"by_{kind}"}]}
            for name, kind in tables.items()
        },
    }


def asked_of_mqgate(folder, shards, vindex, tenants):
    """{tenant: (keyspace id, shard)} by mqgate, for queue tables that this vindex shards."""
    queue_tables = json.loads(run_program("schema", "--vschema").stdout)["tables"]
    path = folder / f"{vindex}.json"
    path.write_text(json.dumps(vschema({table: vindex for table in queue_tables})))
    config = folder / f"{vindex}.yaml"
    config.write_text(yaml.safe_dump({
        "keyspace": {"name": "queue", "vschema": str(path),
                     "shards": {name: f"127.0.0.1:{i + 1}" for i, name in enumerate(shards)}},
        "accounts": {"app": {"password": "app"}},
        "tenants": tenants,
    }))
    said = run_program("tenants", "list", "-c", config, "--json")
    assert said.returncode == 0, said.stderr
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
        cursor.execute("SET transaction_mode = 'multi'")  # a batch goes to several shards
        cursor.execute(f"CREATE TABLE t_{vindex} (tenant VARCHAR(255) CHARACTER SET ascii COLLATE "
                       "ascii_bin NOT NULL, PRIMARY KEY (tenant))")
        for some in batches(tenants):
            values = ", ".join(["(%s)"] * len(some))
            cursor.execute(f"INSERT INTO t_{vindex} (tenant) VALUES {values}", some)
    return {tenant: cluster.names[shard]
            for shard, tenant in cluster.query_all(f"SELECT tenant FROM t_{vindex}")}


def differences(tenants, mqgate, vtgate, rows):
    return [
        f"tenant {tenant!r}: mqgate {mqgate.get(tenant)}, vtgate {vtgate.get(tenant)}, "
        f"the row is on {rows.get(tenant)}"
        for tenant in tenants
        if mqgate[tenant] != vtgate.get(tenant)
        or mqgate[tenant][1] != rows.get(tenant)
    ]
