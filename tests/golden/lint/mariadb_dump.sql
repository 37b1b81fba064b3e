/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: queue
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1-log

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `queue_delivery_state`
--

DROP TABLE IF EXISTS `queue_delivery_state`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `queue_delivery_state` (
  `consumer_group` varchar(255) NOT NULL,
  `topic` varchar(255) NOT NULL,
  `partition_key` varchar(255) NOT NULL,
  `message_offset` bigint(20) unsigned NOT NULL,
  `acked` tinyint(1) NOT NULL DEFAULT 0,
  `invisible_until` bigint(20) unsigned NOT NULL DEFAULT 0,
  `retry_count` int(10) unsigned NOT NULL DEFAULT 0,
  `postponed` tinyint(1) NOT NULL DEFAULT 0,
  PRIMARY KEY (`consumer_group`,`topic`,`partition_key`,`message_offset`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `queue_delivery_state`
--

LOCK TABLES `queue_delivery_state` WRITE;
/*!40000 ALTER TABLE `queue_delivery_state` DISABLE KEYS */;
INSERT INTO `queue_delivery_state` VALUES
('g','charge','p',1,1,0,0,0);
/*!40000 ALTER TABLE `queue_delivery_state` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `queue_messages`
--

DROP TABLE IF EXISTS `queue_messages`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `queue_messages` (
  `offset` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `topic` varchar(255) NOT NULL,
  `partition_key` varchar(255) NOT NULL,
  `id` varchar(255) NOT NULL,
  `payload` blob NOT NULL,
  `metadata` longtext DEFAULT NULL CHECK (json_valid(`metadata`)),
  `created_at` bigint(20) unsigned NOT NULL,
  `published_at` bigint(20) unsigned NOT NULL,
  `failed_at` bigint(20) unsigned NOT NULL,
  `failure_count` int(10) unsigned NOT NULL,
  `last_error` text NOT NULL,
  `original_topic` varchar(255) NOT NULL,
  `failure_detail` longtext DEFAULT NULL CHECK (json_valid(`failure_detail`)),
  PRIMARY KEY (`offset`),
  UNIQUE KEY `idx_topic_partition_id` (`topic`,`partition_key`,`id`),
  KEY `idx_topic_partition_offset` (`topic`,`partition_key`,`offset`),
  KEY `by_created` (`created_at`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `queue_messages`
--

LOCK TABLES `queue_messages` WRITE;
/*!40000 ALTER TABLE `queue_messages` DISABLE KEYS */;
INSERT INTO `queue_messages` VALUES
(1,'charge','p','m1','payload','{\"queue_name\":\"acme\"}',1,1,0,0,'','',NULL),
(2,'charge','p','m2','a\nb		    7 Query	DROP TABLE x',NULL,1,1,0,0,'','',NULL);
/*!40000 ALTER TABLE `queue_messages` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `queue_offsets`
--

DROP TABLE IF EXISTS `queue_offsets`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `queue_offsets` (
  `consumer_group` varchar(255) NOT NULL,
  `topic` varchar(255) NOT NULL,
  `partition_key` varchar(255) NOT NULL,
  `offset_acked` bigint(20) unsigned NOT NULL,
  `updated_at` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`consumer_group`,`topic`,`partition_key`),
  KEY `idx_topic` (`topic`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `queue_offsets`
--

LOCK TABLES `queue_offsets` WRITE;
/*!40000 ALTER TABLE `queue_offsets` DISABLE KEYS */;
INSERT INTO `queue_offsets` VALUES
('g','charge','p',2,3),
('g','charge','q',1,1);
/*!40000 ALTER TABLE `queue_offsets` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `queue_partition_leases`
--

DROP TABLE IF EXISTS `queue_partition_leases`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `queue_partition_leases` (
  `consumer_group` varchar(255) NOT NULL,
  `topic` varchar(255) NOT NULL,
  `partition_key` varchar(255) NOT NULL,
  `leased_by` varchar(255) NOT NULL,
  `leased_at` bigint(20) unsigned NOT NULL,
  `lease_renewed_at` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`consumer_group`,`topic`,`partition_key`),
  KEY `idx_lease_renewed` (`lease_renewed_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `queue_partition_leases`
--

LOCK TABLES `queue_partition_leases` WRITE;
/*!40000 ALTER TABLE `queue_partition_leases` DISABLE KEYS */;
/*!40000 ALTER TABLE `queue_partition_leases` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `queue_subscriber_heartbeats`
--

DROP TABLE IF EXISTS `queue_subscriber_heartbeats`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `queue_subscriber_heartbeats` (
  `consumer_group` varchar(255) NOT NULL,
  `topic` varchar(255) NOT NULL,
  `subscriber_name` varchar(255) NOT NULL,
  `heartbeat_at` bigint(20) unsigned NOT NULL,
  `deregistered_at` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`consumer_group`,`topic`,`subscriber_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `queue_subscriber_heartbeats`
--

LOCK TABLES `queue_subscriber_heartbeats` WRITE;
/*!40000 ALTER TABLE `queue_subscriber_heartbeats` DISABLE KEYS */;
/*!40000 ALTER TABLE `queue_subscriber_heartbeats` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-30 14:21:07
