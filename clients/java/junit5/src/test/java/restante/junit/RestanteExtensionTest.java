package restante.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.google.gson.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The extension in test runs of its own. */
class RestanteExtensionTest {
    private static final List<String> SEEN = new ArrayList<>();

    @Test
    void addsTheMailOfAFailedTestToItsFailure() throws Exception {
        Events events = run(Failing.class);
        Event failed = events.failed().stream().findFirst().orElseThrow();
        Throwable failure = failed.getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class)
            .getThrowable().orElseThrow();
        String report = failure.getSuppressed()[0].getMessage();
        for (String part : List.of(
            "Inbox fails-",
            "subject: expected \"Goodbye\", is \"Welcome\"",
            "\n  codes: 804219",
            "\n  | Your code is 804219",
            "\n  saved: ")) {
            assertTrue(report.contains(part), report);
        }
        Path saved = Path.of(report.substring(report.indexOf("saved: ") + "saved: ".length()).trim());
        assertTrue(Files.size(saved) > 0);
        assertEquals(1, events.reportingEntryPublished().count());
    }

    @Test
    void givesAServerToAClassAndAnAddressToAMethod() throws Exception {
        SEEN.clear();
        run(Isolated.class).assertStatistics(statistics -> statistics.succeeded(3).failed(0));
        assertEquals(3, SEEN.size());
        assertEquals(3, SEEN.stream().distinct().count());
        assertEquals(1, SEEN.stream().map(address -> address.split("@")[1]).distinct().count());
        String server = SEEN.get(0).split("[@.]")[1];
        run(Isolated.class);
        assertNotEquals(server, SEEN.get(3).split("[@.]")[1]);
    }

    @Test
    @ExtendWith(RestanteExtension.class)
    void deletesTheServerOfAClass(Restante restante) throws Exception {
        SEEN.clear();
        run(Isolated.class);
        assertEquals(200, status(restante, "/api/servers/" + restante.serverId()));
        assertEquals(404, status(restante, "/api/servers/" + SEEN.get(0).split("[@.]")[1]));
    }

    @Test
    void usesAnotherService() {
        run(OtherService.class).assertStatistics(statistics -> statistics.failed(1));
    }

    @Test
    void startsAndStopsAService() {
        String command = System.getenv("RESTANTE_COMMAND");
        Assumptions.assumeTrue(command != null, "RESTANTE_COMMAND is not set");
        Connection connection;
        try (ServiceProcess service = ServiceProcess.start(command); Restante own = Restante.create(service.connection(), "x")) {
            connection = service.connection();
            Inbox inbox = own.inbox("x");
            Mailer.send(own, inbox.address(), "Subject: Welcome\r\n", "");
            assertEquals("Welcome", inbox.waitForOne().subject());
        }
        assertThrows(RestanteException.class, () -> Restante.create(connection, "x"));
    }

    @Test
    void recordsTheMailOfATestForAReport(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(System.getenv("RESTANTE_COMMAND") != null, "RESTANTE_COMMAND is not set");
        System.setProperty("restante.record", folder.toString());
        try {
            run(Failing.class);
        } finally {
            System.clearProperty("restante.record");
        }
        try (Stream<Path> files = Files.list(folder)) {
            Path file = files.filter(one -> one.toString().endsWith(".json")).findFirst().orElseThrow();
            JsonObject test = Api.GSON.fromJson(Files.readString(file), JsonObject.class);
            assertEquals("failed", test.get("status").getAsString());
            assertEquals(2, test.getAsJsonArray("waits").size());
            JsonObject wait = test.getAsJsonArray("waits").get(1).getAsJsonObject();
            assertEquals("wait for a message {\"subject\":\"Goodbye\"}", wait.get("title").getAsString());
            assertTrue(wait.get("error").getAsString().startsWith("No message matched"), wait.toString());
            assertEquals("Welcome", test.getAsJsonArray("messages").get(0).getAsJsonObject().get("subject").getAsString());
        }
    }

    private static Events run(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter").selectors(selectClass(testClass)).execute().testEvents();
    }

    private static int status(Restante restante, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(restante.url() + path))
            .header("Authorization", "Bearer " + restante.apiKey())
            .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
    }

    @ExtendWith(RestanteExtension.class)
    static class Failing {
        @Test
        void fails(Restante restante, Inbox inbox) {
            Mailer.send(restante, inbox.address(), "Subject: Welcome\r\n", "Your code is 804219");
            inbox.waitForOne();
            inbox.waitForOne(Search.any().subject("Goodbye").timeout(Duration.ofMillis(10)));
        }
    }

    @ExtendWith(RestanteExtension.class)
    static class Isolated {
        private static Restante ofClass;
        private Inbox ofSetUp;

        @BeforeAll
        static void open(Restante restante) {
            ofClass = restante;
        }

        @BeforeEach
        void open(Inbox inbox) {
            ofSetUp = inbox;
        }

        @Test
        void first(Inbox inbox, Restante restante) {
            see(inbox, restante);
        }

        @Test
        void second(Inbox inbox, Restante restante) {
            see(inbox, restante);
        }

        private void see(Inbox inbox, Restante restante) {
            assertEquals(ofSetUp, inbox);
            assertEquals(ofClass.serverId(), restante.serverId());
            SEEN.add(inbox.address());
        }

        @Nested
        class Inner {
            @Test
            void third(Inbox inbox, Restante restante) {
                see(inbox, restante);
            }
        }
    }

    static class OtherService {
        @RegisterExtension
        static final RestanteExtension RESTANTE =
            RestanteExtension.using(() -> new Connection("http://127.0.0.1:1", "key", "127.0.0.1", 1));

        @Test
        void fails(Inbox inbox) {
            inbox.waitForOne();
        }
    }
}
