package restante.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends mail by SMTP, in place of the application under test. */
final class Mailer {
    private Mailer() {}

    static void send(Restante restante, String to, String header, String body) {
        try (Socket socket = new Socket(restante.smtpHost(), restante.smtpPort())) {
            BufferedReader replies =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            expect(replies, "220");
            for (String command : new String[] {"HELO app", "MAIL FROM:<shop@example.com>", "RCPT TO:<" + to + ">"}) {
                write(socket.getOutputStream(), command);
                expect(replies, "250");
            }
            write(socket.getOutputStream(), "DATA");
            expect(replies, "354");
            write(socket.getOutputStream(), "From: Shop <shop@example.com>\r\nTo: " + to + "\r\n" + header);
            write(socket.getOutputStream(), "\r\n" + body + "\r\n.");
            expect(replies, "250");
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    private static void write(OutputStream output, String line) throws IOException {
        output.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void expect(BufferedReader replies, String code) throws IOException {
        String reply = replies.readLine();
        if (reply == null || !reply.startsWith(code)) {
            throw new AssertionError("SMTP: " + reply);
        }
    }
}
