package restante.junit;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;

/**
 * Snapshot of a mail: a readable text in {@code src/test/mail-snapshots}, with what differs from one sending to the next masked.
 * The property {@code restante.updateSnapshots=true}, or the variable {@code RESTANTE_UPDATE_SNAPSHOTS=1}, writes it.
 *
 * <pre>{@code
 * MailSnapshot.named("welcome").mask("order", order.number()).assertMatches(message);
 * }</pre>
 */
public final class MailSnapshot {
    private static final Path FOLDER = Path.of("src", "test", "mail-snapshots");

    /** Files that tests of this virtual machine have compared. */
    private static final Set<Path> COMPARED = ConcurrentHashMap.newKeySet();

    private final String name;
    private final Map<String, String> masked = new LinkedHashMap<>();
    private final List<String> headers = new ArrayList<>();

    private MailSnapshot(String name) {
        this.name = name;
    }

    /**
     * Returns a snapshot with a name.
     *
     * @param name name of the file, without its suffix
     * @return the snapshot
     */
    public static MailSnapshot named(String name) {
        return new MailSnapshot(name);
    }

    /**
     * Masks a value, besides codes, ids, tokens, dates, recipients and ports, which are masked anyway.
     *
     * @param name name that stands for the value
     * @param value value that differs from one sending to the next
     * @return this snapshot
     */
    public MailSnapshot mask(String name, String value) {
        masked.put(name, value);
        return this;
    }

    /**
     * Shows a further header field.
     *
     * @param name name of the field
     * @return this snapshot
     */
    public MailSnapshot header(String name) {
        headers.add(name);
        return this;
    }

    /**
     * Asserts that a message equals the snapshot.
     *
     * @param message the message
     * @throws AssertionError if it differs, or if there is no snapshot yet
     */
    public void assertMatches(Message message) {
        Path file = FOLDER.resolve(name.replaceAll("[^\\p{L}\\p{M}\\p{N}._-]+", "-") + ".txt");
        COMPARED.add(file);
        String actual = message.snapshot(request());
        try {
            if (isUpdating()) {
                Files.createDirectories(FOLDER);
                Files.writeString(file, actual, StandardCharsets.UTF_8);
            } else if (Files.notExists(file)) {
                Assertions.fail("There is no snapshot " + file + " yet: -Drestante.updateSnapshots=true writes it. The mail is:\n" + actual);
            } else {
                String expected = Files.readString(file, StandardCharsets.UTF_8).replace("\r\n", "\n");
                Assertions.assertEquals(expected, actual, "The mail differs from its snapshot " + file);
            }
        } catch (IOException error) {
            throw new RestanteException("The snapshot " + file + " cannot be read or written: " + error, error);
        }
    }

    private JsonObject request() {
        JsonArray values = new JsonArray();
        masked.forEach((masking, value) -> {
            JsonObject one = new JsonObject();
            one.addProperty("name", masking);
            one.addProperty("value", value);
            values.add(one);
        });
        JsonObject body = new JsonObject();
        body.add("mask", values);
        body.add("headers", Api.GSON.toJsonTree(headers));
        return body;
    }

    /** Returns the snapshots that no test of this virtual machine has compared, in the order of their names. */
    static List<Path> unused() {
        if (Files.notExists(FOLDER)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".txt") && !COMPARED.contains(file)).sorted().collect(Collectors.toList());
        } catch (IOException error) {
            throw new RestanteException("The folder " + FOLDER + " cannot be read: " + error, error);
        }
    }

    static boolean isUpdating() {
        return Boolean.getBoolean("restante.updateSnapshots") || "1".equals(System.getenv("RESTANTE_UPDATE_SNAPSHOTS"));
    }
}
