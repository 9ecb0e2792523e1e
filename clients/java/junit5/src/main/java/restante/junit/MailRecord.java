package restante.junit;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Record of the mail of a test for {@code restante report}, which the command line tool of the service makes. */
final class MailRecord {
    /** Waits of a test that are recorded. */
    static final int WAITS_MAX = 200;

    private static final int LINE_LENGTH_MAX = 1000;
    private static final int TEXT_LENGTH_MAX = 20_000;

    /** Long, because a first start by npx downloads the package. */
    private static final long RECORD_SECONDS_MAX = 120;

    private MailRecord() {}

    /** Returns the folder of the record; empty when the run is not recorded. */
    static String folder() {
        return System.getProperty("restante.record", System.getenv().getOrDefault("RESTANTE_RECORD", ""));
    }

    /** Adds a test with the mail of its inboxes to the record, and returns why it could not; empty when it could. */
    static String add(Restante server, List<Inbox> inboxes, String file, String title, boolean hasFailed) {
        JsonObject test = new JsonObject();
        test.addProperty("title", cut(title, LINE_LENGTH_MAX));
        test.addProperty("file", cut(file, LINE_LENGTH_MAX));
        test.addProperty("status", hasFailed ? "failed" : "passed");
        test.addProperty("startedAt", inboxes.stream().map(Inbox::createdAt).min(Instant::compareTo).orElseThrow().toString());
        test.add("addresses", Api.GSON.toJsonTree(inboxes.stream().map(Inbox::address).collect(Collectors.toList())));
        test.add("waits", Api.GSON.toJsonTree(
            inboxes.stream().flatMap(inbox -> inbox.waits().stream()).limit(WAITS_MAX).collect(Collectors.toList())));
        try {
            return run(server, test.toString());
        } catch (IOException error) {
            return error.toString();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Returns a wait that ended, in the form of the record. */
    static JsonObject wait(String title, Instant startedAt, double durationMs, Throwable error) {
        JsonObject wait = new JsonObject();
        wait.addProperty("title", cut(title, LINE_LENGTH_MAX));
        wait.addProperty("startedAt", startedAt.toString());
        wait.addProperty("durationMs", durationMs);
        if (error != null) {
            wait.addProperty("error", cut(String.valueOf(error.getMessage()), TEXT_LENGTH_MAX));
        }
        return wait;
    }

    private static String run(Restante server, String test) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(Arrays.asList(ServiceProcess.command().trim().split("\\s+")));
        words.addAll(List.of("record", "-"));
        Path output = Files.createTempFile("restante-record", ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(Map.of(
                "RESTANTE_URL", server.url(),
                "RESTANTE_API_KEY", server.apiKey(),
                "RESTANTE_SERVER", server.serverId(),
                "RESTANTE_RECORD", folder()));
            Process process = builder.start();
            try (var input = process.getOutputStream()) {
                input.write(test.getBytes(StandardCharsets.UTF_8));
            }
            if (!process.waitFor(RECORD_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return "not recorded in time";
            }
            return process.exitValue() == 0 ? "" : Files.readString(output).trim();
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static String cut(String text, int length) {
        return text.substring(0, Math.min(text.length(), length));
    }
}
