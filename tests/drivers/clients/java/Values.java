import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.zip.CRC32;

/** Parameters of the specification as values of Java, and values of answers as texts. */
final class Values {
    private Values() {}

    static byte[] blob(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++)
            bytes[i] = (byte) (31 * i + (i >> 8));
        return bytes;
    }

    static void bind(PreparedStatement statement, int at, JsonElement param) throws SQLException {
        if (param.isJsonNull())
            statement.setNull(at, Types.VARCHAR);
        else
            statement.setObject(at, param.isJsonObject() ? typed(param.getAsJsonObject()) : plain(param.getAsJsonPrimitive()));
    }

    private static Object plain(JsonPrimitive value) {
        if (!value.isNumber())
            return value.getAsString();
        String text = value.getAsString();
        return text.matches("-?\\d+") ? (Object) Long.valueOf(text) : Double.valueOf(text);
    }

    private static Object typed(JsonObject param) {
        var entry = param.entrySet().iterator().next();
        String text = entry.getValue().getAsString();
        switch (entry.getKey()) {
        case "integer": // Connector/J fails on some BigIntegers
            return new BigInteger(text).bitLength() < 64 ? (Object) Long.valueOf(text) : new BigDecimal(text);
        case "decimal":
            return new BigDecimal(text);
        case "date":
            return LocalDate.parse(text);
        case "datetime":
            return LocalDateTime.parse(text.replace(' ', 'T'));
        case "hex":
            return HexFormat.of().parseHex(text);
        case "blob":
            return blob(Integer.parseInt(text));
        default: // TIME, whose range is beyond java.time.LocalTime
            return text;
        }
    }

    /** A column of the current row; a long value by length and checksum. */
    static String text(ResultSet rows, int column) throws SQLException {
        int type = rows.getMetaData().getColumnType(column);
        Object value = type == Types.TIME ? rows.getString(column) : rows.getObject(column);
        if (value == null)
            return null;
        byte[] raw = value instanceof byte[] ? (byte[]) value : value.toString().getBytes(StandardCharsets.UTF_8);
        String text = value instanceof byte[] ? decoded(raw) : value.toString();
        return text.length() <= 200 ? text : raw.length + " bytes, " + checksum(raw);
    }

    private static String decoded(byte[] raw) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(raw)).toString();
        } catch (CharacterCodingException e) {
            return "hex " + HexFormat.of().formatHex(raw);
        }
    }

    private static long checksum(byte[] raw) {
        CRC32 crc = new CRC32();
        crc.update(raw);
        return crc.getValue();
    }
}
