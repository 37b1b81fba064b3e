import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Properties;

/** What JDBC leaves to each driver. */
abstract class Driver {
    static Driver named(String name) {
        return name.equals("mysql") ? new MySQL() : new MariaDB();
    }

    abstract Connection connect(JsonObject target) throws SQLException;

    /** Parameters put into the text by the driver. */
    abstract PreparedStatement text(Connection connection, String sql) throws SQLException;

    abstract PreparedStatement prepared(Connection connection, String sql) throws SQLException;

    abstract void reset(Connection connection) throws SQLException;

    void changeUser(Connection connection, JsonObject target) throws SQLException {
        throw new UnsupportedOperationException();
    }

    static Properties login(JsonObject target) {
        Properties properties = new Properties();
        properties.put("user", target.get("user").getAsString());
        properties.put("password", target.get("password").getAsString());
        properties.put("allowMultiQueries", "true");
        properties.put("allowPublicKeyRetrieval", "true");
        properties.put("useServerPrepStmts", "true");
        properties.put("yearIsDateType", "false");
        properties.put("useCompression", String.valueOf(target.get("compress").getAsBoolean()));
        return properties;
    }

    static String address(JsonObject target) {
        return target.get("host").getAsString() + ":" + target.get("port").getAsInt() + "/"
            + target.get("database").getAsString();
    }

    static String ca(JsonObject target) {
        return target.get("tls").isJsonNull() ? null
                                              : target.getAsJsonObject("tls").get("ca").getAsString();
    }

    private static final class MySQL extends Driver {
        @Override
        Connection connect(JsonObject target) throws SQLException {
            Properties properties = login(target);
            properties.put("useCursorFetch", "true");
            properties.put("maxAllowedPacket", "67108864");
            properties.put("sslMode", ca(target) == null ? "DISABLED" : "VERIFY_CA");
            if (ca(target) != null) {
                properties.put("trustCertificateKeyStoreType", "PKCS12");
                properties.put("trustCertificateKeyStorePassword", "store");
                properties.put("trustCertificateKeyStoreUrl", "file:" + store(ca(target)));
            }
            return DriverManager.getConnection("jdbc:mysql://" + address(target), properties);
        }

        /** The certificate of a PEM file in a key store, which is all that Connector/J reads. */
        private static Path store(String pem) throws SQLException {
            try (var in = Files.newInputStream(Path.of(pem))) {
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
                Path file = Files.createTempFile("ca", ".p12");
                file.toFile().deleteOnExit();
                try (var out = Files.newOutputStream(file)) {
                    store.store(out, "store".toCharArray());
                }
                return file;
            } catch (IOException | GeneralSecurityException e) {
                throw new SQLException(e);
            }
        }

        private static com.mysql.cj.jdbc.JdbcConnection own(Connection c) throws SQLException {
            return c.unwrap(com.mysql.cj.jdbc.JdbcConnection.class);
        }

        @Override
        PreparedStatement text(Connection c, String sql) throws SQLException {
            return own(c).clientPrepareStatement(sql);
        }

        @Override
        PreparedStatement prepared(Connection c, String sql) throws SQLException {
            return own(c).serverPrepareStatement(sql);
        }

        @Override
        void reset(Connection c) throws SQLException {
            own(c).resetServerState();
        }

        @Override
        void changeUser(Connection c, JsonObject target) throws SQLException {
            own(c).changeUser(target.get("user").getAsString(), target.get("password").getAsString());
        }
    }

    private static final class MariaDB extends Driver {
        @Override
        Connection connect(JsonObject target) throws SQLException {
            Properties properties = login(target);
            if (!target.get("socket").isJsonNull())
                properties.put("localSocket", target.get("socket").getAsString());
            properties.put("useResetConnection", "true");
            properties.put("sslMode", ca(target) == null ? "disable" : "verify-ca");
            if (ca(target) != null)
                properties.put("serverSslCert", ca(target));
            return DriverManager.getConnection("jdbc:mariadb://" + address(target), properties);
        }

        private static PreparedStatement prepare(Connection c, String sql, boolean binary) throws SQLException {
            return c.unwrap(org.mariadb.jdbc.Connection.class)
                .prepareInternal(sql, PreparedStatement.RETURN_GENERATED_KEYS,
                    java.sql.ResultSet.TYPE_FORWARD_ONLY, java.sql.ResultSet.CONCUR_READ_ONLY, binary);
        }

        @Override
        PreparedStatement text(Connection c, String sql) throws SQLException {
            return prepare(c, sql, false);
        }

        @Override
        PreparedStatement prepared(Connection c, String sql) throws SQLException {
            return prepare(c, sql, true);
        }

        @Override
        void reset(Connection c) throws SQLException {
            c.unwrap(org.mariadb.jdbc.Connection.class).reset();
        }
    }
}
