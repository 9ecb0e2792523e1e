package restante.junit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;

/** Error response of the service. */
public final class ResponseException extends RestanteException {
    private static final long serialVersionUID = 1L;

    /** Characters of a body that is not JSON, such as the page of a proxy, that the message shows. */
    private static final int EXCERPT_LENGTH_MAX = 200;

    private final int status;
    private final String type;
    private final transient JsonObject body;

    private ResponseException(String message, int status, String type, JsonObject body) {
        super(message, null);
        this.status = status;
        this.type = type;
        this.body = body;
    }

    static ResponseException of(String call, int status, String content) {
        JsonObject body = parse(content);
        StringBuilder message = new StringBuilder(call + " failed with " + status + ": ");
        if (!body.has("message")) {
            message.append(content, 0, Math.min(content.length(), EXCERPT_LENGTH_MAX));
            return new ResponseException(message.toString(), status, "Unknown", body);
        }
        message.append(body.get("message").getAsString());
        for (JsonElement entry : body.getAsJsonArray("errors")) {
            JsonObject field = entry.getAsJsonObject();
            for (JsonElement detail : field.getAsJsonArray("detail")) {
                String description = detail.getAsJsonObject().get("description").getAsString();
                message.append("\n- ").append(field.get("field").getAsString()).append(": ").append(description);
            }
        }
        return new ResponseException(message.toString(), status, body.get("type").getAsString(), body);
    }

    /**
     * Returns the HTTP status.
     *
     * @return the HTTP status
     */
    public int status() {
        return status;
    }

    /**
     * Returns the kind of error.
     *
     * @return the kind of error, such as {@code ValidationError}
     */
    public String type() {
        return type;
    }

    JsonObject body() {
        return body;
    }

    private static JsonObject parse(String content) {
        try {
            JsonElement parsed = JsonParser.parseString(content);
            return parsed.isJsonObject() ? parsed.getAsJsonObject() : new JsonObject();
        } catch (JsonParseException notFromTheService) {
            // The message shows the text.
            return new JsonObject();
        }
    }
}
