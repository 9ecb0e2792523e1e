package restante.junit;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** E-mail or SMS. */
public final class Message {
    /** Links that an error lists, and characters of a body that it shows. */
    private static final int LINKS_LISTED_MAX = 10;

    private static final int EXCERPT_LENGTH_MAX = 200;

    private final Api api;
    private final Inbox inbox;
    private final JsonObject json;
    private final Content content;

    Message(Api api, Inbox inbox, JsonObject json) {
        this.api = api;
        this.inbox = inbox;
        this.json = json;
        this.content = Api.GSON.fromJson(json, Content.class);
        this.content.attachments.forEach(attachment -> attachment.use(api));
    }

    /**
     * Returns the id.
     *
     * @return the id of the message
     */
    public String id() {
        return content.id;
    }

    /**
     * Returns the kind of message.
     *
     * @return {@code Email} or {@code SMS}
     */
    public String type() {
        return content.type;
    }

    /**
     * Returns the subject.
     *
     * @return the decoded subject; empty when the message has none
     */
    public String subject() {
        return content.subject;
    }

    /**
     * Returns the plain text.
     *
     * @return the plain-text body, or the text of an SMS; empty when there is none
     */
    public String text() {
        return content.text.body == null ? "" : content.text.body;
    }

    /**
     * Returns the HTML.
     *
     * @return the HTML body; empty when there is none
     */
    public String html() {
        return content.html.body == null ? "" : content.html.body;
    }

    /**
     * Returns the instant of receipt.
     *
     * @return the instant
     */
    public Instant received() {
        return Instant.parse(content.received);
    }

    /**
     * Returns the senders.
     *
     * @return the senders, as the header field From names them
     */
    public List<Contact> from() {
        return List.copyOf(content.from);
    }

    /**
     * Returns the recipients.
     *
     * @return the recipients, as the header field To names them
     */
    public List<Contact> to() {
        return List.copyOf(content.to);
    }

    /**
     * Returns the recipients of copies.
     *
     * @return the recipients, as the header field Cc names them
     */
    public List<Contact> cc() {
        return List.copyOf(content.cc);
    }

    /**
     * Returns the attachments.
     *
     * @return the attached files
     */
    public List<Attachment> attachments() {
        return List.copyOf(content.attachments);
    }

    /**
     * Returns the one-time codes.
     *
     * @return the codes, those of the HTML first, each once
     */
    public List<String> codes() {
        Set<String> codes = new LinkedHashSet<>();
        content.html.codes.forEach(code -> codes.add(code.value));
        content.text.codes.forEach(code -> codes.add(code.value));
        return List.copyOf(codes);
    }

    /**
     * Returns the links.
     *
     * @return the links, those of the HTML first
     */
    public List<Link> links() {
        List<Link> links = new ArrayList<>(content.html.links);
        links.addAll(content.text.links);
        return links;
    }

    /**
     * Returns the first one-time code.
     *
     * @return the code
     * @throws ContentError if there is none
     */
    public String code() {
        return codes().stream().findFirst()
            .orElseThrow(() -> new ContentError(title() + " has no one-time code. " + beginning()));
    }

    /**
     * Returns the first one-time code that matches.
     *
     * @param pattern pattern of the whole code
     * @return the code
     * @throws ContentError if there is none
     */
    public String code(Pattern pattern) {
        return codes().stream().filter(pattern.asMatchPredicate()).findFirst()
            .orElseThrow(() -> new ContentError(
                title() + " has no one-time code that matches " + pattern + ". Its codes: " + String.join(", ", codes())));
    }

    /**
     * Returns the only target of the links.
     *
     * @return the URL
     * @throws ContentError if there are no links, or links to several targets
     */
    public String link() {
        return onlyTarget(links(), "");
    }

    /**
     * Returns the target of a link. The name is compared with the visible text: the whole text, else a part of it, else a
     * part of the URL, without regard to letter case and white space.
     *
     * @param name name of the link
     * @return the URL
     * @throws ContentError if no link, or links to several targets match
     */
    public String link(String name) {
        String wanted = normal(name);
        List<Predicate<Link>> rules = List.of(
            link -> normal(link.text()).equals(wanted),
            link -> normal(link.text()).contains(wanted),
            link -> link.href().toLowerCase(Locale.ROOT).contains(wanted));
        List<Link> found = rules.stream()
            .map(rule -> links().stream().filter(rule).collect(Collectors.toList()))
            .filter(matching -> !matching.isEmpty())
            .findFirst()
            .orElse(List.of());
        return onlyTarget(found, " \"" + name + "\"");
    }

