"""mqgate schema --vitess: the folders that a Vitess cluster is made from."""

import json

from gateway import run_program

CONFIG = """
keyspace: {name: queue}
backend: vitess
vitess: {gates: ["127.0.0.1:15306"]}
accounts: {app: {password: app}}
tenants: [orders]
"""
LOOKUP = """
tenant_vindex: {address: "127.0.0.1:15306", database: places, table: where_they_are, user: app, password: app}
"""


def write(tmp_path, config):
    path = tmp_path / "mqgate.yaml"
    path.write_text(config)
    folder = tmp_path / "vitess"
    done = run_program("schema", "--vitess", folder, "-c", path)
    return done, {str(p.relative_to(folder)): p.read_text() for p in folder.glob("*/*")}


def test_by_the_function(tmp_path):
    done, files = write(tmp_path, CONFIG)
    assert done.returncode == 0, done.stderr
    assert set(files) == {"queue/vschema.json", "queue/schema.sql"}
    vschema = json.loads(files["queue/vschema.json"])
    assert vschema["sharded"] is True
    assert vschema["vindexes"] == {"tenant_xxhash": {"type": "xxhash"}}
    assert files["queue/schema.sql"] == run_program("schema", "--tenant").stdout


def test_by_a_lookup(tmp_path):
    done, files = write(tmp_path, CONFIG + LOOKUP)
    assert done.returncode == 0, done.stderr
    assert set(files) == {f"{keyspace}/{name}" for keyspace in ("queue", "places")
                          for name in ("vschema.json", "schema.sql")}
    vschema = json.loads(files["queue/vschema.json"])
    assert [v["type"] for v in vschema["vindexes"].values()] == ["lookup_unique"]
    assert vschema["vindexes"]["tenant_lookup"]["params"] == {
        "table": "places.where_they_are", "from": "tenant", "to": "keyspace_id",
        "read_lock": "none", "autocommit": "true"}
    assert json.loads(files["places/vschema.json"]) == {"sharded": False,
                                                         "tables": {"where_they_are": {}}}
    assert "CREATE TABLE IF NOT EXISTS `where_they_are`" in files["places/schema.sql"]


def test_files_are_replaced(tmp_path):
    write(tmp_path, CONFIG)
    done, files = write(tmp_path, CONFIG + LOOKUP)
    assert done.returncode == 0, done.stderr
    assert "tenant_lookup" in files["queue/vschema.json"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "vitess").write_text("a file")
    done, _ = write(tmp_path, CONFIG)
    assert done.returncode == 1
    assert str(tmp_path / "vitess") in done.stderr


def test_with_another_part(tmp_path):
    done = run_program("schema", "--vitess", tmp_path, "--legacy")
    assert done.returncode == 2
    assert "only one part" in done.stderr
