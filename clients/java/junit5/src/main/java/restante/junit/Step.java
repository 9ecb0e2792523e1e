package restante.junit;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Step of a journey: messages that match, or a time in which none does. */
public final class Step {
    private final Map<String, Object> json;

    private Step(Map<String, Object> json) {
        this.json = json;
    }

    /**
     * Returns a step that one message meets.
     *
     * @param search criteria of the message
     * @return the step
     */
    public static Step message(Search search) {
        return messages(1, search);
    }

    /**
     * Returns a step that several messages meet.
     *
     * @param count number of messages
     * @param search criteria of each message
     * @return the step
     */
    public static Step messages(int count, Search search) {
        Map<String, Object> json = new TreeMap<>(search.criteria());
        json.put("count", count);
        return new Step(json);
    }

    /**
     * Returns a step in which no message matches.
     *
     * @param time the time
     * @param search criteria
     * @return the step
     */
    public static Step quiet(Duration time, Search search) {
        Map<String, Object> json = new TreeMap<>(search.criteria());
        json.put("quiet", time.toMillis());
        return new Step(json);
    }

    Map<String, Object> json() {
        return json;
    }
}
