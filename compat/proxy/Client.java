import com.resend.Resend;
import com.resend.services.emails.model.CreateEmailOptions;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Sends mail to the address of the argument by the host name of the provider: with its library and with the JDK's clients. */
public final class Client {
  private static final URI URL = URI.create("https://api.resend.com/emails");

  public static void main(String[] arguments) throws Exception {
    String to = arguments[0];
    new Resend("re_any").emails()
        .send(CreateEmailOptions.builder().from("a@shop.example").to(to).subject("Java SDK").text("x").build());

    HttpRequest request =
        HttpRequest.newBuilder(URL)
            .header("Authorization", "Bearer re_any")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(mail(to, "Java HTTP client")))
            .build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());

    HttpURLConnection connection = (HttpURLConnection) URL.toURL().openConnection();
    connection.setDoOutput(true);
    connection.setRequestProperty("Authorization", "Bearer re_any");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.getOutputStream().write(mail(to, "Java URLConnection").getBytes(StandardCharsets.UTF_8));
    System.out.println(connection.getResponseCode());
    System.exit(0);
  }

  private static String mail(String to, String subject) {
    return "{\"from\":\"a@shop.example\",\"to\":\"" + to + "\",\"subject\":\"" + subject + "\",\"text\":\"x\"}";
  }
}
