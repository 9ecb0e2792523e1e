package restante.junit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RestanteExtension.class)
class InboxTest {
    private static final Duration SHORT = Duration.ofMillis(10);
    private static final String HTML = "<p>Your code is <b>804219</b></p>"
        + "<a href=\"https://a.example/1\">Confirm  address</a> <a href=\"https://a.example/2\">Help</a>";

    @Test
    void readsTheCodeAndLinksOfAMail(Restante restante, Inbox inbox) {
        Mailer.send(restante, inbox.address(), "Subject: Welcome\r\nContent-Type: text/html\r\n", HTML);
        Message message = inbox.waitForOne(Search.any().subject("welcome"));
        assertEquals("804219", message.code());
        assertEquals("804219", message.code(Pattern.compile("\\d{6}")));
        assertEquals("https://a.example/1", message.link("confirm address"));
        assertEquals("https://a.example/2", message.link("HELP"));
        assertEquals("https://a.example/2", message.link("example/2"));
        assertEquals("Shop <shop@example.com>", message.from().get(0).toString());
        assertEquals(inbox.address(), message.to().get(0).address());
        assertTrue(message.received().isAfter(Instant.now().minus(Duration.ofMinutes(5))));
        assertMessage(ContentError.class, message::link, "has 2 different links. Its links:\n- \"Confirm address\" https");
        assertMessage(ContentError.class, () -> message.link("Sign in"), "has no link \"Sign in\". Its links:");
        assertMessage(ContentError.class, () -> message.code(Pattern.compile("x")), "Its codes: 804219");
    }

    @Test
    void comparesAMailWithItsSnapshot(Restante restante, Inbox inbox) throws IOException {
        Mailer.send(restante, inbox.address(), "Subject: Welcome Ada\r\nContent-Type: text/html\r\n", HTML);
        Message message = inbox.waitForOne();
        String name = "made by a test " + System.nanoTime();
        MailSnapshot snapshot = MailSnapshot.named(name).mask("customer", "Ada");
        Path file = Path.of("src", "test", "mail-snapshots", name.replace(' ', '-') + ".txt");
        assertMessage(AssertionError.class, () -> snapshot.assertMatches(message), "There is no snapshot ");
        try {
            System.setProperty("restante.updateSnapshots", "true");
            snapshot.assertMatches(message);
            System.clearProperty("restante.updateSnapshots");
            snapshot.assertMatches(message);
            assertTrue(Files.readString(file).startsWith("Subject: Welcome {customer}\n"), Files.readString(file));
            Files.writeString(file, "Subject: Welcome\n");
            assertMessage(AssertionError.class, () -> snapshot.assertMatches(message), "differs from its snapshot");
        } finally {
            System.clearProperty("restante.updateSnapshots");
            Files.deleteIfExists(file);
            Files.deleteIfExists(file.getParent());
        }
    }

    @Test
    void judgesAMailByABudget(Restante restante, Inbox inbox) {
        Mailer.send(restante, inbox.address(), "Subject: Welcome\r\nContent-Type: text/html\r\n", HTML);
        Message message = inbox.waitForOne();
        new MailBudget().maxLinks(2).maxHtmlKb(102).support("outlook", 100).assertMeets(message);
        assertMessage(
            AssertionError.class,
            () -> new MailBudget().maxLinks(1).assertMeets(message),
            "maxLinks: 2, expected at most 1\n    Is more than the limit (line 2: https://a.example/2)");
    }

    @Test
    void returnsManyMessagesInTheirOrder(Restante restante, Inbox inbox) {
        for (String subject : List.of("one", "two", "three")) {
            Mailer.send(restante, inbox.address(), "Subject: " + subject + "\r\n", "");
        }
        Search search = Search.any().settle(SHORT).timeout(SHORT);
        assertEquals(List.of("one", "two", "three"), subjects(inbox.waitForMany(3)));
        assertEquals(List.of("one", "two", "three"), subjects(inbox.expectExactly(3, search)));
        assertMessage(NoMatchError.class, () -> inbox.waitForMany(4, search), "3 of 4 messages matched {\"sentTo\":");
        assertMessage(NoMatchError.class, () -> inbox.expectExactly(4, search), "3 of 4 messages matched");
        assertMessage(UnexpectedMessageError.class, () -> inbox.expectExactly(2, search), "Expected 2, and ");
        assertThrows(IllegalArgumentException.class, () -> inbox.waitForMany(101));
    }

    @Test
    void waitsForAMailThatArrivesLater(Restante restante, Inbox inbox) throws InterruptedException {
        Thread sender = new Thread(() -> Mailer.send(restante, inbox.address(), "Subject: Later\r\n", ""));
        sender.start();
        assertEquals("Later", inbox.waitForOne(Search.any().timeout(Duration.ofSeconds(30))).subject());
        sender.join();
    }

