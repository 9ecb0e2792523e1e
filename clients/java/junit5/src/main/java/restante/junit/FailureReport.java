package restante.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Report of a failed test: its mail, why nothing matched, and an archive of each message in a folder. */
final class FailureReport {
    /** Messages of an inbox that the report shows: the newest ones. */
    private static final int MESSAGES_MAX = 5;

    private static final int TEXT_LENGTH_MAX = 1000;

    private FailureReport() {}

    /** Saves the messages and describes them. Never throws errors of the service, which would hide those of the test. */
    static String of(List<Inbox> inboxes, Path folder) {
        StringBuilder text = new StringBuilder("Mail of the test");
        for (Inbox inbox : inboxes) {
            text.append("\nInbox ").append(inbox.address());
            if (inbox.failedWait() != null) {
                text.append('\n').append(inbox.failedWait().getMessage());
            }
            try {
                List<Message> messages = inbox.messages();
                if (messages.isEmpty()) {
                    text.append("\nNo message arrived.");
                }
                for (Message message : messages.subList(Math.max(0, messages.size() - MESSAGES_MAX), messages.size())) {
                    describe(message, text);
                    text.append(save(message, folder));
                }
            } catch (RestanteException error) {
                text.append("\nThe messages are missing: ").append(error.getMessage());
            }
        }
        return text.toString();
    }

    private static void describe(Message message, StringBuilder text) {
        text.append("\n- ").append(message);
        if (!message.codes().isEmpty()) {
            text.append("\n  codes: ").append(String.join(", ", message.codes()));
        }
        message.links().forEach(link -> text.append("\n  link ").append(link));
        String body = message.text().isEmpty() ? message.html() : message.text();
        body.substring(0, Math.min(body.length(), TEXT_LENGTH_MAX)).trim().lines()
            .forEach(line -> text.append("\n  | ").append(line));
    }

    private static String save(Message message, Path folder) {
        try {
            Path file = Files.createDirectories(folder).resolve(message.id() + ".zip");
            Files.write(file, message.bundle());
            return "\n  saved: " + file;
        } catch (IOException | RestanteException error) {
            return "\n  not saved: " + error.getMessage();
        }
    }
}
