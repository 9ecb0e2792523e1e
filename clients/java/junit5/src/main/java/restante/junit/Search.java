package restante.junit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Criteria and time of a wait. Each method returns a copy with one more criterion:
 * {@code Search.any().subject("Welcome").timeout(Duration.ofSeconds(30))}.
 */
public final class Search {
    /** Longest time of a wait whose search names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    /** Time of {@code expectNone} when its search names none. */
    public static final Duration DEFAULT_ABSENCE = Duration.ofSeconds(2);

    /** Time in which {@code expectExactly} waits for further messages when its search names none. */
    public static final Duration DEFAULT_SETTLE = Duration.ofSeconds(1);

    static final int COUNT_MAX = 100;

    private static final Duration REQUEST_WAIT_MAX = Duration.ofMinutes(1);
    private static final Search ANY = new Search(Map.of(), Map.of(), null, DEFAULT_SETTLE);

    private final Map<String, String> criteria;
    private final Map<String, String> parameters;
    private final Duration timeout;
    private final Duration settle;

    private Search(Map<String, String> criteria, Map<String, String> parameters, Duration timeout, Duration settle) {
        this.criteria = criteria;
        this.parameters = parameters;
        this.timeout = timeout;
        this.settle = settle;
    }

    /**
     * Returns a search that every message matches.
     *
     * @return the search
     */
    public static Search any() {
        return ANY;
    }

    /**
     * Adds the recipient. Waits of an inbox set it.
     *
     * @param address whole address or number of a recipient
     * @return the search with this criterion
     */
    public Search sentTo(String address) {
        return with("sentTo", address);
    }

    /**
     * Adds the sender.
     *
     * @param address whole address or number of the sender
     * @return the search with this criterion
     */
    public Search sentFrom(String address) {
        return with("sentFrom", address);
    }

    /**
     * Adds the subject.
     *
     * @param part part of the subject
     * @return the search with this criterion
     */
    public Search subject(String part) {
        return with("subject", part);
    }

    /**
     * Adds the body.
     *
     * @param part part of the text, of the HTML source, or of the visible text of the HTML
     * @return the search with this criterion
     */
    public Search body(String part) {
        return with("body", part);
    }

    /**
     * Adds the provider.
     *
     * @param name name of the provider through whose API the message was submitted, such as {@code sendgrid}
     * @return the search with this criterion
     */
    public Search provider(String name) {
        return with("provider", name);
    }

    /**
     * Adds the id at the provider.
     *
     * @param id id of the message in the response of the provider's API
     * @return the search with this criterion
     */
    public Search providerId(String id) {
        return with("providerId", id);
    }

    /**
     * Adds the tag.
     *
     * @param tag one of the tags of the message at the provider
     * @return the search with this criterion
     */
    public Search tag(String tag) {
        return with("tag", tag);
    }

    /**
     * Searches the messages that were sent from the server instead of those that it received.
     *
     * @return the search with this parameter
     */
    public Search sent() {
        return new Search(criteria, added(parameters, "dir", "Sent"), timeout, settle);
    }

    /**
     * Leaves out messages received until an instant.
     *
     * @param instant the instant
     * @return the search with this parameter
     */
    public Search receivedAfter(Instant instant) {
        return new Search(criteria, added(parameters, "receivedAfter", instant.toString()), timeout, settle);
    }

    /**
     * Sets the longest time of the wait.
     *
     * @param time the time
     * @return the search with this time
     */
    public Search timeout(Duration time) {
        return new Search(criteria, parameters, time, settle);
    }

    /**
     * Sets the time in which no further message may match, for {@code expectExactly}.
     *
     * @param time the time
     * @return the search with this time
     */
    public Search settle(Duration time) {
        return new Search(criteria, parameters, timeout, time);
    }

    /** Returns the criteria as JSON, for messages of errors. */
    @Override
    public String toString() {
        return Api.GSON.toJson(criteria);
    }

    Map<String, String> criteria() {
        return criteria;
    }

    /** Returns the newest matches, the oldest first, as soon as there are so many. */
    List<JsonObject> waitForMany(Api api, String server, int count) {
        requireCount(count);
        long deadline = System.nanoTime() + timeoutOr(DEFAULT_TIMEOUT).toNanos();
        while (true) {
            Duration wait = slice(deadline);
            Map<String, Object> query = fullQuery(server, wait, count);
            query.put("count", count);
            JsonObject found = post(api, query, wait).getAsJsonObject();
            List<JsonObject> items = objects(found.getAsJsonArray("items"));
            if (found.get("explanation").isJsonNull()) {
                return rest(api, server, items, count);
            }
            if (System.nanoTime() >= deadline) {
                throw new NoMatchError(toString(), items.size(), count, explanation(found));
            }
        }
    }

