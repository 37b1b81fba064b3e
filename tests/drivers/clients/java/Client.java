import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Runs the cases of a job with a JDBC driver and prints one line of JSON per case; see
 * ../../cases.yaml: Client JOB mysql|mariadb.
 */
final class Client {
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private final Driver driver;
    private final JsonObject target;
    private final Connection connection;

    private Client(Driver driver, JsonObject target) throws SQLException {
        this.driver = driver;
        this.target = target;
        connection = driver.connect(target);
    }

    // --- results

    private interface Action {
        JsonObject run() throws SQLException;
    }

    private static JsonObject error(SQLException e) {
        JsonObject seen = new JsonObject();
        seen.addProperty("errno", e.getErrorCode());
        seen.addProperty("sqlstate", e.getSQLState());
        // The MariaDB driver names the connection's number.
        seen.addProperty("message", String.valueOf(e.getMessage()).replaceFirst("^\\(conn=\\d+\\) ", ""));
        JsonObject result = new JsonObject();
        result.add("error", seen);
        return result;
    }

    private static JsonObject attempt(Action action) {
        try {
            return action.run();
        } catch (SQLException e) {
            return error(e);
        } catch (UnsupportedOperationException e) {
            return flag("unsupported");
        }
    }

    private static JsonObject flag(String name) {
        JsonObject result = new JsonObject();
        result.addProperty(name, true);
        return result;
    }

    private static JsonArray listOf(JsonObject result) {
        JsonArray list = new JsonArray();
        list.add(result);
        return list;
    }

    private static JsonObject rows(ResultSet rows) throws SQLException {
        JsonObject result = new JsonObject();
        JsonArray all = new JsonArray(), types = new JsonArray();
        ResultSetMetaData columns = rows.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++)
            types.add(description(columns, i));
        while (rows.next()) {
            JsonArray row = new JsonArray();
            for (int i = 1; i <= columns.getColumnCount(); i++)
                row.add(Values.text(rows, i));
            all.add(row);
        }
        result.add("rows", all);
        result.add("types", types);
        return result;
    }

    /** The length only of columns of tables: where DATABASE() stood, mqgate tells another one. */
    private static String description(ResultSetMetaData columns, int i) throws SQLException {
        String table = columns.getTableName(i);
        return table + "." + columns.getColumnLabel(i) + " " + columns.getColumnTypeName(i)
            + (table.isEmpty() ? "" : " " + columns.getPrecision(i));
    }

    private static JsonObject current(Statement statement, boolean hasRows) throws SQLException {
        if (hasRows)
            return rows(statement.getResultSet());
        JsonObject result = new JsonObject();
        result.addProperty("affected", statement.getUpdateCount());
        return result;
    }

    // --- steps

    private JsonObject execute(PreparedStatement statement, JsonElement params) throws SQLException {
        int at = 0;
        for (JsonElement param : params.isJsonNull() ? new JsonArray() : params.getAsJsonArray())
            Values.bind(statement, ++at, param);
        return current(statement, statement.execute());
    }

    private JsonArray query(String sql, JsonArray sets) {
        JsonArray results = new JsonArray();
        for (JsonElement params : sets)
            results.add(attempt(() -> {
                if (params.isJsonNull())
                    try (Statement statement = connection.createStatement()) {
                        return current(statement, statement.execute(sql));
                    }
                try (PreparedStatement statement = driver.text(connection, sql)) {
                    return execute(statement, params);
                }
            }));
        return results;
    }

    private JsonArray prepared(String sql, JsonArray sets, int fetchSize) {
        JsonArray results = new JsonArray();
        try (PreparedStatement statement = driver.prepared(connection, sql)) {
            statement.setFetchSize(fetchSize);
            for (JsonElement params : sets)
                results.add(attempt(() -> execute(statement, params)));
        } catch (SQLException e) {
            results.add(error(e));
        }
        return results;
    }

    private JsonArray multi(String sql) {
        JsonArray results = new JsonArray();
        try (Statement statement = connection.createStatement()) {
            boolean hasRows = statement.execute(sql);
            while (hasRows || statement.getUpdateCount() >= 0) {
                results.add(current(statement, hasRows));
                hasRows = statement.getMoreResults();
            }
        } catch (SQLException e) {
            results.add(error(e));
        }
        return results;
    }

    private JsonObject call(String name) throws SQLException {
        switch (name) {
        case "begin":
            connection.setAutoCommit(false);
            break;
        case "commit":
            connection.commit();
            connection.setAutoCommit(true);
            break;
        case "rollback":
            connection.rollback();
            connection.setAutoCommit(true);
            break;
        case "ping":
            return flag(connection.isValid(5) ? "ok" : "dead");
        case "reset":
            driver.reset(connection);
            break;
        case "change_user":
            driver.changeUser(connection, target);
            break;
        default:
            return flag("unsupported");
        }
        return flag("ok");
    }

    private JsonArray run(JsonObject step) {
        String sql = step.has("sql") ? step.get("sql").getAsString() : "";
        JsonArray sets = step.has("params") ? step.getAsJsonArray("params") : new JsonArray();
        if (sets.isEmpty())
            sets.add(JsonNull.INSTANCE);
        switch (step.get("op").getAsString()) {
        case "query":
            return query(sql, sets);
        case "prepared":
            return prepared(sql, sets, 0);
        case "cursor":
            return prepared(sql, sets, 2);
        case "multi":
            return multi(sql);
        default:
            return listOf(attempt(() -> call(step.get("name").getAsString())));
        }
    }

    private static JsonArray runCase(Driver driver, JsonObject target, JsonArray steps) {
        JsonArray results = new JsonArray();
        try {
            Client client = new Client(driver, target);
            for (JsonElement step : steps)
                results.add(client.run(step.getAsJsonObject()));
            client.connection.close();
        } catch (SQLException e) {
            results.add(listOf(error(e)));
        }
        return results;
    }

    private static void print(String key, String name, JsonArray steps) {
        JsonObject line = new JsonObject();
        line.addProperty(key, name);
        if (steps != null)
            line.add("steps", steps);
        System.out.println(GSON.toJson(line));
    }

    public static void main(String[] arguments) throws Exception {
        JsonObject job = JsonParser.parseString(Files.readString(Path.of(arguments[0]))).getAsJsonObject();
        Driver driver = Driver.named(arguments[1]);
        String loaded = arguments[1].equals("mysql") ? "com.mysql.cj.jdbc.Driver" : "org.mariadb.jdbc.Driver";
        Class<?> type = Class.forName(loaded);
        java.sql.Driver instance = (java.sql.Driver) type.getDeclaredConstructor().newInstance();
        print("version", instance.getMajorVersion() + "." + instance.getMinorVersion(), null);
        for (JsonElement element : job.getAsJsonArray("cases")) {
            JsonObject one = element.getAsJsonObject();
            JsonObject target = job.getAsJsonObject("targets").getAsJsonObject(one.get("target").getAsString());
            print("case", one.get("name").getAsString(), null == target ? new JsonArray() : runCase(driver, target, one.getAsJsonArray("steps")));
        }
    }
}
