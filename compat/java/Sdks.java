import brevoModel.*;
import com.mailjet.client.*;
import com.mailjet.client.transactional.*;
import com.sendgrid.*;
import com.sendgrid.helpers.mail.Mail;
import com.sendgrid.helpers.mail.objects.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.Base64;
import software.amazon.awssdk.auth.credentials.*;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;

/**
 * Mail and SMS that applications send with the SDKs of providers for Java, from Maven Central, as published. Writes a line for
 * each scenario to SDK_REPORT; compat/sdks/record.ts verifies the messages.
 */
public final class Sdks {
  private static final String BASE = System.getenv("RESTANTE_URL") + "/providers";
  private static final String HOST = BASE.replace("http://", "");
  private static final String KEY = System.getenv("RESTANTE_API_KEY");
  private static final String FROM = "app@shop.example";
  private static final byte[] CONTENT = new byte[256];
  private static final String IMAGE = "<p>Hello</p><img src=\"cid:logo\" alt=\"\">";

  interface Scenario {
    void send() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    for (int value = 0; value < 256; value++) CONTENT[value] = (byte) value;
    resend();
    sendgrid();
    mailgun();
    postmark();
    brevo();
    mailjet();
    ses();
    sms();
    gmail();
    graph();
    mailersend();
    acs();
    sparkpost();
    System.exit(0);
  }

  private static void gmail() throws Exception {
    var transport = new com.google.api.client.http.javanet.NetHttpTransport();
    var json = com.google.api.client.json.gson.GsonFactory.getDefaultInstance();
    com.google.api.client.http.HttpRequestInitializer token = request -> request.getHeaders().setAuthorization("Bearer " + KEY);
    var client = new com.google.api.services.gmail.Gmail.Builder(transport, json, token)
        .setRootUrl(BASE + "/gmail/")
        .setApplicationName("compat")
        .build();
    Class<?> sdk = com.google.api.services.gmail.Gmail.class;
    var messages = client.users().messages();
    String file = "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=all.txt";
    String logo = "Content-Type: image/png\r\nContent-Disposition: inline; filename=logo.png\r\nContent-ID: <logo>";
    run("gmail", sdk, "attachment", () -> {
      byte[] raw = gmailMail(to("gmail", "attachment"), "482913", file);
      messages.send("me", null, new com.google.api.client.http.ByteArrayContent("message/rfc822", raw)).execute();
    });
    run("gmail", sdk, "inline", () ->
        messages.send("me", gmailMessage(gmailMail(to("gmail", "inline"), IMAGE, logo))).execute());
    run("gmail", sdk, "batch", () -> {
      var batch = client.batch();
      var failed = new com.google.api.client.googleapis.batch.json.JsonBatchCallback<com.google.api.services.gmail.model.Message>() {
        public void onSuccess(
            com.google.api.services.gmail.model.Message message, com.google.api.client.http.HttpHeaders headers) {}

        public void onFailure(
            com.google.api.client.googleapis.json.GoogleJsonError error, com.google.api.client.http.HttpHeaders headers) {}
      };
      for (String scenario : List.of("batch-1", "batch-2")) {
        messages.send("me", gmailMessage(gmailMail(to("gmail", scenario), "482913", file))).queue(batch, failed);
      }
      batch.execute();
    });
    run("gmail", sdk, "error", () -> messages.send("me", gmailMessage(gmailMail("nobody", "x", file))).execute());
  }

  private static com.google.api.services.gmail.model.Message gmailMessage(byte[] raw) {
    return new com.google.api.services.gmail.model.Message().encodeRaw(raw);
  }

  private static byte[] gmailMail(String recipient, String html, String file) {
    return String.join(
            "\r\n",
            "From: " + FROM,
            "To: " + recipient,
            "Subject: Hello",
            "Content-Type: multipart/related; boundary=b",
            "",
            "--b",
            "Content-Type: text/html; charset=utf-8",
            "",
            html,
            "--b",
            file,
            "Content-Transfer-Encoding: base64",
            "",
            encoded(),
            "--b--",
            "")
        .getBytes();
  }

