package restante.junit;

import java.time.Duration;
import java.util.Map;

/** Inbox whose address is a phone number. Closing it deletes the number with its SMS. */
public final class PhoneInbox extends Inbox {
    private final String numberId;

    PhoneInbox(Api api, String serverId, String number, String numberId) {
        super(api, serverId, number);
        this.numberId = numberId;
    }

    /**
     * Stores an SMS to the number, as if the sender had sent it.
     *
     * @param sender a number, or a name of at most 11 letters
     * @param text text of the SMS
     * @return the SMS
     */
    public Message receiveSms(String sender, String text) {
        Map<String, String> body = Map.of("from", sender, "to", address(), "text", text);
        return toMessage(api().post("/api/sms", Map.of(), body, Duration.ZERO).getAsJsonObject());
    }

    /** Deletes the SMS of the number, and the number. */
    @Override
    public void close() {
        clear();
        api().delete("/api/phone-numbers/" + numberId);
    }
}