    /**
     * Returns the attachment with a file name.
     *
     * @param fileName file name
     * @return the attachment
     * @throws ContentError if there is none
     */
    public Attachment attachment(String fileName) {
        return content.attachments.stream().filter(one -> one.fileName().equals(fileName)).findFirst()
            .orElseThrow(() -> new ContentError(
                title() + " has no attachment \"" + fileName + "\". Its attachments: " + content.attachments));
    }

    /**
     * Replies from the address that the message was sent to.
     *
     * @param reply the reply
     * @return the sent message
     */
    public Message reply(Reply reply) {
        JsonObject sent = api.post("/api/messages/" + id() + "/reply", Map.of(), reply.json(), Duration.ZERO).getAsJsonObject();
        Message message = new Message(api, inbox, sent);
        if (inbox != null) {
            inbox.addSent(message);
        }
        return message;
    }

    /**
     * Replies from the address that the message was sent to.
     *
     * @param text plain text above the quoted original
     * @return the sent message
     */
    public Message reply(String text) {
        return reply(Reply.text(text));
    }

    String snapshot(JsonObject options) {
        return api.postForText("/api/analysis/snapshot/" + id(), options);
    }

    JsonObject judge(JsonObject budget) {
        return api.post("/api/analysis/budget/" + id(), Map.of(), budget, Duration.ofMinutes(1)).getAsJsonObject();
    }

    /**
     * Downloads the mail as it was received.
     *
     * @return the raw mail
     */
    public byte[] raw() {
        return api.download("/api/files/email/" + id());
    }

    /**
     * Downloads everything about the message: raw mail, SMTP transcript, lint report, picture.
     *
     * @return a ZIP archive
     */
    public byte[] bundle() {
        return api.download("/api/messages/" + id() + "/bundle");
    }

    /** Deletes the message, if it still exists. */
    public void delete() {
        api.delete("/api/messages/" + id());
    }

    /**
     * Returns the whole message as the API returns it.
     *
     * @return JSON text
     */
    public String json() {
        return json.toString();
    }

    /** Returns the instant, sender, recipients and subject. */
    @Override
    public String toString() {
        return summaryOf(json);
    }

    static String summaryOf(JsonObject json) {
        Summary summary = Api.GSON.fromJson(json, Summary.class);
        return summary.received + " from " + summary.from + " to " + summary.to + ": \"" + summary.subject + "\"";
    }

    private String onlyTarget(List<Link> found, String name) {
        List<String> targets = found.stream().map(Link::href).distinct().collect(Collectors.toList());
        if (targets.size() == 1) {
            return targets.get(0);
        }
        List<Link> links = links();
        if (links.isEmpty()) {
            throw new ContentError(title() + " has no links. " + beginning());
        }
        String problem = targets.isEmpty() ? " has no link" : " has " + targets.size() + " different links";
        String shown = links.stream().limit(LINKS_LISTED_MAX).map(link -> "\n- " + link).collect(Collectors.joining());
        int more = links.size() - LINKS_LISTED_MAX;
        throw new ContentError(title() + problem + name + ". Its links:" + shown + (more > 0 ? "\n- and " + more + " more" : ""));
    }

    private String title() {
        return "The message \"" + subject() + "\"";
    }

    private String beginning() {
        String body = (text().isEmpty() ? html() : text()).trim().replaceAll("\\s+", " ");
        return body.isEmpty()
            ? "It has no text."
            : "It begins: \"" + body.substring(0, Math.min(body.length(), EXCERPT_LENGTH_MAX)) + "\"";
    }

    private static String normal(String text) {
        return text.trim().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
    }

    private static final class Summary {
        private String received;
        private List<Contact> from;
        private List<Contact> to;
        private String subject;
    }

    private static final class Content {
        private String id;
        private String type;
        private String received;
        private String subject;
        private List<Contact> from;
        private List<Contact> to;
        private List<Contact> cc;
        private Body html;
        private Body text;
        private List<Attachment> attachments;
    }

    private static final class Body {
        private String body;
        private List<Link> links;
        private List<Code> codes;
    }

    private static final class Code {
        private String value;
    }
}
