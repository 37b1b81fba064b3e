"""Every vindex function, 20,000 tenants each: mqgate, vtgate and the rows agree."""

import os

import pytest

import agreement

COUNT = int(os.environ.get("MQ_VITESS_TENANTS", "20000"))
SEED = 7


@pytest.mark.parametrize("vindex", agreement.VINDEXES)
def test_agreement(cluster, vtgate, tmp_path, vindex):
    tenants = agreement.tenants_for(vindex, SEED, COUNT)
    connection = vtgate("queue")
    found = agreement.differences(
        tenants,
        agreement.asked_of_mqgate(tmp_path, cluster.names, vindex, tenants),
        agreement.asked_of_vtgate(connection, vindex, tenants),
        agreement.rows_of_shards(cluster, connection, vindex, tenants))
    assert not found, "\n".join(found[:10])
