package restante.junit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Server of a service: a container of messages to all addresses of its domain. */
public final class Restante implements AutoCloseable {
    /** Mail domain of a service whose settings name no other. */
    public static final String DEFAULT_MAIL_DOMAIN = "restante.example.com";

    /** Lifetime of a server that a test class has created, for test runs that are killed before they delete it. */
    private static final Duration SERVER_TTL = Duration.ofHours(6);

    /** Length of the name in an address, whose local part may have 64 characters (RFC 5321 §4.5.3.1.1). */
    private static final int NAME_LENGTH_MAX = 48;

    private static final int NUMBER_ATTEMPTS_MAX = 5;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Api api;
    private final Connection connection;
    private final String serverId;
    private final boolean isOwn;
    private final Consumer<Inbox> opened;

    private Restante(Api api, Connection connection, String serverId, boolean isOwn, Consumer<Inbox> opened) {
        this.api = api;
        this.connection = connection;
        this.serverId = serverId;
        this.isOwn = isOwn;
        this.opened = opened;
    }

    /**
     * Returns a server that exists.
     *
     * @param connection addresses and key of the service
     * @param serverId id of the server
     * @return the server, which closing does not delete
     */
    public static Restante of(Connection connection, String serverId) {
        return new Restante(new Api(connection.url(), connection.apiKey()), connection, serverId, false, inbox -> {});
    }

    /**
     * Creates a server, which closing deletes, and which expires after six hours otherwise. Needs an account key.
     *
     * @param connection addresses and key of the service
     * @param name name of the server
     * @return the server
     */
    public static Restante create(Connection connection, String name) {
        Api api = new Api(connection.url(), connection.apiKey());
        Map<String, Object> body = Map.of("name", name, "ttlSeconds", SERVER_TTL.toSeconds());
        JsonObject server = api.post("/api/servers", Map.of(), body, Duration.ZERO).getAsJsonObject();
        return new Restante(api, connection, server.get("id").getAsString(), true, inbox -> {});
    }

    /**
     * Returns the base URL.
     *
     * @return base URL of the API and of the web UI
     */
    public String url() {
        return api.url;
    }

    /**
     * Returns the key.
     *
     * @return key of the requests
     */
    public String apiKey() {
        return api.apiKey;
    }

    /**
     * Returns the SMTP host.
     *
     * @return host to which the application under test sends its mail
     */
    public String smtpHost() {
        return connection.smtpHost();
    }

    /**
     * Returns the SMTP port.
     *
     * @return port to which the application under test sends its mail
     */
    public int smtpPort() {
        return connection.smtpPort();
    }

    /**
     * Returns the id.
     *
     * @return id of the server
     */
    public String serverId() {
        return serverId;
    }

    /**
     * Returns the domain.
     *
     * @return mail domain of the server
     */
    public String domain() {
        return serverId + "." + connection.mailDomain();
    }

    /**
     * Returns an inbox with a new address.
     *
     * @param name name to recognise in the address
     * @return the inbox
     */
    public Inbox inbox(String name) {
        String readable = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        readable = readable.substring(0, Math.min(readable.length(), NAME_LENGTH_MAX)).replaceAll("^-|-$", "");
        String unique = String.format("%010x", RANDOM.nextLong() & 0xff_ffff_ffffL);
        return inboxAt((readable.isEmpty() ? unique : readable + "-" + unique) + "@" + domain());
    }

    /**
     * Returns the inbox of an address. Tests that share an address see each other's mail.
     *
     * @param address e-mail address in the domain of the server
     * @return the inbox
     */
    public Inbox inboxAt(String address) {
        Inbox inbox = new Inbox(api, serverId, address);
        opened.accept(inbox);
        return inbox;
    }

    /**
     * Adds a random phone number to the server. Needs an account key.
     *
     * @return the inbox of the number
     */
    public PhoneInbox phone() {
        for (int attempt = 1; ; attempt++) {
            String number = String.format("+1555%07d", RANDOM.nextInt(10_000_000));
            try {
                Map<String, String> body = Map.of("number", number, "server", serverId);
                JsonObject added = api.post("/api/phone-numbers", Map.of(), body, Duration.ZERO).getAsJsonObject();
                PhoneInbox inbox = new PhoneInbox(api, serverId, number, added.get("id").getAsString());
                opened.accept(inbox);
                return inbox;
            } catch (ResponseException error) {
                // 409: the number exists.
                if (error.status() != 409 || attempt == NUMBER_ATTEMPTS_MAX) {
                    throw error;
                }
            }
        }
    }

    /**
     * Waits until messages have met all steps in their order.
     *
     * @param steps the steps
     * @throws JourneyError if a step is not met in time
     */
    public void journey(Step... steps) {
        List<Object> body = Arrays.stream(steps).map(Step::json).collect(Collectors.toList());
        Map<String, Object> query = Map.of("server", serverId, "timeout", Search.DEFAULT_TIMEOUT.toMillis());
        try {
            api.post("/api/messages/journey", query, Map.of("steps", body), Duration.ofMinutes(2));
        } catch (ResponseException error) {
            if (!error.body().has("failures")) {
                throw error;
            }
            List<String> reasons = new ArrayList<>();
            for (JsonElement failure : error.body().getAsJsonArray("failures")) {
                reasons.add(failure.getAsJsonObject().get("text").getAsString());
            }
            throw new JourneyError(reasons);
        }
    }

    /** Deletes the server with all its messages, if it was created by {@link #create} and the service still runs. */
    @Override
    public void close() {
        if (!isOwn) {
            return;
        }
        try {
            api.delete("/api/servers/" + serverId);
        } catch (ResponseException error) {
            throw error;
        } catch (RestanteException error) {
            // Such as a container that a test class has stopped in its last method. The server is gone or expires.
            System.getLogger(Restante.class.getName()).log(System.Logger.Level.INFO, "server not deleted: " + error.getMessage());
        }
    }

    /** Returns the same server for one test; the function is called with each of its inboxes. */
    Restante observedBy(Consumer<Inbox> observer) {
        return new Restante(api, connection, serverId, false, observer);
    }
}
