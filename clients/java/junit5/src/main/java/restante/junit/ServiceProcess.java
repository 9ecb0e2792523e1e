package restante.junit;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code restante serve} on free ports of the loopback interface, with a data folder that is removed at the end. */
final class ServiceProcess implements AutoCloseable {
    private static final String DEFAULT_COMMAND = "npx restante";

    /** Long, because a first start by npx downloads the package. */
    private static final Duration READY_MAX = Duration.ofMinutes(2);

    private static final Duration STOP_MAX = Duration.ofSeconds(20);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    /** Characters of the output of the service that an error shows. */
    private static final int OUTPUT_LENGTH_MAX = 4000;

    private final Path folder;
    private final Process process;
    private final Connection connection;
    private final Thread stopAtExit = new Thread(this::stop);

    private ServiceProcess(String command) throws IOException {
        folder = Files.createTempDirectory("restante-");
        String key = randomKey();
        Path dataDir = folder.resolve("data");
        List<String> words = new ArrayList<>(Arrays.asList(command.trim().split("\\s+")));
        words.addAll(List.of("serve", "--http-port=0", "--https-port=0", "--smtp-port=0", "--data-dir=" + dataDir));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.redirectInput(Redirect.PIPE).redirectOutput(folder.resolve("output.log").toFile());
        builder.environment().put("RESTANTE_API_KEY", key);
        process = builder.start();
        // For a virtual machine that exits without closing the stores of JUnit, such as after an interrupt.
        Runtime.getRuntime().addShutdownHook(stopAtExit);
        connection = waitReady(dataDir.resolve("service.json"), key);
    }

    /** Returns the command of the service. */
    static String command() {
        return System.getenv().getOrDefault("RESTANTE_COMMAND", DEFAULT_COMMAND);
    }

    /** Starts a service and returns when it is ready. */
    static ServiceProcess start(String command) {
        try {
            return new ServiceProcess(command);
        } catch (IOException error) {
            throw new RestanteException("Cannot run " + command + ": " + error.getMessage(), error);
        }
    }

    Connection connection() {
        return connection;
    }

    /** Stops the service and removes its data. Safe to call twice. */
    @Override
    public void close() {
        stop();
        Runtime.getRuntime().removeShutdownHook(stopAtExit);
    }

    private void stop() {
        // npx does not forward signals.
        List<ProcessHandle> processes = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
            .collect(Collectors.toList());
        processes.forEach(ProcessHandle::destroy);
        try {
            if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                processes.forEach(ProcessHandle::destroyForcibly);
            }
        } catch (InterruptedException error) {
            processes.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
        removeFolder();
    }

    private Connection waitReady(Path file, String key) throws IOException {
        long deadline = System.nanoTime() + READY_MAX.toNanos();
        while (System.nanoTime() < deadline && process.isAlive()) {
            Connection found = read(file, key);
            if (found != null) {
                return found;
            }
            try {
                Thread.sleep(POLL_INTERVAL.toMillis());
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        String output = Files.readString(folder.resolve("output.log"), StandardCharsets.UTF_8).trim();
        close();
        String end = output.substring(Math.max(0, output.length() - OUTPUT_LENGTH_MAX));
        throw new RestanteException("The service did not start; its output:\n" + end, null);
    }

    /** Returns null while the file does not exist or is being written. */
    private static Connection read(Path file, String key) throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            JsonObject found = Api.GSON.fromJson(Files.readString(file), JsonObject.class);
            if (found == null) {
                return null;
            }
            JsonObject smtp = found.getAsJsonObject("smtp");
            String host = smtp.get("host").getAsString();
            return new Connection(found.get("url").getAsString(), key, host, smtp.get("port").getAsInt());
        } catch (JsonParseException incomplete) {
            return null;
        }
    }

    private void removeFolder() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException error) {
            // The folder is temporary: what is left of it does no harm to the tests.
            System.getLogger(ServiceProcess.class.getName()).log(System.Logger.Level.WARNING, "cannot remove " + folder, error);
        }
    }

    private static String randomKey() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        StringBuilder text = new StringBuilder();
        for (byte one : random) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }
}