  /** The library needs HTTPS; the proxy leads to the service. */
  private static void acs() throws Exception {
    var client = new com.azure.communication.email.EmailClientBuilder()
        .connectionString("endpoint=https://shop.communication.azure.com/;accesskey=" + encoded())
        .buildClient();
    Class<?> sdk = com.azure.communication.email.EmailClient.class;
    var file = new com.azure.communication.email.models.EmailAttachment(
        "all.txt", "text/plain", com.azure.core.util.BinaryData.fromBytes(CONTENT));
    run("acs", sdk, "attachment", () -> acsSend(client, FROM, "attachment", file));
    run("acs", sdk, "error", () -> acsSend(client, "nobody", "error", file));
  }

  private static void acsSend(
      com.azure.communication.email.EmailClient client,
      String from,
      String scenario,
      com.azure.communication.email.models.EmailAttachment file) {
    client
        .beginSend(new com.azure.communication.email.models.EmailMessage()
            .setSenderAddress(from)
            .setToRecipients(to("acs", scenario))
            .setSubject("Hello")
            .setBodyHtml("482913")
            .setAttachments(file))
        .waitForCompletion();
  }

  private static void sparkpost() throws Exception {
    var connection = new com.sparkpost.transport.RestConnection(new com.sparkpost.Client(KEY), BASE + "/sparkpost/api/v1");
    Class<?> sdk = com.sparkpost.Client.class;
    run("sparkpost", sdk, "attachment", () -> {
      var file = new com.sparkpost.model.AttachmentAttributes();
      file.setName("all.txt");
      file.setType("text/plain");
      file.setData(encoded());
      var content = sparkpostContent(FROM, "482913");
      content.setAttachments(List.of(file));
      sparkpostSend(connection, content, "attachment");
    });
    run("sparkpost", sdk, "inline", () -> {
      var file = new com.sparkpost.model.InlineImageAttributes();
      file.setName("logo");
      file.setType("image/png");
      file.setData(encoded());
      var content = sparkpostContent(FROM, IMAGE);
      content.setInlineImages(List.of(file));
      sparkpostSend(connection, content, "inline");
    });
    run("sparkpost", sdk, "batch", () -> sparkpostSend(connection, sparkpostContent(FROM, "482913"), "batch-1", "batch-2"));
    run("sparkpost", sdk, "error", () -> sparkpostSend(connection, sparkpostContent("nobody", "x"), "error"));
  }

  private static com.sparkpost.model.TemplateContentAttributes sparkpostContent(String from, String html) {
    var content = new com.sparkpost.model.TemplateContentAttributes();
    content.setFrom(new com.sparkpost.model.AddressAttributes(from));
    content.setSubject("Hello");
    content.setHtml(html);
    return content;
  }

  private static void sparkpostSend(
      com.sparkpost.transport.RestConnection connection, com.sparkpost.model.TemplateContentAttributes content, String... scenarios)
      throws Exception {
    var mail = new com.sparkpost.model.TransmissionWithRecipientArray();
    mail.setContentAttributes(content);
    mail.setRecipientArray(Arrays.stream(scenarios).map(scenario -> {
      var recipient = new com.sparkpost.model.RecipientAttributes();
      recipient.setAddress(new com.sparkpost.model.AddressAttributes(to("sparkpost", scenario)));
      return recipient;
    }).toList());
    com.sparkpost.resources.ResourceTransmissions.create(connection, 0, mail);
  }

