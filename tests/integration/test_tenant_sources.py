"""Every place where a tenant can be named, alone and in disagreement with another."""

from urllib.parse import quote

import pytest

from legacy import COUNT, PUBLISH, count, execute, message, publish
from refusals import refused

INSERT = (
    "INSERT INTO queue_messages ({}topic, id, payload, metadata, partition_key, created_at, "
    "published_at, failed_at, failure_count, last_error, original_topic) VALUES "
)


def comment(tenant):
    return f"/*tenant='{quote(tenant, safe='')}'*/"


def named(tenant, key="queue_name"):
    return f'{{"{key}": "{tenant}"}}'


@pytest.fixture(params=["text", "prepared"])
def runner(request, connect):
    """runner(connection options)(statement, …) with either protocol."""

    def make(**options):
        if request.param == "text":
            connection = connect(**options)
            return lambda statement, *arguments: execute(connection, statement, *arguments)
        connection = connect(raw=True, **options)

        def run(statement, *arguments):
            if statement.startswith(("SET", "USE")):
                return connection.query(statement)
            prepared = connection.prepare(statement)
            result = connection.execute(prepared, *arguments)
            connection.close_statement(prepared)
            return result.rows if result.columns else result.affected

        return run

    return make


def landed(cluster, topic, *tenants):
    assert cluster.where_is(topic) == {(cluster.shard_of(t), t) for t in tenants}


# --- one source


def test_comment(runner, cluster, topic):
    run = runner()
    for n, name in enumerate(cluster.tenants):
        text = (
            PUBLISH.replace("INSERT", f"INSERT {comment(name)}")
            if n % 2
            else comment(name) + PUBLISH
        )
        assert run(text, *message(topic, "m")) == 1
        assert run(
            f"SELECT COUNT(*) {comment(name)} FROM queue_messages WHERE topic = ?", topic
        ) == [(1,)]
    landed(cluster, topic, *cluster.tenants)


def test_comment_among_others(connect, cluster, tenant, topic):
    connection = connect()
    text = (
        f"/* traced */ {PUBLISH} /*traceparent='00-ab-01',tenant='{quote(tenant, safe='')}'*/ -- x"
    )
    execute(connection, text, *message(topic, "m"))
    landed(cluster, topic, tenant)


def test_metadata(runner, cluster, topic):
    run = runner()
    for name in cluster.tenants:
        assert run(PUBLISH, *message(topic, "m", metadata=named(name))) == 1
    landed(cluster, topic, *cluster.tenants)


def test_metadata_literal(connect, cluster, tenant, topic):
    connection = connect()
    execute(
        connection,
        INSERT.format("")
        + f"""('{topic}', 'm', 'x', '{{"n": 1, "queue_name": "{tenant}"}}', """
        + "'p', 1, 1, 0, 0, '', '')",
    )
    landed(cluster, topic, tenant)


def test_session_variable(runner, cluster, tenant, other_tenant, topic):
    """It can be changed, and a statement prepared before follows."""
    run = runner()
    for name in (tenant, other_tenant, tenant):
        run(f"SET @mq_tenant = '{name}'")
        run(PUBLISH, *message(topic, f"for {name}"))
        assert run(COUNT, topic) == [(1,)]
    landed(cluster, topic, tenant, other_tenant)


def test_session_variable_is_shown(connect, tenant):
    connection = connect()
    assert execute(connection, "SELECT @mq_tenant") == [(None,)]
    execute(connection, f"SET @mq_tenant = '{tenant}'")
    assert execute(connection, "SELECT @mq_tenant") == [(tenant,)]


def test_database_changes(connect, cluster, tenant, other_tenant, topic):
    connection = connect()
    execute(connection, f"USE `queue@{tenant}`")
    publish(connection, topic, "m")
    connection.select_db(f"queue@{other_tenant}")  # COM_INIT_DB
    publish(connection, topic, "m")
    execute(connection, "USE queue")  # keeps the tenant
    publish(connection, topic, "n")
    assert count(connection, topic) == 2
    landed(cluster, topic, tenant, other_tenant)


def test_account(runner, cluster, tenant, topic):
    run = runner(user="bound", password="bound")
    run(PUBLISH, *message(topic, "m"))
    landed(cluster, topic, tenant)


