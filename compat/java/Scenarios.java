import com.mailosaur.MailosaurClient;
import com.mailosaur.MailosaurException;
import com.mailosaur.models.Message;
import com.mailosaur.models.MessageListParams;
import com.mailosaur.models.MessageSearchParams;
import com.mailosaur.models.SearchCriteria;
import com.mailosaur.models.SearchMatchOperator;
import com.mailosaur.models.Server;
import com.mailosaur.models.ServerCreateOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * What a JUnit suite does with the official Java library, as published and untouched. Finds the service by the
 * environment alone. Prints the name of each scenario that went well; the first that does not ends the program.
 */
public final class Scenarios {
  private static final Map<String, String> ENVIRONMENT = System.getenv();
  private static final String BASE_URL = ENVIRONMENT.get("MAILOSAUR_BASE_URL");
  private static final MailosaurClient CLIENT = new MailosaurClient(ENVIRONMENT.get("MAILOSAUR_API_KEY"), BASE_URL);
  private static final byte[] CAT = "the cat ".repeat(64).getBytes(StandardCharsets.US_ASCII);

  public static void main(String[] arguments) throws Exception {
    Map<String, Callable<Void>> scenarios = new LinkedHashMap<>();
    scenarios.put("servers", Scenarios::servers);
    scenarios.put("a name is needed", Scenarios::aNameIsNeeded);
    scenarios.put("get what was sent", Scenarios::getWhatWasSent);
    scenarios.put("get waits", Scenarios::getWaits);
    scenarios.put("lists and searches", Scenarios::listsAndSearches);
    scenarios.put("time runs out", Scenarios::timeRunsOut);
    scenarios.put("errors", Scenarios::errors);
    for (Map.Entry<String, Callable<Void>> scenario : scenarios.entrySet()) {
      scenario.getValue().call();
      System.out.println(scenario.getKey());
    }
  }

  private static Void servers() throws Exception {
    String name = "Team \u2026 \ud83d\udc4b";
    Server made = CLIENT.servers().create(new ServerCreateOptions().withName(name));
    same(name, made.name());
    check(CLIENT.servers().list().items().stream().anyMatch(one -> one.id().equals(made.id())));
    Server found = CLIENT.servers().get(made.id());
    same(name + " renamed", CLIENT.servers().update(made.id(), found.withName(name + " renamed")).name());
    check(CLIENT.servers().getPassword(made.id()).length() >= 8);
    check(CLIENT.servers().generateEmailAddress(made.id()).endsWith("@" + made.id() + ".restante.example.com"));
    CLIENT.servers().delete(made.id());
    same("invalid_request", refusal(() -> { CLIENT.servers().delete(made.id()); return null; }).errorType());
    return null;
  }

  private static Void aNameIsNeeded() throws Exception {
    MailosaurException error = refusal(() -> CLIENT.servers().create(new ServerCreateOptions()));
    same("(name) Servers need a name\r\n", error.getMessage());
    same("invalid_request", error.errorType());
    check(error.httpStatusCode() == 400 && error.httpResponseBody().contains("{\"type\":"));
    return null;
  }

  private static Void getWhatWasSent() throws Exception {
    String server = newServer();
    String to = "Reader@" + server + ".localhost";
    send(to, "Sign up");
    Message message = CLIENT.messages().get(server, new SearchCriteria().withSentTo(to));
    same("Sign up", message.subject());
    same("Ada@app.example", message.from().get(0).email());
    same("804219", message.html().codes().get(0).value());
    same("https://app.example/x", message.html().links().get(0).href());
    same("cat.png", message.attachments().get(0).fileName());
    same((long) CAT.length, message.attachments().get(0).length());
    byte[] bytes = CLIENT.files().getAttachment(message.attachments().get(0).id());
    check(java.util.Arrays.equals(CAT, bytes));
    check(new String(CLIENT.files().getEmail(message.id()), StandardCharsets.UTF_8).contains("Subject: Sign up"));
    CLIENT.servers().delete(server);
    return null;
  }