  private static void graph() throws Exception {
    var tokens = new com.microsoft.kiota.authentication.AccessTokenProvider() {
      public String getAuthorizationToken(URI uri, Map<String, Object> context) {
        return KEY;
      }

      public com.microsoft.kiota.authentication.AllowedHostsValidator getAllowedHostsValidator() {
        return new com.microsoft.kiota.authentication.AllowedHostsValidator();
      }
    };
    var client = new com.microsoft.graph.serviceclient.GraphServiceClient(
        new com.microsoft.kiota.authentication.BaseBearerTokenAuthenticationProvider(tokens));
    client.getRequestAdapter().setBaseUrl(BASE + "/graph/v1.0");
    Class<?> sdk = com.microsoft.graph.serviceclient.GraphServiceClient.class;
    run("graph", sdk, "attachment", () -> graphSend(client, graphMail("attachment", "482913", "all.txt", null)));
    run("graph", sdk, "inline", () -> graphSend(client, graphMail("inline", IMAGE, "logo.png", "logo")));
    run("graph", sdk, "error", () -> graphSend(client, graphMail("error", "x", "", null)));
  }

  private static void graphSend(
      com.microsoft.graph.serviceclient.GraphServiceClient client, com.microsoft.graph.models.Message message) {
    var body = new com.microsoft.graph.users.item.sendmail.SendMailPostRequestBody();
    body.setMessage(message);
    body.setSaveToSentItems(false);
    client.users().byUserId("app@" + System.getenv("RESTANTE_SERVER") + ".restante.example.com").sendMail().post(body);
  }

  private static com.microsoft.graph.models.Message graphMail(String scenario, String html, String name, String contentId) {
    var address = new com.microsoft.graph.models.EmailAddress();
    address.setAddress(to("graph", scenario));
    var recipient = new com.microsoft.graph.models.Recipient();
    recipient.setEmailAddress(address);
    var body = new com.microsoft.graph.models.ItemBody();
    body.setContentType(com.microsoft.graph.models.BodyType.Html);
    body.setContent(html);
    var file = new com.microsoft.graph.models.FileAttachment();
    file.setOdataType("#microsoft.graph.fileAttachment");
    file.setName(name);
    file.setContentBytes(CONTENT);
    file.setContentId(contentId);
    file.setIsInline(contentId != null);
    var message = new com.microsoft.graph.models.Message();
    message.setSubject("Hello");
    message.setBody(body);
    message.setToRecipients(new ArrayList<>(List.of(recipient)));
    message.setAttachments(new ArrayList<>(List.of(file)));
    return message;
  }

  private static com.mailersend.sdk.emails.Email mailersendMail(String scenario, String from) {
    var mail = new com.mailersend.sdk.emails.Email();
    mail.setFrom("Shop", from);
    mail.addRecipient("Ada", to("mailersend", scenario));
    mail.setSubject("Hello");
    mail.setHtml("482913");
    return mail;
  }

  private static void mailersend() throws Exception {
    // The host is fixed in the library; the proxy leads to the service.
    var client = new com.mailersend.sdk.MailerSend();
    client.setToken(KEY);
    Class<?> sdk = com.mailersend.sdk.MailerSend.class;
    Path file = Files.write(Files.createTempDirectory("compat").resolve("all.txt"), CONTENT);
    run("mailersend", sdk, "attachment", () -> {
      var mail = mailersendMail("attachment", FROM);
      mail.attachFile(file.toString());
      client.emails().send(mail);
    });
    run("mailersend", sdk, "batch", () -> {
      var mails = new com.mailersend.sdk.emails.Email[] {mailersendMail("batch-1", FROM), mailersendMail("batch-2", FROM)};
      client.emails().bulkSend(mails);
    });
    run("mailersend", sdk, "template", () -> {
      var mail = mailersendMail("template", FROM);
      mail.setTemplateId("jy7zpl93p5rg5vx6");
      mail.addPersonalization("name", "Ada");
      client.emails().send(mail);
    });
    run("mailersend", sdk, "error", () -> client.emails().send(mailersendMail("error", "nobody")));
  }