    /** Throws as soon as a message matches within the time. */
    void expectNone(Api api, String server) {
        long deadline = System.nanoTime() + timeoutOr(DEFAULT_ABSENCE).toNanos();
        do {
            Duration wait = slice(deadline);
            Map<String, Object> query = query(server, wait);
            query.put("absent", true);
            try {
                post(api, query, wait);
            } catch (ResponseException error) {
                throw unexpected(error, 0);
            }
        } while (System.nanoTime() < deadline);
    }

    /** Returns the matches, the oldest first, when there are exactly so many. */
    List<JsonObject> expectExactly(Api api, String server, int count) {
        requireCount(count);
        Duration wait = timeoutOr(DEFAULT_TIMEOUT);
        Map<String, Object> query = fullQuery(server, wait, Math.min(count + 1, COUNT_MAX));
        query.put("expect", count);
        query.put("settle", settle.toMillis());
        try {
            JsonObject found = post(api, query, wait).getAsJsonObject();
            return rest(api, server, objects(found.getAsJsonArray("items")), count);
        } catch (ResponseException error) {
            throw unexpected(error, count);
        }
    }

    /** Returns the messages that are there, the newest 100, the oldest first. */
    List<JsonObject> list(Api api, String server) {
        // Without the time-out the service holds repeated empty searches for a second, for clients that poll.
        Map<String, Object> query = query(server, Duration.ZERO);
        query.put("full", true);
        query.put("itemsPerPage", COUNT_MAX);
        List<JsonObject> items = objects(post(api, query, Duration.ZERO).getAsJsonArray());
        Collections.reverse(items);
        return items;
    }

    /** Adds the matches before the given ones, because a page ends early when its messages are large, and reverses them. */
    private List<JsonObject> rest(Api api, String server, List<JsonObject> items, int count) {
        List<JsonObject> found = new ArrayList<>(items);
        while (found.size() < count) {
            Map<String, Object> query = query(server, Duration.ZERO);
            query.put("full", true);
            query.put("itemsPerPage", count - found.size());
            query.put("before", found.get(found.size() - 1).get("id").getAsString());
            List<JsonObject> more = objects(post(api, query, Duration.ZERO).getAsJsonArray());
            if (more.isEmpty()) {
                break;
            }
            found.addAll(more);
        }
        Collections.reverse(found);
        return found;
    }

    private Map<String, Object> query(String server, Duration wait) {
        Map<String, Object> query = new TreeMap<>(parameters);
        query.put("server", server);
        query.put("timeout", wait.toMillis());
        return query;
    }

    private Map<String, Object> fullQuery(String server, Duration wait, int count) {
        Map<String, Object> query = query(server, wait);
        query.put("explain", true);
        query.put("full", true);
        query.put("itemsPerPage", count);
        return query;
    }

    private JsonElement post(Api api, Map<String, Object> query, Duration wait) {
        return api.post("/api/messages/search", query, criteria, wait);
    }

    /** Converts the conflict that a search reports; throws other errors unchanged. */
    private AssertionError unexpected(ResponseException error, int expected) {
        if (error.status() != 409 || !error.body().has("messages")) {
            throw error;
        }
        List<JsonObject> messages = objects(error.body().getAsJsonArray("messages"));
        if (messages.size() < expected) {
            return new NoMatchError(toString(), messages.size(), expected, explanation(error.body()));
        }
        List<String> lines = new ArrayList<>();
        messages.forEach(message -> lines.add(Message.summaryOf(message)));
        return new UnexpectedMessageError(toString(), expected, lines);
    }

    private static String explanation(JsonObject found) {
        JsonElement explanation = found.get("explanation");
        return explanation == null || explanation.isJsonNull()
            ? ""
            : explanation.getAsJsonObject().get("text").getAsString();
    }

    private Duration timeoutOr(Duration otherwise) {
        return timeout == null ? otherwise : timeout;
    }

    private static Duration slice(long deadline) {
        Duration remaining = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        return remaining.compareTo(REQUEST_WAIT_MAX) < 0 ? remaining : REQUEST_WAIT_MAX;
    }

    private static List<JsonObject> objects(JsonArray items) {
        List<JsonObject> result = new ArrayList<>();
        items.forEach(item -> result.add(item.getAsJsonObject()));
        return result;
    }

    private static void requireCount(int count) {
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("count must be 1 to " + COUNT_MAX + ", not " + count);
        }
    }

    private Search with(String criterion, String value) {
        return new Search(added(criteria, criterion, value), parameters, timeout, settle);
    }

    private static Map<String, String> added(Map<String, String> to, String name, String value) {
        Map<String, String> result = new TreeMap<>(to);
        result.put(name, value);
        return Collections.unmodifiableMap(result);
    }
}
