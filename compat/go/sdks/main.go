// Command sdks sends mail and SMS with the SDKs of providers for Go, from the module proxy, as published. It writes a line for
// each scenario to SDK_REPORT; compat/sdks/record.ts verifies the messages.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/mailgun/mailgun-go/v4"
	"github.com/mailjet/mailjet-apiv3-go/v4"
	"github.com/mrz1836/postmark"
	"github.com/resend/resend-go/v2"
	"github.com/sendgrid/sendgrid-go"
	sgmail "github.com/sendgrid/sendgrid-go/helpers/mail"
	"github.com/twilio/twilio-go"
	twilioapi "github.com/twilio/twilio-go/rest/api/v2010"
	"golang.org/x/oauth2"
	"google.golang.org/api/gmail/v1"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

const (
	from  = "app@shop.example"
	image = `<p>Hello</p><img src="cid:logo" alt="">`
)

var (
	base    = os.Getenv("RESTANTE_URL") + "/providers"
	key     = os.Getenv("RESTANTE_API_KEY")
	content = bytes()
	encoded = base64.StdEncoding.EncodeToString(content)
	ctx     = context.Background()
)

type scenario struct {
	name string
	send func() error
}

func main() {
	useResend()
	useSendgrid()
	useMailgun()
	usePostmark()
	useMailjet()
	useAws()
	useTwilio()
	useGmail()
}

func bytes() []byte {
	all := make([]byte, 256)
	for value := range all {
		all[value] = byte(value)
	}
	return all
}

func to(provider, name string) string {
	return provider + "-" + name + "@" + os.Getenv("RESTANTE_SERVER") + ".example"
}