    @Test
    void explainsWhyNothingMatched(Restante restante, Inbox inbox) {
        Mailer.send(restante, inbox.address(), "Subject: Welcome\r\n", "No digits here");
        Message message = inbox.waitForOne();
        assertMessage(
            NoMatchError.class,
            () -> inbox.waitForOne(Search.any().subject("Goodbye").timeout(SHORT)),
            "subject: expected \"Goodbye\", is \"Welcome\"");
        assertMessage(ContentError.class, message::code, "has no one-time code. It begins: \"No digits here\"");
        assertMessage(ContentError.class, message::link, "has no links. It begins: \"No digits here\"");
        assertMessage(ContentError.class, () -> message.attachment("a.pdf"), "no attachment \"a.pdf\"");
    }

    @Test
    void expectsNoMessage(Restante restante, Inbox inbox) {
        inbox.expectNone(Search.any().timeout(SHORT));
        Inbox other = restante.inbox("other");
        assertTrue(other.address().startsWith("other-"), other.address());
        Mailer.send(restante, other.address(), "Subject: Surprise\r\n", "");
        other.waitForOne();
        inbox.expectNone(Search.any().timeout(SHORT));
        assertMessage(UnexpectedMessageError.class, other::expectNone, "Expected none, and 1 matched");
    }

    @Test
    void deletesOnlyItsOwnMessages(Restante restante, Inbox inbox) {
        try (Inbox other = restante.inbox("other")) {
            Mailer.send(restante, other.address(), "Subject: Other\r\n", "");
            Mailer.send(restante, inbox.address(), "Subject: Own\r\nReply-To: " + other.address() + "\r\n", "");
            inbox.waitForOne().reply("Thanks");
            other.waitForMany(2);
            inbox.close();
            assertEquals(List.of(), inbox.messages());
            assertEquals(2, other.messages().size());
        }
    }

    @Test
    void repliesWithAnAttachment(Restante restante, Inbox inbox) {
        Inbox application = restante.inbox("application");
        Mailer.send(restante, inbox.address(), "Subject: Question\r\nReply-To: " + application.address() + "\r\n", "Yes?");
        byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        Message sent = inbox.waitForOne().reply(Reply.text("Yes").attach("a.txt", "text/plain", content));
        assertEquals("Re: Question", sent.subject());
        Message received = application.waitForOne(Search.any().sentFrom(inbox.address()));
        assertArrayEquals(content, received.attachment("a.txt").content());
        assertTrue(new String(received.raw(), StandardCharsets.UTF_8).contains("Subject: Re: Question"));
        assertEquals("PK", new String(received.bundle(), 0, 2, StandardCharsets.US_ASCII));
    }

    @Test
    void receivesSms(PhoneInbox phone) {
        phone.receiveSms("Shop", "Your code is 117204");
        Message message = phone.waitForOne();
        assertEquals("SMS", message.type());
        assertEquals("117204", message.code());
        assertEquals("Shop", message.from().get(0).address());
    }

    @Test
    void findsDuplicatesAndFollowsAJourney(Restante restante, Inbox inbox) {
        Search own = Search.any().sentTo(inbox.address());
        Mailer.send(restante, inbox.address(), "Subject: Your code\r\n", "Your code is 804219");
        inbox.expectNoDuplicates();
        Mailer.send(restante, inbox.address(), "Subject: Your code\r\n", "Your code is 117204");
        restante.journey(Step.messages(2, own), Step.quiet(SHORT, own));
        assertMessage(DuplicatesError.class, inbox::expectNoDuplicates, "2 times \"Your code\"");
        assertMessage(
            JourneyError.class,
            () -> restante.journey(Step.message(own), Step.quiet(Duration.ofSeconds(30), own)),
            "The journey is not complete:\n- ");
    }

    @Test
    void reportsErrorsOfTheService(Restante restante) {
        Connection wrongKey = new Connection(restante.url(), "wrong-key", restante.smtpHost(), restante.smtpPort());
        ResponseException error = assertThrows(ResponseException.class, () -> Restante.create(wrongKey, "x"));
        assertEquals(401, error.status());
        Connection same = new Connection(restante.url(), restante.apiKey(), restante.smtpHost(), restante.smtpPort());
        assertMessage(ResponseException.class, () -> Restante.create(same, ""), "\n- name: Servers need a name");
        Connection nowhere = new Connection("http://127.0.0.1:1", "key", "127.0.0.1", 1);
        assertMessage(RestanteException.class, () -> Restante.create(nowhere, "x"), "no response from http://127.0.0.1:1");
    }

    @Test
    void reportsTheOutputOfAServiceThatDoesNotStart() {
        assertMessage(RestanteException.class, () -> ServiceProcess.start("no-such-command"), "Cannot run no-such-command");
        assertMessage(RestanteException.class, () -> ServiceProcess.start("java --no-such-flag"), "no-such-flag");
    }

    private static List<String> subjects(List<Message> messages) {
        return messages.stream().map(Message::subject).collect(Collectors.toList());
    }

    private static void assertMessage(Class<? extends Throwable> type, Runnable action, String part) {
        Throwable error = assertThrows(type, action::run);
        assertTrue(error.getMessage().contains(part), error.getMessage());
    }
}
