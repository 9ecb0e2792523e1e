package restante.junit;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reply to a message: the text above the quoted original. Each method returns a copy with one more part. */
public final class Reply {
    private final Map<String, Object> json;

    private Reply(Map<String, Object> json) {
        this.json = json;
    }

    /**
     * Returns a reply.
     *
     * @param text plain text
     * @return the reply
     */
    public static Reply text(String text) {
        return new Reply(Map.of("text", text));
    }

    /**
     * Adds the HTML.
     *
     * @param html HTML text
     * @return the reply with this part
     */
    public Reply html(String html) {
        return with("html", html);
    }

    /**
     * Adds a further recipient.
     *
     * @param address one plain address
     * @return the reply with this part
     */
    public Reply cc(String address) {
        return with("cc", address);
    }

    /**
     * Attaches a file.
     *
     * @param fileName file name
     * @param contentType media type, such as {@code application/pdf}
     * @param content bytes
     * @return the reply with this part
     */
    public Reply attach(String fileName, String contentType, byte[] content) {
        List<Object> attachments = new ArrayList<>();
        if (json.get("attachments") instanceof List) {
            attachments.addAll((List<?>) json.get("attachments"));
        }
        String encoded = Base64.getEncoder().encodeToString(content);
        attachments.add(Map.of("fileName", fileName, "contentType", contentType, "content", encoded));
        return with("attachments", Collections.unmodifiableList(attachments));
    }

    Map<String, Object> json() {
        return json;
    }

    private Reply with(String name, Object value) {
        Map<String, Object> parts = new TreeMap<>(json);
        parts.put(name, value);
        return new Reply(parts);
    }
}