  private static String to(String provider, String scenario) {
    return provider + "-" + scenario + "@" + System.getenv("RESTANTE_SERVER") + ".example";
  }

  private static String encoded() {
    return Base64.getEncoder().encodeToString(CONTENT);
  }

  /** Sends, and reports the package of a jar with its version, from the name of its file. */
  private static void run(String provider, Class<?> sdk, String scenario, Scenario code) throws Exception {
    String jar = Path.of(sdk.getProtectionDomain().getCodeSource().getLocation().toURI()).getFileName().toString();
    String name = jar.replaceFirst("-([0-9][^-]*(?:-rc[^-]*)?)\\.jar$", " $1");
    String error = "";
    try {
      code.send();
    } catch (Throwable thrown) {
      String text = (thrown + " " + thrown.getCause()).replaceAll("[^ -~]|[\"\\\\]", " ");
      error = ",\"error\":\"" + text.substring(0, Math.min(300, text.length())) + "\"";
    }
    String line = String.format("{\"provider\":\"%s\",\"sdk\":\"%s\",\"scenario\":\"%s\"%s}%n", provider, name, scenario, error);
    Path report = Path.of(System.getenv("SDK_REPORT"));
    Files.writeString(report, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static com.resend.services.emails.model.CreateEmailOptions.Builder resendMail(String scenario) {
    return com.resend.services.emails.model.CreateEmailOptions.builder()
        .from(FROM)
        .to(to("resend", scenario))
        .subject("Hello")
        .html("482913");
  }

  private static void resend() throws Exception {
    Class<?> sdk = com.resend.Resend.class;
    // The host is fixed in the library; the proxy leads to the service.
    com.resend.Resend client = new com.resend.Resend(KEY);
    var file = com.resend.services.emails.model.Attachment.builder().content(encoded());
    run("resend", sdk, "attachment", () ->
        client.emails().send(resendMail("attachment").attachments(file.fileName("all.txt").build()).build()));
    run("resend", sdk, "inline", () ->
        client.emails().send(resendMail("inline").html(IMAGE).attachments(file.fileName("logo.png").contentId("logo").build()).build()));
    run("resend", sdk, "batch", () ->
        client.batch().send(List.of(resendMail("batch-1").build(), resendMail("batch-2").build())));
    var template = com.resend.services.emails.model.Template.builder().id("welcome").addVariable("name", "Ada").build();
    run("resend", sdk, "template", () -> client.emails().send(resendMail("template").html(null).template(template).build()));
    run("resend", sdk, "error", () -> client.emails().send(resendMail("error").from("nobody").build()));
  }

  private static Mail sendgridMail(String scenario, String html) {
    return new Mail(new Email(FROM), "Hello", new Email(to("sendgrid", scenario)), new Content("text/html", html));
  }

  private static void sendgridPost(Mail mail) throws Exception {
    // The second parameter: no TLS.
    SendGrid client = new SendGrid(KEY, true);
    client.setHost(HOST + "/sendgrid");
    Request request = new Request();
    request.setMethod(Method.POST);
    request.setEndpoint("mail/send");
    request.setBody(mail.build());
    Response response = client.api(request);
    if (response.getStatusCode() >= 300) throw new IllegalStateException(response.getBody());
  }

  private static void sendgrid() throws Exception {
    Class<?> sdk = SendGrid.class;
    run("sendgrid", sdk, "attachment", () -> {
      Mail mail = sendgridMail("attachment", "482913");
      mail.addAttachments(new Attachments.Builder("all.txt", encoded()).withType("text/plain").build());
      sendgridPost(mail);
    });
    run("sendgrid", sdk, "inline", () -> {
      Mail mail = sendgridMail("inline", IMAGE);
      mail.addAttachments(
          new Attachments.Builder("logo.png", encoded()).withType("image/png").withDisposition("inline").withContentId("logo").build());
      sendgridPost(mail);
    });
    run("sendgrid", sdk, "batch", () -> {
      Mail mail = sendgridMail("batch-1", "482913");
      Personalization second = new Personalization();
      second.addTo(new Email(to("sendgrid", "batch-2")));
      mail.addPersonalization(second);
      sendgridPost(mail);
    });
    run("sendgrid", sdk, "template", () -> {
      Mail mail = new Mail();
      mail.setFrom(new Email(FROM));
      mail.setTemplateId("d-0123456789abcdef0123456789abcdef");
      Personalization personalization = new Personalization();
      personalization.addTo(new Email(to("sendgrid", "template")));
      personalization.addDynamicTemplateData("name", "Ada");
      mail.addPersonalization(personalization);
      sendgridPost(mail);
    });
    run("sendgrid", sdk, "error", () -> {
      Mail mail = sendgridMail("error", "x");
      mail.setFrom(new Email("nobody"));
      sendgridPost(mail);
    });
  }

  private static com.mailgun.model.message.Message.MessageBuilder mailgunMail(String scenario) {
    return com.mailgun.model.message.Message.builder().from(FROM).to(to("mailgun", scenario)).subject("Hello").html("482913");
  }

  private static void mailgun() throws Exception {
    Class<?> sdk = com.mailgun.client.MailgunClient.class;
    var api = com.mailgun.client.MailgunClient.config(BASE + "/mailgun/", KEY).createApi(com.mailgun.api.v3.MailgunMessagesApi.class);
    String domain = "shop.example";
    run("mailgun", sdk, "attachment", () ->
        api.sendMessage(domain, mailgunMail("attachment").formData(new feign.form.FormData("text/plain", "all.txt", CONTENT)).build()));
    run("mailgun", sdk, "inline", () ->
        api.sendMessage(domain, mailgunMail("inline").html(IMAGE).inlineFormData(new feign.form.FormData("image/png", "logo", CONTENT)).build()));
    run("mailgun", sdk, "batch", () -> {
      List<String> addresses = List.of(to("mailgun", "batch-1"), to("mailgun", "batch-2"));
      Map<String, Object> variables = new HashMap<>();
      for (String address : addresses) variables.put(address, Map.of("id", 1));
      var mail = com.mailgun.model.message.Message.builder().from(FROM).to(addresses).subject("Hello").html("482913");
      api.sendMessage(domain, mail.recipientVariables(variables).build());
    });
    run("mailgun", sdk, "template", () ->
        api.sendMessage(domain, mailgunMail("template").html(null).template("welcome").mailgunVariables(Map.of("name", "Ada")).build()));
    run("mailgun", sdk, "error", () -> api.sendMessage(domain, mailgunMail("error").from("nobody").build()));
  }

  private static com.postmarkapp.postmark.client.data.model.message.Message postmarkMail(String scenario, String html) {
    return new com.postmarkapp.postmark.client.data.model.message.Message(FROM, to("postmark", scenario), "Hello", html);
  }

  private static void postmark() throws Exception {
    Class<?> sdk = com.postmarkapp.postmark.Postmark.class;
    var client = com.postmarkapp.postmark.Postmark.getApiClient(KEY, false, HOST + "/postmark");
    run("postmark", sdk, "attachment", () -> {
      var mail = postmarkMail("attachment", "482913");
      mail.addAttachment("all.txt", CONTENT, "text/plain");
      client.deliverMessage(mail);
    });
    run("postmark", sdk, "inline", () -> {
      var mail = postmarkMail("inline", IMAGE);
      mail.addAttachment("logo.png", CONTENT, "image/png", "cid:logo");
      client.deliverMessage(mail);
    });
    run("postmark", sdk, "batch", () ->
        client.deliverMessage(List.of(postmarkMail("batch-1", "482913"), postmarkMail("batch-2", "482913"))));
    run("postmark", sdk, "template", () -> {
      var template = new com.postmarkapp.postmark.client.data.model.templates.TemplateContent();
      template.setName("Welcome");
      template.setAlias("welcome-java");
      template.setSubject("Hello");
      template.setHtmlBody("Hello {{name}}");
      client.createTemplate(template);
      var mail = new com.postmarkapp.postmark.client.data.model.templates.TemplatedMessage(FROM, to("postmark", "template"));
      mail.setTemplateAlias("welcome-java");
      mail.setTemplateModel(Map.of("name", "Ada"));
      client.deliverMessageWithTemplate(mail);
    });
    run("postmark", sdk, "error", () -> {
      var mail = postmarkMail("error", "x");
      mail.setFrom("nobody");
      client.deliverMessage(mail);
    });
  }

  private static SendSmtpEmail brevoMail(String scenario) {
    SendSmtpEmailTo recipient = new SendSmtpEmailTo();
    recipient.setEmail(to("brevo", scenario));
    SendSmtpEmailSender sender = new SendSmtpEmailSender();
    sender.setEmail(FROM);
    return new SendSmtpEmail().sender(sender).to(List.of(recipient)).subject("Hello").htmlContent("482913");
  }

  private static void brevo() throws Exception {
    Class<?> sdk = brevo.ApiClient.class;
    brevo.ApiClient client = brevo.Configuration.getDefaultApiClient();
    client.setBasePath(BASE + "/brevo/v3");
    client.setApiKey(KEY);
    var api = new brevoApi.TransactionalEmailsApi(client);
    run("brevo", sdk, "attachment", () -> {
      SendSmtpEmailAttachment file = new SendSmtpEmailAttachment();
      file.setName("all.txt");
      file.setContent(CONTENT);
      api.sendTransacEmail(brevoMail("attachment").attachment(List.of(file)));
    });
    run("brevo", sdk, "batch", () -> {
      List<SendSmtpEmailMessageVersions> versions = new ArrayList<>();
      for (String scenario : List.of("batch-1", "batch-2")) {
        SendSmtpEmailTo1 recipient = new SendSmtpEmailTo1();
        recipient.setEmail(to("brevo", scenario));
        SendSmtpEmailMessageVersions version = new SendSmtpEmailMessageVersions();
        version.setTo(List.of(recipient));
        versions.add(version);
      }
      SendSmtpEmail mail = brevoMail("batch");
      mail.setTo(null);
      api.sendTransacEmail(mail.messageVersions(versions));
    });
    run("brevo", sdk, "template", () -> {
      SendSmtpEmail mail = brevoMail("template").templateId(7L).params(Map.of("name", "Ada"));
      mail.setHtmlContent(null);
      mail.setSubject(null);
      mail.setSender(null);
      api.sendTransacEmail(mail);
    });
    run("brevo", sdk, "sms", () ->
        new brevoApi.TransactionalSmsApi(client)
            .sendTransacSms(new SendTransacSms().sender("Shop").recipient("15550100").content("Your code is 482913, brevo")));
    run("brevo", sdk, "error", () -> {
      SendSmtpEmailSender nobody = new SendSmtpEmailSender();
      nobody.setEmail("nobody");
      api.sendTransacEmail(brevoMail("error").sender(nobody));
    });
  }

  private static TransactionalEmail.TransactionalEmailBuilder mailjetMail(String scenario) {
    return TransactionalEmail.builder().from(new SendContact(FROM)).to(new SendContact(to("mailjet", scenario))).subject("Hello");
  }

  private static void mailjet() throws Exception {
    Class<?> sdk = MailjetClient.class;
    MailjetClient client =
        new MailjetClient(ClientOptions.builder().baseUrl(BASE + "/mailjet").apiKey("any").apiSecretKey(KEY).build());
    var file = com.mailjet.client.transactional.Attachment.builder().base64Content(encoded());
    run("mailjet", sdk, "attachment", () ->
        mailjetSend(client, mailjetMail("attachment").htmlPart("482913").attachment(file.filename("all.txt").contentType("text/plain").build())));
    run("mailjet", sdk, "inline", () ->
        mailjetSend(client, mailjetMail("inline").htmlPart(IMAGE)
            .inlinedAttachment(file.filename("logo.png").contentType("image/png").contentID("logo").build())));
    run("mailjet", sdk, "batch", () ->
        mailjetSend(client, mailjetMail("batch-1").htmlPart("482913"), mailjetMail("batch-2").htmlPart("482913")));
    run("mailjet", sdk, "template", () ->
        mailjetSend(client, mailjetMail("template").templateID(7L).templateLanguage(true).variable("name", "Ada")));
    run("mailjet", sdk, "error", () -> mailjetSend(client, mailjetMail("error").htmlPart("x").from(new SendContact("nobody"))));
  }

  private static void mailjetSend(MailjetClient client, TransactionalEmail.TransactionalEmailBuilder... mails) throws Exception {
    var request = SendEmailsRequest.builder();
    for (var mail : mails) request.message(mail.build());
    for (var message : request.build().sendWith(client).getMessages()) {
      if (message.getErrors() != null && message.getErrors().length > 0) {
        throw new IllegalStateException(message.getErrors()[0].getErrorMessage());
      }
    }
  }

  private static void ses() throws Exception {
    var credentials = StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, "not-checked"));
    var client = software.amazon.awssdk.services.sesv2.SesV2Client.builder()
        .endpointOverride(URI.create(BASE + "/ses")).region(Region.EU_WEST_1).credentialsProvider(credentials).build();
    Class<?> sdk = software.amazon.awssdk.services.sesv2.SesV2Client.class;
    for (boolean isInline : new boolean[] {false, true}) {
      String scenario = isInline ? "inline" : "attachment";
      run("ses", sdk, scenario, () -> client.sendEmail(mail -> mail.fromEmailAddress(FROM)
          .destination(d -> d.toAddresses(to("ses", scenario)))
          .content(c -> c.simple(m -> m.subject(s -> s.data("Hello")).body(b -> b.html(h -> h.data(IMAGE)))
              .attachments(a -> a.fileName(isInline ? "logo.png" : "all.txt").rawContent(SdkBytes.fromByteArray(CONTENT))
                  .contentId(isInline ? "logo" : null).contentDisposition(isInline ? "INLINE" : "ATTACHMENT"))))));
    }
    run("ses", sdk, "template", () -> {
      client.createEmailTemplate(t -> t.templateName("java").templateContent(c -> c.subject("Hello").html("Hello {{name}} 482913")));
      client.sendEmail(mail -> mail.fromEmailAddress(FROM).destination(d -> d.toAddresses(to("ses", "template")))
          .content(c -> c.template(t -> t.templateName("java").templateData("{\"name\":\"Ada\"}"))));
    });
    run("ses", sdk, "batch", () -> client.sendBulkEmail(mail -> mail.fromEmailAddress(FROM)
        .defaultContent(c -> c.template(t -> t.templateName("java").templateData("{\"name\":\"Ada\"}")))
        .bulkEmailEntries(e -> e.destination(d -> d.toAddresses(to("ses", "batch-1"))), e -> e.destination(d -> d.toAddresses(to("ses", "batch-2"))))));
    run("ses", sdk, "error", () -> client.sendEmail(mail -> mail.fromEmailAddress("nobody")
        .destination(d -> d.toAddresses(to("ses", "error")))
        .content(c -> c.simple(m -> m.subject(s -> s.data("x")).body(b -> b.text(t -> t.data("x")))))));
    sesV1(credentials);
    var sns = software.amazon.awssdk.services.sns.SnsClient.builder()
        .endpointOverride(URI.create(BASE + "/sns")).region(Region.EU_WEST_1).credentialsProvider(credentials).build();
    Class<?> snsSdk = software.amazon.awssdk.services.sns.SnsClient.class;
    run("sns", snsSdk, "sms", () -> sns.publish(p -> p.phoneNumber("+15550100").message("Your code is 482913, sns")));
    run("sns", snsSdk, "error", () -> sns.publish(p -> p.phoneNumber("nobody").message("x")));
  }

