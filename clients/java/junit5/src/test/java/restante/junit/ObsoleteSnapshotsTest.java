package restante.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The listener in runs of test classes of their own. */
class ObsoleteSnapshotsTest {
    private static final Path FILE = Path.of("src", "test", "mail-snapshots", "former-" + System.nanoTime() + ".txt");
    private static final String LINE =
        "restante: " + FILE + " is obsolete: no test compares it; -Drestante.updateSnapshots=true removes it\n";

    @TempDir
    Path classes;

    @BeforeEach
    void writeSnapshot() throws Exception {
        Files.createDirectories(FILE.getParent());
        Files.writeString(FILE, "");
    }

    @AfterEach
    void removeSnapshot() throws Exception {
        System.clearProperty("restante.updateSnapshots");
        Files.deleteIfExists(FILE);
        Files.deleteIfExists(FILE.getParent());
    }

    @Test
    void reportsASnapshotThatNoTestOfAWholeRunHasCompared() throws Exception {
        compile("One", "");
        compile("Other", "");
        assertEquals(LINE, run("One", "Other"));
        assertEquals("", run("One"));
    }

    @Test
    void reportsNothingWhenATestWasSkippedOrFailed() throws Exception {
        compile("One", "");
        for (String problem : List.of("Assertions.fail();", "Assumptions.abort();")) {
            compile("Other", problem);
            assertEquals("", run("One", "Other"));
        }
    }

    @Test
    void removesItWhenSnapshotsAreUpdated() throws Exception {
        compile("One", "");
        System.setProperty("restante.updateSnapshots", "true");
        assertEquals("restante: removed " + FILE + ", which no test compares\n", run("One"));
        assertFalse(Files.exists(FILE));
    }

    private void compile(String name, String body) throws Exception {
        Path source = classes.resolve(name + ".java");
        String code = "import org.junit.jupiter.api.*; class " + name + " { @Test void passes() { " + body + " } }";
        Files.writeString(source, code);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-d", classes.toString(), source.toString()));
    }

    /** Runs test classes with the listeners that JUnit finds, and returns what they write to the error stream. */
    private String run(String... names) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader former = thread.getContextClassLoader();
        PrintStream error = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, former)) {
            thread.setContextClassLoader(loader);
            System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
            List<DiscoverySelector> selectors = new ArrayList<>();
            for (String name : names) {
                selectors.add(selectClass(loader.loadClass(name)));
            }
            LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build());
        } finally {
            thread.setContextClassLoader(former);
            System.setErr(error);
        }
        return written.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
    }
}