func run(provider, module string, scenarios []scenario) {
	report, err := os.OpenFile(os.Getenv("SDK_REPORT"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer report.Close()
	for _, one := range scenarios {
		line := map[string]string{"provider": provider, "sdk": module + " " + version(module), "scenario": one.name}
		if err := one.send(); err != nil {
			line["error"] = fmt.Sprintf("%.300v", err)
		}
		_ = json.NewEncoder(report).Encode(line)
	}
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, one := range info.Deps {
		if one.Path == module {
			return strings.TrimSuffix(strings.TrimPrefix(one.Version, "v"), "+incompatible")
		}
	}
	return "?"
}

func useResend() {
	client := resend.NewClient(key)
	client.BaseURL, _ = url.Parse(base + "/resend/")
	mail := func(name string, files ...*resend.Attachment) *resend.SendEmailRequest {
		return &resend.SendEmailRequest{From: from, To: []string{to("resend", name)}, Subject: "Hello", Html: image + "482913", Attachments: files}
	}
	send := func(request *resend.SendEmailRequest) error {
		_, err := client.Emails.Send(request)
		return err
	}
	run("resend", "github.com/resend/resend-go/v2", []scenario{
		{"attachment", func() error {
			return send(mail("attachment", &resend.Attachment{Filename: "all.txt", Content: content}))
		}},
		{"inline", func() error {
			return send(mail("inline", &resend.Attachment{Filename: "logo.png", Content: content, ContentId: "logo"}))
		}},
		{"batch", func() error {
			_, err := client.Batch.Send([]*resend.SendEmailRequest{mail("batch-1"), mail("batch-2")})
			return err
		}},
		{"error", func() error {
			request := mail("error")
			request.From = "nobody"
			return send(request)
		}},
	})
}

func useSendgrid() {
	client := sendgrid.NewSendClient(key)
	client.BaseURL = base + "/sendgrid/v3/mail/send"
	send := func(mail *sgmail.SGMailV3) error {
		response, err := client.Send(mail)
		if err == nil && response.StatusCode >= 300 {
			return fmt.Errorf("%s", response.Body)
		}
		return err
	}
	mail := func(name, html string) *sgmail.SGMailV3 {
		one := sgmail.NewV3MailInit(sgmail.NewEmail("", from), "Hello", sgmail.NewEmail("", to("sendgrid", name)), sgmail.NewContent("text/html", html))
		return one
	}
	file := func(name, kind string) *sgmail.Attachment {
		return sgmail.NewAttachment().SetContent(encoded).SetFilename(name).SetType(kind)
	}
	run("sendgrid", "github.com/sendgrid/sendgrid-go", []scenario{
		{"attachment", func() error { return send(mail("attachment", "482913").AddAttachment(file("all.txt", "text/plain"))) }},
		{"inline", func() error {
			return send(mail("inline", image).AddAttachment(file("logo.png", "image/png").SetDisposition("inline").SetContentID("logo")))
		}},
		{"batch", func() error {
			second := sgmail.NewPersonalization()
			second.AddTos(sgmail.NewEmail("", to("sendgrid", "batch-2")))
			return send(mail("batch-1", "482913").AddPersonalizations(second))
		}},
		{"template", func() error {
			one := sgmail.NewV3Mail().SetFrom(sgmail.NewEmail("", from)).SetTemplateID("d-0123456789abcdef0123456789abcdef")
			personalization := sgmail.NewPersonalization()
			personalization.AddTos(sgmail.NewEmail("", to("sendgrid", "template")))
			personalization.SetDynamicTemplateData("name", "Ada")
			return send(one.AddPersonalizations(personalization))
		}},
		{"error", func() error { return send(mail("error", "x").SetFrom(sgmail.NewEmail("", "nobody"))) }},
	})
}

func useMailgun() {
	client := mailgun.NewMailgun("shop.example", key)
	client.SetAPIBase(base + "/mailgun/v3")
	send := func(name, sender, html string, change func(*mailgun.Message)) error {
		message := mailgun.NewMessage(sender, "Hello", "", to("mailgun", name))
		message.SetHTML(html)
		change(message)
		_, _, err := client.Send(ctx, message)
		return err
	}
	run("mailgun", "github.com/mailgun/mailgun-go/v4", []scenario{
		{"attachment", func() error {
			return send("attachment", from, "482913", func(m *mailgun.Message) { m.AddBufferAttachment("all.txt", content) })
		}},
		{"inline", func() error {
			return send("inline", from, image, func(m *mailgun.Message) {
				m.AddReaderInline("logo", reader{strings.NewReader(string(content))})
			})
		}},
		{"batch", func() error {
			message := mailgun.NewMessage(from, "Hello", "482913")
			for _, name := range []string{"batch-1", "batch-2"} {
				if err := message.AddRecipientAndVariables(to("mailgun", name), map[string]any{"id": 1}); err != nil {
					return err
				}
			}
			_, _, err := client.Send(ctx, message)
			return err
		}},
		{"template", func() error {
			message := mailgun.NewMessage(from, "Hello", "", to("mailgun", "template"))
			message.SetTemplate("welcome")
			_ = message.AddTemplateVariable("name", "Ada")
			_, _, err := client.Send(ctx, message)
			return err
		}},
		{"error", func() error { return send("error", "nobody", "x", func(*mailgun.Message) {}) }},
	})
}

type reader struct{ *strings.Reader }

func (reader) Close() error { return nil }

func usePostmark() {
	client := postmark.NewClient(key, "")
	client.BaseURL = base + "/postmark"
	mail := func(name string, files ...postmark.Attachment) postmark.Email {
		return postmark.Email{From: from, To: to("postmark", name), Subject: "Hello", HTMLBody: image + "482913", Attachments: files}
	}
	send := func(email postmark.Email) error {
		_, err := client.SendEmail(ctx, email)
		return err
	}
	run("postmark", "github.com/mrz1836/postmark", []scenario{
		{"attachment", func() error {
			return send(mail("attachment", postmark.Attachment{Name: "all.txt", Content: encoded, ContentType: "text/plain"}))
		}},
		{"inline", func() error {
			return send(mail("inline", postmark.Attachment{Name: "logo.png", Content: encoded, ContentType: "image/png", ContentID: "cid:logo"}))
		}},
		{"batch", func() error {
			_, err := client.SendEmailBatch(ctx, []postmark.Email{mail("batch-1"), mail("batch-2")})
			return err
		}},
		{"template", func() error {
			made, err := client.CreateTemplate(ctx, postmark.Template{Name: "Go", Subject: "Hello", HTMLBody: "Hello {{name}}"})
			if err != nil {
				return err
			}
			_, err = client.SendTemplatedEmail(ctx, postmark.TemplatedEmail{
				TemplateID: made.TemplateID, TemplateModel: map[string]any{"name": "Ada"}, From: from, To: to("postmark", "template"),
			})
			return err
		}},
		{"error", func() error {
			email := mail("error")
			email.From = "nobody"
			return send(email)
		}},
	})
}

func useMailjet() {
	client := mailjet.NewMailjetClient("any", key, base+"/mailjet/v3")
	mail := func(name string) mailjet.InfoMessagesV31 {
		recipients := mailjet.RecipientsV31{{Email: to("mailjet", name)}}
		return mailjet.InfoMessagesV31{From: &mailjet.RecipientV31{Email: from}, To: &recipients, Subject: "Hello", HTMLPart: image + "482913"}
	}
	send := func(messages ...mailjet.InfoMessagesV31) error {
		_, err := client.SendMailV31(&mailjet.MessagesV31{Info: messages})
		return err
	}
	file := mailjet.AttachmentV31{ContentType: "text/plain", Filename: "all.txt", Base64Content: encoded}
	run("mailjet", "github.com/mailjet/mailjet-apiv3-go/v4", []scenario{
		{"attachment", func() error {
			one := mail("attachment")
			one.Attachments = &mailjet.AttachmentsV31{file}
			return send(one)
		}},
		{"inline", func() error {
			one := mail("inline")
			one.InlinedAttachments = &mailjet.InlinedAttachmentsV31{{AttachmentV31: file, ContentID: "logo"}}
			return send(one)
		}},
		{"batch", func() error { return send(mail("batch-1"), mail("batch-2")) }},
		{"template", func() error {
			one := mail("template")
			one.HTMLPart, one.TemplateID, one.TemplateLanguage = "", 7, true
			one.Variables = map[string]any{"name": "Ada"}
			return send(one)
		}},
		{"error", func() error {
			one := mail("error")
			one.From.Email = "nobody"
			return send(one)
		}},
	})
}

func useAws() {
	config := aws.Config{Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider(key, "not-checked", "")}
	ses := sesv2.NewFromConfig(config, func(o *sesv2.Options) { o.BaseEndpoint = aws.String(base + "/ses") })
	send := func(name, sender string, files ...sestypes.Attachment) error {
		html := &sestypes.Content{Data: aws.String(image)}
		simple := &sestypes.Message{Subject: &sestypes.Content{Data: aws.String("Hello")}, Body: &sestypes.Body{Html: html}, Attachments: files}
		_, err := ses.SendEmail(ctx, &sesv2.SendEmailInput{
			FromEmailAddress: aws.String(sender),
			Destination:      &sestypes.Destination{ToAddresses: []string{to("ses", name)}},
			Content:          &sestypes.EmailContent{Simple: simple},
		})
		return err
	}
	run("ses", "github.com/aws/aws-sdk-go-v2/service/sesv2", []scenario{
		{"attachment", func() error {
			return send("attachment", from, sestypes.Attachment{FileName: aws.String("all.txt"), RawContent: content})
		}},
		{"inline", func() error {
			return send("inline", from, sestypes.Attachment{
				FileName: aws.String("logo.png"), RawContent: content, ContentId: aws.String("logo"),
				ContentDisposition: sestypes.AttachmentContentDispositionInline,
			})
		}},
		{"error", func() error { return send("error", "nobody") }},
	})
	topics := sns.NewFromConfig(config, func(o *sns.Options) { o.BaseEndpoint = aws.String(base + "/sns") })
	publish := func(number string) error {
		_, err := topics.Publish(ctx, &sns.PublishInput{PhoneNumber: aws.String(number), Message: aws.String("Your code is 482913, sns")})
		return err
	}
	run("sns", "github.com/aws/aws-sdk-go-v2/service/sns", []scenario{
		{"sms", func() error { return publish("+15550100") }},
		{"error", func() error { return publish("nobody") }},
	})
}

// The host is fixed in the library; the proxy leads to the service.
func useTwilio() {
	client := twilio.NewRestClientWithParams(twilio.ClientParams{Username: "AC00000000000000000000000000000000", Password: key})
	send := func(number string) error {
		params := &twilioapi.CreateMessageParams{}
		params.SetTo(number)
		params.SetFrom("+15550101")
		params.SetBody("Your code is 482913, twilio")
		_, err := client.Api.CreateMessage(params)
		return err
	}
	run("twilio", "github.com/twilio/twilio-go", []scenario{
		{"sms", func() error { return send("+15550100") }},
		{"error", func() error { return send("nobody") }},
	})
}

func useGmail() {
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: key})
	service, err := gmail.NewService(ctx, option.WithEndpoint(base+"/gmail/"), option.WithTokenSource(token))
	if err != nil {
		panic(err)
	}
	mail := func(recipient, html string, file []string) string {
		head := "From: " + from + "\r\nTo: " + recipient + "\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n"
		body := "Content-Type: text/html; charset=utf-8\r\n\r\n" + html + "\r\n"
		if file == nil {
			return head + body
		}
		parts := "--b\r\n" + body + "--b\r\n" + strings.Join(file, "\r\n") + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + encoded + "\r\n--b--\r\n"
		return head + "Content-Type: multipart/related; boundary=b\r\n\r\n" + parts
	}
	send := func(raw string) error {
		message := &gmail.Message{Raw: base64.URLEncoding.EncodeToString([]byte(raw))}
		_, err := service.Users.Messages.Send("me", message).Do()
		return err
	}
	attachment := []string{"Content-Type: text/plain", "Content-Disposition: attachment; filename=all.txt"}
	inline := []string{"Content-Type: image/png", "Content-Disposition: inline; filename=logo.png", "Content-ID: <logo>"}
	run("gmail", "google.golang.org/api", []scenario{
		{"attachment", func() error {
			media := strings.NewReader(mail(to("gmail", "attachment"), "482913", attachment))
			_, err := service.Users.Messages.Send("me", &gmail.Message{}).Media(media, googleapi.ContentType("message/rfc822")).Do()
			return err
		}},
		{"inline", func() error { return send(mail(to("gmail", "inline"), image, inline)) }},
		{"error", func() error { return send(mail("nobody", "x", nil)) }},
	})
}
