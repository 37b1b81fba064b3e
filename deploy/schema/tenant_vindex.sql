-- The tenant vindex table. The same as `mqgate schema --vindex-table` prints. The row whose
-- tenant is empty is the counter that versions are taken from.

CREATE TABLE IF NOT EXISTS `mq_tenant_vindex` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `keyspace_id` VARBINARY(255) NOT NULL,
    `state` VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `version` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`tenant`),
    KEY `idx_version` (`version`)
) ENGINE=InnoDB;
INSERT IGNORE INTO `mq_tenant_vindex` (`tenant`, `keyspace_id`, `state`, `version`)
    SELECT '', '', 'counter', COALESCE(MAX(`version`), 0) + 1 FROM `mq_tenant_vindex`;