def test_listener(connect, gateway, cluster, other_tenant, topic):
    connection = connect(unix_socket=gateway.bound_socket)
    publish(connection, topic, "m")
    landed(cluster, topic, other_tenant)


def test_statement(runner, cluster, tenant, other_tenant, topic):
    """A client that has moved on names the column itself."""
    run = runner()
    row = "(?, ?, 'm', 'x', NULL, 'p', 1, 1, 0, 0, '', '')"
    run(INSERT.format("tenant, ") + row, tenant, topic)
    run(INSERT.format("tenant, ") + row, other_tenant, topic)
    landed(cluster, topic, tenant, other_tenant)
    for condition in ("tenant = ?", "? = tenant", "tenant IN (?)"):
        statement = f"SELECT id FROM queue_messages WHERE {condition} AND topic = ?"
        assert len(run(statement, tenant, topic)) == 1
    assert (
        run("DELETE FROM queue_messages WHERE tenant = ? AND topic = ?", other_tenant, topic) == 1
    )
    landed(cluster, topic, tenant)


def test_default_and_payload(make_gateway, cluster, tenant, other_tenant, topic):
    gateway = make_gateway(
        {"default_tenant": tenant, "tenant_sources": {"payload": {"enabled": True}}}
    )
    connection = gateway.connect()
    publish(connection, topic, "default")
    publish(connection, topic, "payload", payload=named(other_tenant, "queueName").encode())
    publish(connection, topic, "metadata", metadata=named(other_tenant))
    landed(cluster, topic, tenant, other_tenant)
    assert count(connection, topic) == 1, "a read without a source is the default's"
    connection.close()


def test_the_only_tenant(make_gateway, cluster, tenant, topic):
    gateway = make_gateway(env={"MQ_TENANTS": f" {tenant} , {tenant},"})
    connection = gateway.connect()
    publish(connection, topic, "m")
    landed(cluster, topic, tenant)
    with refused(3003):
        gateway.connect(cluster.tenants_of(1)[0])
    connection.close()


# --- disagreement, and tenants that are not served


def test_agreement(connect, cluster, tenant, topic):
    connection = connect(tenant, user="bound", password="bound")
    execute(connection, comment(tenant) + PUBLISH, *message(topic, "m", metadata=named(tenant)))
    landed(cluster, topic, tenant)


@pytest.mark.parametrize(
    "options, text, metadata",
    [
        ({}, "comment", "other"),  # comment against metadata
        ({"tenant": True}, "", "other"),  # session against metadata
        ({"tenant": True}, "other comment", None),
        ({"user": "bound", "password": "bound"}, "", "other"),
        ({"user": "bound", "password": "bound"}, "other comment", None),
    ],
)
@pytest.mark.parametrize("binary", [False, True])
def test_conflict(connect, cluster, tenant, other_tenant, topic, options, text, metadata, binary):
    options = {**options, "tenant": tenant} if "tenant" in options else options
    connection = connect(raw=True, **options)
    prefix = {"": "", "comment": comment(tenant), "other comment": comment(other_tenant)}[text]
    values = message(topic, "m", metadata=named(other_tenant) if metadata else None)
    with refused() as seen:
        if binary:
            connection.execute(connection.prepare(prefix + PUBLISH), *values)
        else:
            literal = f"'{named(other_tenant)}'" if metadata else "NULL"
            connection.query(
                f"{prefix}{INSERT.format('')}"
                f"('{topic}', 'm', 'x', {literal}, 'p', 1, 1, 0, 0, '', '')"
            )
    assert seen.message.startswith(("MQ3002:", "MQ3006:")), seen.message
    connection.ping()
    landed(cluster, topic)


def test_choice_outside_the_binding(connect, tenant, other_tenant, accounts):
    connection = connect(user="bound", password="bound")
    for statement in (f"SET @mq_tenant = '{other_tenant}'", f"USE `queue@{other_tenant}`"):
        with refused(3006):
            execute(connection, statement)
    execute(connection, f"SET @mq_tenant = '{tenant}'")
    with refused(3006):
        connect(other_tenant, user="bound", password="bound")


