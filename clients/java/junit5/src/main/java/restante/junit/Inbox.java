package restante.junit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Recipient of its own: all waits see only messages to {@link #address}. Closing it deletes these messages and the replies
 * that were sent, and no others.
 */
public class Inbox implements AutoCloseable {
    private final Api api;
    private final String serverId;
    private final String address;
    private final List<Message> sent = new ArrayList<>();
    private final List<JsonObject> waits = new ArrayList<>();
    private final Instant createdAt = Instant.now();
    private NoMatchError failedWait;

    Inbox(Api api, String serverId, String address) {
        this.api = api;
        this.serverId = serverId;
        this.address = address;
    }

    /**
     * Returns the address.
     *
     * @return an e-mail address, or a phone number in international form
     */
    public String address() {
        return address;
    }

    /**
     * Returns the newest message, as soon as there is one.
     *
     * @return the message
     * @throws NoMatchError if there is none in time
     */
    public Message waitForOne() {
        return waitForOne(Search.any());
    }

    /**
     * Returns the newest message that matches, as soon as there is one.
     *
     * @param search criteria and time of the wait
     * @return the message
     * @throws NoMatchError if nothing matches in time
     */
    public Message waitForOne(Search search) {
        return waitForMany(1, search).get(0);
    }

    /**
     * Returns the newest messages, the oldest first, as soon as there are so many.
     *
     * @param count number of messages, at most 100
     * @return the messages
     * @throws NoMatchError if there are fewer in time
     */
    public List<Message> waitForMany(int count) {
        return waitForMany(count, Search.any());
    }

    /**
     * Returns the newest messages that match, the oldest first, as soon as there are so many.
     *
     * @param count number of messages, at most 100
     * @param search criteria and time of the wait
     * @return the messages
     * @throws NoMatchError if fewer match in time
     */
    public List<Message> waitForMany(int count, Search search) {
        String title = count == 1 ? "wait for a message" : "wait for " + count + " messages";
        return toMessages(observed(title, search, own -> own.waitForMany(api, serverId, count)));
    }

    /**
     * Waits for two seconds.
     *
     * @throws UnexpectedMessageError as soon as there is a message
     */
    public void expectNone() {
        expectNone(Search.any());
    }

    /**
     * Waits for the time of the search, by default {@link Search#DEFAULT_ABSENCE}.
     *
     * @param search criteria and time of the wait
     * @throws UnexpectedMessageError as soon as a message matches
     */
    public void expectNone(Search search) {
        observed("expect no message", search, own -> {
            own.expectNone(api, serverId);
            return List.of();
        });
    }

    /**
     * Returns the messages, the oldest first, when exactly so many are there and no more follow within a second.
     *
     * @param count number of messages, at most 100
     * @return the messages
     * @throws NoMatchError if there are fewer in time
     * @throws UnexpectedMessageError if there are more
     */
    public List<Message> expectExactly(int count) {
        return expectExactly(count, Search.any());
    }

    /**
     * Returns the matches, the oldest first, when exactly so many messages match and no more follow within the settle time
     * of the search.
     *
     * @param count number of messages, at most 100
     * @param search criteria and times of the wait
     * @return the messages
     * @throws NoMatchError if fewer match in time
     * @throws UnexpectedMessageError if more match
     */
    public List<Message> expectExactly(int count, Search search) {
        String title = "expect exactly " + count + " messages";
        return toMessages(observed(title, search, own -> own.expectExactly(api, serverId, count)));
    }

    /**
     * Expects that no message was sent twice, compared without codes, ids and times.
     *
     * @throws DuplicatesError if one was
     */
    public void expectNoDuplicates() {
        List<String> groups = new ArrayList<>();
        Map<String, String> query = Map.of("server", serverId, "sentTo", address);
        for (JsonElement group : api.get("/api/messages/duplicates", query).getAsJsonArray()) {
            JsonObject found = group.getAsJsonObject();
            groups.add(found.get("count") + " times " + found.get("subject"));
        }
        if (!groups.isEmpty()) {
            throw new DuplicatesError(address, groups);
        }
    }

    /**
     * Returns the messages that are there, without waiting.
     *
     * @return the newest 100, the oldest first
     */
    public List<Message> messages() {
        return toMessages(own(Search.any()).list(api, serverId));
    }

    /** Deletes the messages to this inbox and the replies that were sent from it; no others. */
    public void clear() {
        List<Message> found;
        do {
            found = messages();
            found.forEach(Message::delete);
            sent.forEach(Message::delete);
            sent.clear();
        } while (found.size() == Search.COUNT_MAX);
    }

    /** Deletes what belongs to the inbox. */
    @Override
    public void close() {
        clear();
    }

    /** Returns the address. */
    @Override
    public String toString() {
        return address;
    }

    Api api() {
        return api;
    }

    /** Returns the last wait that found too few messages; null if there is none. */
    NoMatchError failedWait() {
        return failedWait;
    }

    /** Returns the first waits that ended, in the form of a record. */
    List<JsonObject> waits() {
        return waits;
    }

    Instant createdAt() {
        return createdAt;
    }

    void addSent(Message message) {
        sent.add(message);
    }

    Message toMessage(JsonObject json) {
        return new Message(api, this, json);
    }

    private Search own(Search search) {
        return search.sentTo(address);
    }

    private List<JsonObject> observed(String title, Search search, Function<Search, List<JsonObject>> wait) {
        Instant startedAt = Instant.now();
        long start = System.nanoTime();
        Throwable failure = null;
        try {
            return wait.apply(own(search));
        } catch (NoMatchError error) {
            failedWait = error;
            failure = error;
            throw error;
        } catch (RuntimeException | AssertionError error) {
            failure = error;
            throw error;
        } finally {
            if (waits.size() < MailRecord.WAITS_MAX) {
                String criteria = search.criteria().isEmpty() ? "" : " " + search;
                waits.add(MailRecord.wait(title + criteria, startedAt, (System.nanoTime() - start) / 1e6, failure));
            }
        }
    }

    private List<Message> toMessages(List<JsonObject> items) {
        return items.stream().map(this::toMessage).collect(Collectors.toList());
    }
}
