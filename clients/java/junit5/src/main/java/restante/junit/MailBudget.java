package restante.junit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import org.junit.jupiter.api.Assertions;

/**
 * Limits that a mail has to meet.
 *
 * <pre>{@code
 * new MailBudget().maxHtmlKb(102).support("outlook", 95).spamScore(3).assertMeets(message);
 * }</pre>
 */
public final class MailBudget {
    private final JsonObject limits = new JsonObject();
    private final JsonArray support = new JsonArray();

    /** Creates a budget without limits. */
    public MailBudget() {}

    /**
     * Limits the HTML.
     *
     * @param kilobytes most kilobytes; Gmail clips a mail after 102
     * @return this budget
     */
    public MailBudget maxHtmlKb(double kilobytes) {
        return with("maxHtmlKb", kilobytes);
    }

    /**
     * Limits the images of the HTML.
     *
     * @param count most images
     * @return this budget
     */
    public MailBudget maxImages(int count) {
        return with("maxImages", count);
    }

    /**
     * Limits the links.
     *
     * @param count most links
     * @return this budget
     */
    public MailBudget maxLinks(int count) {
        return with("maxLinks", count);
    }

    /**
     * Limits all attachments together.
     *
     * @param kilobytes most kilobytes, decoded
     * @return this budget
     */
    public MailBudget maxAttachmentsKb(double kilobytes) {
        return with("maxAttachmentsKb", kilobytes);
    }

    /**
     * Limits the points of the spam filter.
     *
     * @param points most points
     * @return this budget
     */
    public MailBudget spamScore(double points) {
        return with("spamScore", points);
    }

    /**
     * Demands the contrast of WCAG 2.2 AA.
     *
     * @return this budget
     */
    public MailBudget contrast() {
        limits.addProperty("contrast", "AA");
        return this;
    }

    /**
     * Demands support of the used features.
     *
     * @param client email client, or the beginning of the names of several
     * @param percentMin least percentage of the used features
     * @return this budget
     */
    public MailBudget support(String client, double percentMin) {
        JsonObject one = new JsonObject();
        one.addProperty("client", client);
        one.addProperty("percentMin", percentMin);
        support.add(one);
        return this;
    }

    /**
     * Demands good links.
     *
     * @param links {@code valid} or {@code reachable}
     * @return this budget
     */
    public MailBudget links(String links) {
        limits.addProperty("links", links);
        return this;
    }

    /**
     * Demands that lint has no findings.
     *
     * @param severity {@code error} or {@code warning}, and what is more severe
     * @return this budget
     */
    public MailBudget lint(String severity) {
        limits.addProperty("lint", severity);
        return this;
    }

    /**
     * Asserts that a mail meets the limits.
     *
     * @param message the mail
     * @throws AssertionError that names each limit that the mail exceeds, with the place in the HTML
     */
    public void assertMeets(Message message) {
        JsonObject body = limits.deepCopy();
        if (support.size() > 0) {
            body.add("support", support);
        }
        JsonObject report = message.judge(body);
        if (report.get("isMet").getAsBoolean()) {
            return;
        }
        StringBuilder text = new StringBuilder("The message \"" + message.subject() + "\" exceeds its budget:");
        report.getAsJsonArray("verdicts").forEach(verdict -> append(text, verdict.getAsJsonObject()));
        Assertions.fail(text.toString());
    }

    private MailBudget with(String name, Number limit) {
        limits.addProperty(name, limit);
        return this;
    }

    private static void append(StringBuilder text, JsonObject verdict) {
        if (verdict.get("isMet").getAsBoolean()) {
            return;
        }
        text.append("\n  ").append(verdict.get("rule").getAsString())
            .append(": ").append(verdict.get("actual").getAsString())
            .append(", expected ").append(verdict.get("limit").getAsString());
        for (JsonElement element : verdict.getAsJsonArray("findings")) {
            JsonObject finding = element.getAsJsonObject();
            text.append("\n    ").append(finding.get("message").getAsString());
            if (!finding.get("subject").isJsonNull()) {
                String line = finding.get("line").isJsonNull() ? "" : "line " + finding.get("line") + ": ";
                text.append(" (").append(line).append(finding.get("subject").getAsString()).append(")");
            }
        }
    }
}
