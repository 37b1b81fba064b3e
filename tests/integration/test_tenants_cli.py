"""`mqgate tenants` on real servers: what it prints, changes, finds and refuses."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import vindex
from tenants import (DEAD_ADDRESS, IDLE, LISTED, SHARDS, publish_on_shard,
                     tenants,  # pylint: disable=unused-import
                     unused_table)

# --- list, add, place, retire ---------------------------------------------------------------------------


def test_listed_tenants_begin_unplaced(tenants):
    tenants.ok("add", "other")
    assert tenants.listed() == {"other": (SHARDS[vindex.shard_index("other", SHARDS)], "serving"),
                                **{tenant: (None, "unplaced") for tenant in LISTED}}


def test_added_tenants_are_where_the_function_has_them(tenants):
    tenants.ok("add", *LISTED)
    assert {tenant: row[:2] for tenant, row in tenants.rows().items()} == {
        tenant: (vindex.keyspace_id(tenant), "serving") for tenant in LISTED}
    assert tenants.listed() == {
        tenant: (SHARDS[vindex.shard_index(tenant, SHARDS)], "serving") for tenant in LISTED}


def test_a_tenant_is_added_once_and_the_others_go_on(tenants):
    tenants.ok("add", "payments")
    before = tenants.rows()["payments"]
    tenants.fails("already", "add", "payments", "orders")
    assert tenants.rows()["payments"] == before
    assert "orders" in tenants.rows()


def test_a_shard_or_a_keyspace_id_can_be_chosen(tenants):
    for shard in SHARDS:
        tenants.ok("add", f"on{shard}", "--shard", shard)
    tenants.ok("add", "exact", "--keyspace-id", "7fff")
    listed = tenants.listed()
    assert [listed[f"on{shard}"][0] for shard in SHARDS] == SHARDS
    assert tenants.rows()["exact"][0] == b"\x7f\xff"
    assert listed["exact"] == ("-80", "serving")


@pytest.mark.parametrize("arguments, text, status", [
    (["add"], "at least one tenant", 2),
    (["add", "a", "--shard", "-80", "--keyspace-id", "00"], "not both", 2),
    (["add", "a", "--shard", "40-80"], "no shard", 1),
    (["add", "a", "--keyspace-id", "4a3"], "no keyspace id", 1),
    (["add", "a", "--keyspace-id", "00" * 256], "at most 255 bytes", 1),
    (["add", "a", "b,c"], '"b,c"', 2),
    (["add", "a", " b"], '" b"', 2),
    (["add", "a", ""], '""', 2),
    (["place", "a"], "--shard or --keyspace-id", 2),
    (["place", "a", "--shard", "-80"], "MQ3004", 1),
    (["retire", "a"], "MQ3004", 1),
    (["retire", "a", "--shard", "-80"], "retire takes no --shard", 2),
    (["list", "a"], "takes no tenants", 2),
    (["list", "--dry-run"], "list takes no --dry-run", 2),
    (["where"], "at least one tenant", 2),
    (["where", "a,b"], '"a,b"', 2),
    (["check", "a"], "takes no tenants", 2),
    (["import"], "one file", 2),
    (["import", "one", "two"], "one file", 2),
    (["import", "/nonexistent"], "/nonexistent cannot be opened", 1),
    (["export", "--json"], "export takes no --json", 2),
    (["remove", "a"], "MQ3004", 1),
    (["remove", "present"], "is serving; retire it first", 1),
    (["remove", "a", "--shard", "-80"], "remove takes no --shard", 2),
    (["move", "a"], "list, where, check, add, place, retire, remove, import and export", 2),
    (["add", "a", "--nonsense"], "option", 2),
])
def test_misuse_changes_nothing(tenants, arguments, text, status):
    tenants.ok("add", "present")
    before = tenants.rows()
    tenants.fails(text, *arguments, status=status)
    assert tenants.rows() == before


def test_versions_rise_with_every_change(tenants):
    seen = []
    for change in (["add", "a"], ["add", "b"], ["place", "a", "--shard", "80-"], ["retire", "b"],
                   ["place", "b", "--shard", "-80"]):
        tenants.ok(*change)
        seen.append(tenants.rows()[change[1]][2])
        assert tenants.counter() == seen[-1]
    assert seen == sorted(set(seen))


def test_changes_at_the_same_time_get_versions_of_their_own(tenants):
    tenants.ok("add", "first")
    names = [f"t{i}" for i in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda i: tenants.ok("add", *names[i::6]), range(6)))
    versions = [row[2] for row in tenants.rows().values()]
    assert sorted(versions) == list(range(min(versions), min(versions) + len(names) + 1))
    assert tenants.counter() == max(versions)


def test_a_table_made_by_hand_gets_its_counter(tenants):
    tenants.sql("CREATE TABLE {table} (tenant VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin "
                "PRIMARY KEY, keyspace_id VARBINARY(64), state VARCHAR(16), version BIGINT)")
    tenants.sql("INSERT INTO {table} VALUES ('old', %s, 'serving', 41)", b"\x10")
    tenants.ok("add", "new")
    assert tenants.rows()["new"][2] > 41
    assert tenants.listed()["old"] == ("-80", "serving")


def test_only_an_empty_tenant_is_placed(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "-80")
    publish_on_shard(cluster, 0, name)
    before = tenants.rows()
    tenants.fails("rows in queue_offsets on shard -80", "place", name, "--shard", "80-")
    assert tenants.rows() == before
    tenants.ok("place", name, "--keyspace-id", "01")  # the same shard: nothing is left behind
    cluster.query(0, "DELETE FROM queue_offsets WHERE tenant = %s", (name,))
    tenants.ok("place", name, "--shard", "80-")
    assert tenants.listed()[name] == ("80-", "serving")


def test_force_leaves_rows_behind(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "80-")
    publish_on_shard(cluster, 1, name)
    tenants.ok("place", name, "--shard", "-80", "--force")
    assert tenants.listed()[name] == ("-80", "serving")


def test_a_shard_that_cannot_be_asked_may_hold_rows(tenants):
    tenants.ok("add", "a", "--shard", "80-")
    tenants.configure({"keyspace": {"shards": {"80-": {"address": DEAD_ADDRESS}}}})
    tenants.fails("MQ5001", "place", "a", "--shard", "-80")
    assert tenants.rows()["a"][0] >= b"\x80"


def test_a_retired_tenant_serves_again_when_placed(tenants):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.ok("retire", "a")
    assert tenants.listed()["a"] == ("-80", "retired")
    tenants.fails("state retired", "add", "a")
    tenants.ok("place", "a", "--shard", "80-")
    assert tenants.listed()["a"] == ("80-", "serving")


@pytest.mark.parametrize("state", ["preparing", "moving"])
def test_a_move_is_left_alone(tenants, state):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.sql("UPDATE {table} SET state = %s WHERE tenant = 'a'", state)
    before = tenants.rows()
    tenants.fails("being moved", "place", "a", "--shard", "80-")
    tenants.fails("being moved", "retire", "a")
    tenants.fails("being moved", "remove", "a")
    assert tenants.rows() == before


def test_a_removed_tenant_leaves_a_tombstone_and_can_be_added_again(tenants):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.ok("retire", "a")
    tenants.ok("remove", "a")
    assert tenants.rows()["a"][1:] == ("removed", tenants.counter())
    assert "a" not in tenants.listed()
    assert "a" not in tenants.ok("export").stdout.split()
    tenants.fails("MQ3004", "retire", "a")
    tenants.fails("MQ3004", "remove", "a")
    tenants.ok("add", "a", "--shard", "80-")
    assert tenants.listed()["a"] == ("80-", "serving")


def test_only_an_empty_tenant_is_removed(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "80-")
    publish_on_shard(cluster, 1, name)
    tenants.ok("retire", name)
    before = tenants.rows()
    tenants.fails("rows in queue_offsets on shard 80-", "remove", name)
    assert tenants.rows() == before
    tenants.ok("remove", name, "--force")
    assert tenants.rows()[name][1] == "removed"


def test_without_a_table_the_function_decides(tenants):
    tenants.configure({"tenant_vindex": None})
    assert tenants.listed() == {
        tenant: (SHARDS[vindex.shard_index(tenant, SHARDS)], "serving") for tenant in LISTED}
    tenants.fails("no tenant_vindex is configured", "add", "a")


@pytest.mark.parametrize("changes, text", [
    ({"address": DEAD_ADDRESS}, "MQ1008"),
    ({"password": "wrong"}, "Access denied"),
    ({"database": "nowhere"}, "nowhere"),
    ({"table": "no_such_table"}, "no_such_table"),
])
def test_a_table_that_cannot_be_read_is_named(tenants, changes, text):
    tenants.configure({"tenant_vindex": changes})
    done = tenants.fails(text, "list")
    assert "wrong" not in done.stderr


@pytest.mark.faults
def test_a_frozen_database_ends_in_an_error(cluster, tenants):
    tenants.ok("add", "a")
    cluster.freeze(0)
    try:
        tenants.fails("MQ1008", "list")  # run_program has a time-out
    finally:
        cluster.thaw(0)
    tenants.ok("list")


# --- where ------------------------------------------------------------------------------------


def test_where_says_who_says_so(tenants):
    tenants.ok("add", "payments", "--shard", "80-")
    tenants.ok("add", "other", "--shard", "-80")
    done = tenants.run("where", "payments", "orders", "other", "--json")
    assert done.returncode == 1 and "MQ3004" in done.stderr and '"orders"' in done.stderr
    found = {row["tenant"]: row for row in json.loads(done.stdout)}
    assert {tenant: (row["shard"], row["state"], row["source"])
            for tenant, row in found.items()} == {"payments": ("80-", "serving", "table"),
                                                  "other": ("-80", "unlisted", "table")}
    assert found["payments"]["version"] == tenants.rows()["payments"][2]
    tenants.ok("retire", "payments")
    assert "retired" in tenants.ok("where", "payments").stdout


def test_where_by_the_function(tenants):
    tenants.configure({"tenant_vindex": None})
    (row,) = json.loads(tenants.ok("where", "payments", "--json").stdout)
    assert row == {"tenant": "payments", "state": "serving", "source": "xxhash",
                   "keyspace_id": vindex.keyspace_id("payments").hex(),
                   "shard": SHARDS[vindex.shard_index("payments", SHARDS)]}


# --- check ------------------------------------------------------------------------------------


def found_by_check(tenants, names):
    """{(finding, of): text} about these tenants or shards; the cluster has rows of other tests."""
    done = tenants.run("check", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == any(row["fault"] for row in findings), done.stderr
    return {(row["finding"], row["of"]): row["text"] for row in findings if row["of"] in names}


def about_rows(found):
    """Other tests have left some."""
    return {key for key in found if key[0] in ("misplaced", "stray")}


def test_check_compares_table_list_and_function(tenants):
    here = SHARDS[vindex.shard_index("payments", SHARDS)]
    there = SHARDS[1 - vindex.shard_index("payments", SHARDS)]
    tenants.ok("add", "payments", "--shard", there)
    tenants.ok("add", "orders", "other")
    tenants.sql("INSERT INTO {table} VALUES ('empty', '', 'serving', 1), "
                "('a,b', 'x', 'serving', 1)")
    tenants.sql("UPDATE {table} SET state = 'moving' WHERE tenant = 'orders'")
    names = {*LISTED, "other", "empty", "a,b"}
    found = found_by_check(tenants, names)
    assert set(found) - about_rows(found) == {
        ("placed", "payments"), ("unlisted", "other"), ("moving", "orders"), ("invalid", "empty"),
        ("invalid", "a,b"), ("unplaced", "monorepo/main"), ("unplaced", IDLE)}
    assert found["placed", "payments"] == f"on shard {there}; the vindex function has it on {here}"


@pytest.mark.parametrize("with_table", [True, False])
def test_check_finds_rows_on_a_shard_that_does_not_own_them(cluster, tenants, request, with_table):
    name, stray = unused_table(request)[:40], "stray"
    home = vindex.shard_index(name, SHARDS)
    tenants.configure({"tenants": [name], **({} if with_table else {"tenant_vindex": None})})
    if with_table:
        tenants.ok("add", name)
    try:
        publish_on_shard(cluster, home, name)
        assert found_by_check(tenants, {name}) == {}
        publish_on_shard(cluster, 1 - home, name)
        publish_on_shard(cluster, home, stray)
        assert found_by_check(tenants, {name, stray}) == {
            ("misplaced", name): f"rows in queue_offsets on shard {SHARDS[1 - home]}; the tenant "
                                 f"lives on {SHARDS[home]}",
            ("stray", stray): f"rows in queue_offsets on shard {SHARDS[home]}, and nothing places "
                              "the tenant"}
        if with_table:  # a move has rows on two shards
            tenants.sql("UPDATE {table} SET state = 'preparing' WHERE tenant = %s", name)
            assert set(found_by_check(tenants, {name})) == {("moving", name)}
    finally:
        for shard in (0, 1):
            cluster.query(shard, "DELETE FROM queue_offsets WHERE tenant IN (%s, %s)",
                          (name, stray))


def test_check_finds_keys_with_the_separator(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "80-")
    cluster.query(1, "INSERT INTO queue_offsets VALUES (%s, 'g', 'placement', 'a|b', 1, 1)", (name,))
    try:
        found = found_by_check(tenants, {name})
        assert '"a|b" in queue_offsets on shard 80-' in found["separator", name]
        tenants.configure({"partition_keys": "qualified"})
        assert ("ambiguous", name) in found_by_check(tenants, {name})
        tenants.configure({"tenants": ["a"], "partition_keys": "qualified",
                           "partition_key_separator": "_"})
        assert found_by_check(tenants, {name})["invalid", name] == (
            "the name contains the separator of qualified keys")
    finally:
        cluster.query(1, "DELETE FROM queue_offsets WHERE tenant = %s", (name,))


def test_check_walks_many_tenants(cluster, tenants):
    """More than one batch, and none twice."""
    names = [f"walk-{i:04}" for i in range(1100)]
    cluster.query(0, "INSERT INTO queue_offsets VALUES "
                  + ",".join(f"('{name}', 'g', 'placement', 'p', 1, 1)" for name in names))
    try:
        done = tenants.run("add", *LISTED)
        done = tenants.run("check")
        assert done.returncode == 1
        walked = re.findall(r"^fault  stray +(walk-\d+): ", done.stdout, re.M)
        assert walked == names
    finally:
        cluster.query(0, "DELETE FROM queue_offsets WHERE tenant LIKE 'walk-%'")


def test_check_takes_a_table_that_a_shard_lacks_for_empty(tenants):
    tenants.ok("add", *LISTED)
    tenants.configure({"queue_tables": {"queue_absent": {
        "columns": [{"name": "topic", "definition": "VARCHAR(255) NOT NULL"}],
        "primary_key": ["topic"]}}})
    assert "unreachable" not in tenants.run("check").stdout


def test_check_goes_on_when_a_shard_cannot_be_asked(tenants):
    tenants.ok("add", *LISTED)
    tenants.configure({"keyspace": {"shards": {"80-": {"address": DEAD_ADDRESS}}}})
    found = found_by_check(tenants, {*LISTED, *SHARDS})
    assert set(found) - about_rows(found) == {("unreachable", "80-")}


# --- export and import ------------------------------------------------------------------------


def test_what_is_exported_can_be_imported(tenants, tmp_path):
    tenants.ok("add", "payments", "orders")
    tenants.ok("add", "bulk", "--shard", "80-")
    tenants.ok("retire", "orders")
    before, path = tenants.rows(), tmp_path / "tenants.tsv"
    path.write_text(tenants.ok("export").stdout)
    counter = tenants.counter()
    done = tenants.ok("import", str(path))
    assert "0 added, 0 changed, 3 unchanged, 0 refused" in done.stderr and done.stdout == ""
    assert (tenants.rows(), tenants.counter()) == (before, counter)
    tenants.table += "_2"  # a table that does not exist yet
    tenants.configure({"tenant_vindex": {"table": tenants.table}})
    tenants.ok("import", str(path), "--dry-run")
    tenants.ok("import", str(path))
    assert {tenant: row[:2] for tenant, row in tenants.rows().items()} == {
        tenant: row[:2] for tenant, row in before.items()}


def test_the_functions_places_can_be_imported(tenants, tmp_path):
    path = tmp_path / "tenants.tsv"
    tenants.configure({"tenant_vindex": None})
    path.write_text(tenants.ok("export").stdout)
    tenants.configure({})
    assert "4 added" in tenants.ok("import", str(path)).stderr
    assert {tenant: row[0] for tenant, row in tenants.rows().items()} == {
        tenant: vindex.keyspace_id(tenant) for tenant in LISTED}


def test_many_rows_are_imported_in_batches(tenants, tmp_path):
    path = tmp_path / "tenants.tsv"
    names = [f"t{i}" for i in range(1201)]
    path.write_text("".join(f"{name}\t{vindex.keyspace_id(name).hex()}\tserving\r\n"
                            for name in names))
    assert "would be: 1201 added" in tenants.ok("import", str(path), "--dry-run").stderr
    tenants.ok("add", "first")
    before = tenants.counter()
    tenants.ok("import", str(path))
    rows = tenants.rows()
    assert {name: rows[name][0] for name in names} == {
        name: vindex.keyspace_id(name) for name in names}
    assert tenants.counter() == before + 3 == max(row[2] for row in rows.values())


@pytest.mark.parametrize("line, text", [
    ("a", "no keyspace id"),
    ("a\t4a", "neither serving nor retired"),
    ("a\t4a\tmoving", "neither serving nor retired"),
    ("a\t4a\tserving\textra", "neither serving nor retired"),
    ("a\t4\tserving", "no keyspace id"),
    ("a\t\tserving", "no keyspace id"),
    ("a\t" + "00" * 256 + "\tserving", "no keyspace id"),
    ("a,b\t4a\tserving", "comma"),
    ("\t4a\tserving", "1 to 255 bytes"),
    ("good\t4b\tserving", "another line"),
])
def test_a_faulty_line(tenants, tmp_path, line, text):
    """One, and nothing is imported."""
    tenants.ok("add", "present")
    before, path = tenants.rows(), tmp_path / "tenants.tsv"
    path.write_text(f"# a comment\n\ngood\t4a\tserving\n{line}\n")
    done = tenants.fails(text, "import", str(path))
    assert f"{path}:4: " in done.stderr and "nothing was imported" in done.stderr
    assert tenants.rows() == before


def test_an_import_takes_no_tenant_away_from_its_rows(tenants, tmp_path):
    tenants.ok("add", "elsewhere", "--shard", "80-")
    tenants.ok("add", "moving", "same", "--shard", "-80")
    tenants.sql("UPDATE {table} SET state = 'moving' WHERE tenant = 'moving'")
    before, path = tenants.rows(), tmp_path / "tenants.tsv"
    path.write_text("".join(f"{name}\t01\tretired\n"
                            for name in ("elsewhere", "moving", "new", "same")))
    done = tenants.fails("1 added, 0 changed, 0 unchanged, 3 refused", "import", str(path))
    assert re.findall(r"refused: (.*)", done.stdout) == [
        "it lives on another shard (mqgate tenants place)", "it is being moved",
        "another row is there (--replace changes it)"]
    rows = tenants.rows()
    assert rows.pop("new")[:2] == (b"\x01", "retired")
    assert rows == before
    done = tenants.fails("0 added, 1 changed, 1 unchanged, 2 refused",
                         "import", str(path), "--replace")
    assert tenants.rows()["same"][:2] == (b"\x01", "retired")