  private static Void getWaits() throws Exception {
    String server = newServer();
    String to = "later@" + server + ".localhost";
    CompletableFuture<Long> sentAt = CompletableFuture.supplyAsync(() -> {
      try {
        Thread.sleep(1300);
        send(to, "Later");
        return System.nanoTime();
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    });
    same("Later", CLIENT.messages().get(server, new SearchCriteria().withSentTo(to)).subject());
    check(System.nanoTime() - sentAt.get() < 900_000_000L);
    CLIENT.servers().delete(server);
    return null;
  }

  private static Void listsAndSearches() throws Exception {
    String server = newServer();
    for (String name : List.of("one", "two", "three")) send(name + "@" + server + ".localhost", "Letter " + name);
    same(3, CLIENT.messages().list(server).items().size());
    same("Letter three", CLIENT.messages().list(server).items().get(0).subject());
    same(1, CLIENT.messages().list(server, 1, 2).items().size());
    same(0, CLIENT.messages().list(server, System.currentTimeMillis() + 3_600_000).items().size());
    same(3, CLIENT.messages().list(server, System.currentTimeMillis() - 3_600_000).items().size());
    MessageListParams sent = new MessageListParams().withServer(server).withDir("Sent");
    same(0, CLIENT.messages().list(sent).items().size());
    SearchCriteria either = new SearchCriteria().withSubject("one").withSentTo("two@" + server + ".localhost");
    same(0, CLIENT.messages().search(server, either).items().size());
    same(2, CLIENT.messages().search(server, either.withMatch(SearchMatchOperator.ANY)).items().size());
    String id = CLIENT.messages().list(server).items().get(0).id();
    CLIENT.messages().delete(id);
    same("Not found, check input parameters.", refusal(() -> CLIENT.messages().getById(id)).getMessage());
    CLIENT.messages().deleteAll(server);
    same(0, CLIENT.messages().list(server).items().size());
    CLIENT.servers().delete(server);
    return null;
  }

  private static Void timeRunsOut() throws Exception {
    String server = newServer();
    MessageSearchParams soon = new MessageSearchParams().withServer(server).withTimeout(1500);
    MailosaurException error = refusal(() -> CLIENT.messages().get(soon, new SearchCriteria().withSubject("none")));
    same("search_timeout", error.errorType());
    check(error.getMessage().endsWith("timed out after 1500ms"));
    MessageSearchParams quiet = new MessageSearchParams().withServer(server).withTimeout(1).withErrorOnTimeout(false);
    same(0, CLIENT.messages().search(quiet, new SearchCriteria().withSubject("none")).items().size());
    CLIENT.servers().delete(server);
    return null;
  }

  private static Void errors() throws Exception {
    same("Not found, check input parameters.", refusal(() -> CLIENT.messages().getById("not_found")).getMessage());
    String server = ENVIRONMENT.get("MAILOSAUR_SERVER");
    same("invalid_request", refusal(() -> CLIENT.messages().search(server, new SearchCriteria())).errorType());
    MailosaurClient stranger = new MailosaurClient("a-wrong-key", BASE_URL);
    MailosaurException error = refusal(() -> stranger.servers().list());
    same("Authentication failed, check your API key.", error.getMessage());
    same("authentication_error", error.errorType());
    return null;
  }

  private static String newServer() throws Exception {
    return CLIENT.servers().create(new ServerCreateOptions().withName("Java")).id();
  }

  private static MailosaurException refusal(Callable<?> action) throws Exception {
    try {
      action.call();
    } catch (MailosaurException error) {
      return error;
    }
    throw new AssertionError("nothing was refused");
  }

  private static void check(boolean holds) {
    if (!holds) throw new AssertionError();
  }

  private static void same(Object expected, Object actual) {
    if (!Objects.equals(expected, actual)) throw new AssertionError("expected " + expected + ", was " + actual);
  }

  /** Pictures among the alternatives, as this language's mail library puts them. */
  private static void send(String to, String subject) throws Exception {
    String mail = String.join("\r\n",
        "From: Ada Example <Ada@app.example>", "To: " + to, "Subject: " + subject, "MIME-Version: 1.0",
        "Content-Type: multipart/alternative; boundary=a", "",
        "--a", "Content-Type: text/plain", "", "Your code is 804 219",
        "--a", "Content-Type: text/html", "", "<p>Your code is <b>804 219</b> <a href=\"https://app.example/x\">Go</a></p>",
        "--a", "Content-Type: image/png; name=cat.png", "Content-Transfer-Encoding: base64",
        "Content-Disposition: attachment; filename=cat.png", "", Base64.getMimeEncoder().encodeToString(CAT), "--a--", "");
    try (Socket socket = new Socket(ENVIRONMENT.get("RESTANTE_SMTP_HOST"), Integer.parseInt(ENVIRONMENT.get("MAILOSAUR_SMTP_PORT")))) {
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      OutputStream out = socket.getOutputStream();
      for (String line : List.of("", "HELO localhost", "MAIL FROM:<Ada@app.example>", "RCPT TO:<" + to + ">", "DATA", mail + ".", "QUIT")) {
        if (!line.isEmpty()) out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        String reply = in.readLine();
        check(reply.startsWith("2") || reply.startsWith("354"));
      }
    }
  }
}
