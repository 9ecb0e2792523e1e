import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ses.SesClient;
import software.amazon.awssdk.services.sesv2.SesV2Client;
import software.amazon.awssdk.services.sns.SnsClient;

/**
 * Mail and SMS that an application sends with version 2 of the AWS SDK for Java, as published. The SDK drops the path of an
 * endpoint for SES version 1 and SNS, whose requests then arrive at the root. Prints the name of each scenario that went
 * well; the first that does not ends the program.
 */
public final class Aws {
  private static final String BASE = System.getenv("RESTANTE_URL");
  private static final String KEY = System.getenv("RESTANTE_API_KEY");
  private static final String SERVER = System.getenv("RESTANTE_SERVER");
  private static final String TO = "ada@" + SERVER + ".example";
  private static final String FROM = "app@shop.example";
  private static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, "not-checked"));

  public static void main(String[] arguments) throws Exception {
    for (String endpoint : List.of(BASE + "/providers/sns", BASE)) sns(URI.create(endpoint));
    for (String endpoint : List.of(BASE + "/providers/ses", BASE)) {
      ses(URI.create(endpoint));
      sesV2(URI.create(endpoint));
    }
    System.exit(0);
  }

  private static void sns(URI endpoint) throws Exception {
    try (SnsClient client =
        SnsClient.builder()
            .endpointOverride(endpoint)
            .region(Region.EU_WEST_1)
            .credentialsProvider(CREDENTIALS)
            .build()) {
      String id = client.publish(p -> p.phoneNumber("+15550100").message("Your code is 482913 ✓")).messageId();
      expect("SNS by " + endpoint, "sns", id, "482913 ✓");
    }
  }

  private static void ses(URI endpoint) throws Exception {
    try (SesClient client =
        SesClient.builder()
            .endpointOverride(endpoint)
            .region(Region.EU_WEST_1)
            .credentialsProvider(CREDENTIALS)
            .build()) {
      String id =
          client
              .sendEmail(
                  mail ->
                      mail.source(FROM)
                          .destination(d -> d.toAddresses(TO))
                          .message(m -> m.subject(s -> s.data("SES 1")).body(b -> b.text(t -> t.data("Grüße")))))
              .messageId();
      expect("SES version 1 by " + endpoint, "ses", id, "SES 1");
    }
  }

  private static void sesV2(URI endpoint) throws Exception {
    try (SesV2Client client =
        SesV2Client.builder()
            .endpointOverride(endpoint)
            .region(Region.EU_WEST_1)
            .credentialsProvider(CREDENTIALS)
            .build()) {
      String id =
          client
              .sendEmail(
                  mail ->
                      mail.fromEmailAddress(FROM)
                          .destination(d -> d.toAddresses(TO))
                          .content(
                              c ->
                                  c.simple(
                                      m ->
                                          m.subject(s -> s.data("SES 2"))
                                              .body(b -> b.text(t -> t.data("Grüße"))))))
              .messageId();
      expect("SES version 2 by " + endpoint, "ses", id, "SES 2");
    }
  }

  /** Expects that the service lists one message with the id of the provider's response, which contains a text. */
  private static void expect(String scenario, String provider, String id, String text) throws Exception {
    String query = "?server=" + SERVER + "&provider=" + provider + "&providerId=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(BASE + "/api/messages" + query)).header("authorization", "Bearer " + KEY).build();
    String list = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    if (!list.contains(text)) throw new AssertionError(scenario + ": " + list);
    System.out.println(scenario);
  }
}