  private static void sesV1(StaticCredentialsProvider credentials) throws Exception {
    var client = software.amazon.awssdk.services.ses.SesClient.builder()
        .endpointOverride(URI.create(BASE + "/ses")).region(Region.EU_WEST_1).credentialsProvider(credentials).build();
    Class<?> sdk = software.amazon.awssdk.services.ses.SesClient.class;
    for (String scenario : List.of("attachment", "inline")) {
      String name = scenario.equals("inline") ? "logo.png\r\nContent-Id: <logo>\r\nContent-Disposition: inline; filename=logo.png" : "all.txt\r\nContent-Disposition: attachment; filename=all.txt";
      String raw = "From: " + FROM + "\r\nTo: " + to("ses-v1", scenario) + "\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n"
          + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n" + IMAGE
          + "\r\n--b\r\nContent-Type: application/octet-stream; name=" + name + "\r\nContent-Transfer-Encoding: base64\r\n\r\n"
          + Base64.getMimeEncoder().encodeToString(CONTENT) + "\r\n--b--\r\n";
      run("ses v1", sdk, scenario, () -> client.sendRawEmail(r -> r.rawMessage(m -> m.data(SdkBytes.fromUtf8String(raw)))));
    }
    run("ses v1", sdk, "template", () -> {
      client.createTemplate(t -> t.template(c -> c.templateName("java1").subjectPart("Hello").htmlPart("Hello {{name}} 482913")));
      client.sendTemplatedEmail(m -> m.source(FROM).destination(d -> d.toAddresses(to("ses-v1", "template"))).template("java1").templateData("{\"name\":\"Ada\"}"));
    });
    run("ses v1", sdk, "batch", () -> client.sendBulkTemplatedEmail(m -> m.source(FROM).template("java1").defaultTemplateData("{\"name\":\"Ada\"}")
        .destinations(d -> d.destination(e -> e.toAddresses(to("ses-v1", "batch-1"))), d -> d.destination(e -> e.toAddresses(to("ses-v1", "batch-2"))))));
    run("ses v1", sdk, "error", () -> client.sendEmail(m -> m.source("nobody").destination(d -> d.toAddresses(to("ses-v1", "error")))
        .message(x -> x.subject(s -> s.data("x")).body(b -> b.text(t -> t.data("x"))))));
  }

  private static void sms() throws Exception {
    Class<?> twilio = com.twilio.Twilio.class;
    // The host is fixed in the library; the proxy leads to the service.
    com.twilio.Twilio.init("AC00000000000000000000000000000000", KEY);
    for (String scenario : List.of("sms", "error")) {
      String number = scenario.equals("sms") ? "+15550100" : "nobody";
      run("twilio", twilio, scenario, () -> com.twilio.rest.api.v2010.account.Message.creator(
          new com.twilio.type.PhoneNumber(number), new com.twilio.type.PhoneNumber("+15550101"), "Your code is 482913, twilio").create());
      run("vonage", com.vonage.client.VonageClient.class, scenario, () -> {
        var client = com.vonage.client.VonageClient.builder().apiKey("any").apiSecret(KEY)
            .httpConfig(com.vonage.client.HttpConfig.builder().baseUri(BASE + "/vonage").build()).build();
        var response = client.getSmsClient().submitMessage(
            new com.vonage.client.sms.messages.TextMessage("Shop", number.replace("+", ""), "Your code is 482913, vonage"));
        if (!response.getMessages().get(0).getStatus().toString().equals("OK")) {
          throw new IllegalStateException(response.getMessages().get(0).getErrorText());
        }
      });
    }
  }
}
