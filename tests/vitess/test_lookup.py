"""Tenants that vtgate looks up in the tenant vindex table, which mqgate tenants changes through vtgate."""

import json

import pytest
import yaml

from gateway import merged, run_program

KEYSPACE = "placed"


@pytest.fixture(scope="module")
def tenants(cluster, tmp_path_factory):
    """tenants(verb, …) runs `mqgate tenants` of a configuration that takes all of the table."""
    path = tmp_path_factory.mktemp("lookup") / "mqgate.yaml"
    path.write_text(yaml.safe_dump(merged(cluster.config, changes(cluster))))

    def run(verb, *arguments, **options):
        return run_program("tenants", verb, "-c", path, *arguments, **options)

    return run


def changes(cluster):
    return {"keyspace": {"database": KEYSPACE}, "tenants": "table",
            "tenant_vindex": {"address": f"127.0.0.1:{cluster.gate[1]}", "database": "places",
                              "user": "mqgate", "password": "mqgate"}}


def done(process):
    assert process.returncode == 0, process.stderr + process.stdout
    return process.stdout


def place_of(tenants, name):
    return json.loads(done(tenants("where", name, "--json")))[0]["shard"]


def insert(cluster, tenant, topic):
    with cluster.vtgate(KEYSPACE) as connection, connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, "
            "updated_at) VALUES (%s, 'g', %s, 'k', 1, 1)", (tenant, topic))


def shards_with(cluster, tenant):
    """Names of the shards that hold rows of the tenant, asked of MySQL itself."""
    return [shard["name"] for i, shard in enumerate(cluster.shards)
            if cluster.query(i, f"SELECT 1 FROM `vt_{KEYSPACE}_{shard['name']}`.queue_offsets "
                                "WHERE tenant = %s LIMIT 1", (tenant,))]


@pytest.mark.parametrize("shard", ["-80", "80-"])
def test_vtgate_goes_where_the_table_says(cluster, tenants, topic, shard):
    name = f"chosen{shard}"
    done(tenants("add", name, "--shard", shard))
    assert place_of(tenants, name) == shard
    insert(cluster, name, topic)
    assert shards_with(cluster, name) == [shard]


def test_without_an_option_the_function_decides(cluster, tenants, topic):
    done(tenants("add", "by-function"))
    assert place_of(tenants, "by-function") == cluster.names[cluster.shard_of("by-function")]
    insert(cluster, "by-function", topic)
    assert shards_with(cluster, "by-function") == [place_of(tenants, "by-function")]


def test_a_tenant_is_placed_elsewhere_while_it_has_no_rows(cluster, tenants, topic):
    done(tenants("add", "empty", "--shard", "-80"))
    done(tenants("place", "empty", "--shard", "80-"))
    insert(cluster, "empty", topic)
    assert shards_with(cluster, "empty") == ["80-"]
    said = tenants("place", "empty", "--shard", "-80")
    assert said.returncode == 1 and "has rows in queue_offsets on shard 80-" in said.stderr


def test_check_asks_each_shard(cluster, tenants, topic):
    done(tenants("add", "astray", "--shard", "-80"))
    insert(cluster, "astray", topic)
    done(tenants("check"))
    done(tenants("place", "astray", "--shard", "80-", "--force"))
    said = tenants("check", "--json")
    assert said.returncode == 1
    faults = [row for row in json.loads(said.stdout) if row["fault"]]
    assert [(row["finding"], row["of"]) for row in faults] == [("misplaced", "astray")]
    done(tenants("place", "astray", "--shard", "-80", "--force"))
    done(tenants("check"))


def test_more_tenants_than_vtgate_has_rows_in_an_answer(tenants, tmp_path):
    """It gives 10,000."""
    count = 10001
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"many-{i}\t{i:016x}\tserving\n" for i in range(count)))
    done(tenants("import", path))
    listed = json.loads(done(tenants("list", "--json")))
    assert sum(row["tenant"].startswith("many-") for row in listed) == count


def test_with_a_function_nothing_is_placed(cluster, tmp_path):
    path = tmp_path / "mqgate.yaml"
    path.write_text(yaml.safe_dump(merged(cluster.config, {
        **changes(cluster), "keyspace": {"database": "queue"}})))
    for verb in ("add", "place"):
        said = run_program("tenants", verb, "-c", path, "somebody", "--shard", "80-")
        assert said.returncode == 1
        assert "shards by xxhash, which alone decides" in said.stderr