def test_account_of_two(connect, cluster, tenant, other_tenant, neighbour, topic):
    connection = connect(user="two", password="two")
    with refused(3001):
        publish(connection, topic, "m")
    assert count(connection, topic) == 0  # of both
    for name in (tenant, other_tenant):
        execute(connection, f"SET @mq_tenant = '{name}'")
        publish(connection, topic, "m")
    with refused(3006):
        execute(connection, f"SET @mq_tenant = '{neighbour}'")
    landed(cluster, topic, tenant, other_tenant)


def test_account_and_listener_narrow_each_other(connect, gateway, other_tenant, topic):
    connection = connect(user="two", password="two", unix_socket=gateway.bound_socket)
    publish(connection, topic, "m")  # what both allow is one tenant
    with refused():  # the account is bound to another one
        outside = connect(user="bound", password="bound", unix_socket=gateway.bound_socket)
        count(outside, topic)


@pytest.mark.parametrize("name", ["nobody", "ORDERS", "orders_", "queue"])
def test_unknown_tenant(connect, cluster, topic, name):
    connection = connect()
    with refused(3003):
        execute(connection, comment(name) + PUBLISH, *message(topic, "m"))
    with refused(3003):
        publish(connection, topic, "m", metadata=named(name))
    with refused(3003):
        execute(connection, f"SET @mq_tenant = '{name}'")
    with refused(3003):
        execute(
            connection, "SELECT id FROM queue_messages WHERE tenant = ? AND topic = ?", name, topic
        )
    with refused(3003):
        connect(name)
    landed(cluster, topic)


@pytest.mark.parametrize(
    "value, code",
    [
        ('{"queue_name": "orders", "queue_name": "ads"}', 3012),
        ('{"queue_name": 5}', 3012),
        ('{"queue_name": null}', 3012),
        ('{"queue_name": ["orders"]}', 3012),
        ('{"queue_name": "orders"', None),
        ('{"other": "orders"}', 3001),
        ("[]", 3001),
        (None, 3001),
        ('{"queue_name": "ord\\u0065rs"}', "orders"),
        ('{"a": {"queue_name": "ads"}}', 3001),
    ],
)
def test_metadata_values(runner, cluster, topic, value, code):
    run = runner()
    if isinstance(code, str):
        run(PUBLISH, *message(topic, "m", metadata=value))
        return landed(cluster, topic, code)
    with refused(code):
        run(PUBLISH, *message(topic, "m", metadata=value))
    return landed(cluster, topic)


def test_rows_of_several_tenants(connect, cluster, tenant, other_tenant, topic):
    connection = connect()
    row = "(?, ?, 'x', ?, 'p', 1, 1, 0, 0, '', '')"
    with refused(3015):
        execute(
            connection,
            INSERT.format("") + f"{row}, {row}",
            topic,
            "a",
            named(tenant),
            topic,
            "b",
            named(other_tenant),
        )
    landed(cluster, topic)
    execute(
        connection,
        INSERT.format("") + f"{row}, {row}",
        topic,
        "a",
        named(tenant),
        topic,
        "b",
        named(tenant),
    )
    landed(cluster, topic, tenant)


@pytest.mark.parametrize(
    "condition",
    [
        "tenant = 'orders' OR topic = 'x'",
        "NOT tenant = 'orders'",
        "tenant LIKE 'orders'",
        "tenant IN ('orders', topic)",
        "tenant = CONCAT('ord', 'ers')",
        "tenant > 'a'",
        "(tenant = 'orders') = 0",
        "tenant = topic",
        "tenant IS NOT NULL",
    ],
)
def test_conditions_that_choose_no_tenant(connect, condition):
    connection = connect()
    with refused():
        execute(connection, f"SELECT id FROM queue_messages WHERE {condition}")
    assert execute(connection, "SELECT @mq_tenant") == [(None,)]


def test_conflict_within_the_statement(connect, tenant, other_tenant):
    connection = connect(tenant)
    with refused():
        execute(
            connection,
            "SELECT id FROM queue_messages WHERE tenant = ? AND topic = 'x'",
            other_tenant,
        )
    with refused():
        execute(
            connection,
            "SELECT id FROM queue_messages m WHERE topic = 'x' AND EXISTS "
            "(SELECT 1 FROM queue_offsets o WHERE o.tenant = ? AND o.topic = m.topic)",
            other_tenant,
        )
    with refused():
        execute(connection, "UPDATE queue_messages SET tenant = ? WHERE topic = 'x'", other_tenant)
