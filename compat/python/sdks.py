"""Mail and SMS that applications send with the SDKs of providers in Python, from PyPI, as published.

Writes a line for each scenario to SDK_REPORT; compat/sdks/record.ts verifies the messages.
"""

import base64
import json
import os
from importlib.metadata import version

base = os.environ["RESTANTE_URL"].rstrip("/") + "/providers"
key = os.environ["RESTANTE_API_KEY"]
server = os.environ["RESTANTE_SERVER"]
sender = "app@shop.example"
content = bytes(range(256))
encoded = base64.b64encode(content).decode()
image = '<p>Hello</p><img src="cid:logo" alt="">'
os.environ.update(AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY="not-checked", AWS_DEFAULT_REGION="eu-west-1")


def run(provider, package, scenarios):
    sdk = f"{package} {version(package)}"
    for scenario, send in scenarios.items():
        line = {"provider": provider, "sdk": sdk, "scenario": scenario}
        try:
            send()
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:300]
        with open(os.environ["SDK_REPORT"], "a") as report:
            report.write(json.dumps(line) + "\n")


def to(provider, scenario):
    return f"{provider.replace(' ', '-')}-{scenario}@{server}.example"


def checked(response):
    """Raises what the SDKs that return the response leave to the application."""
    if response.status_code >= 300:
        raise RuntimeError(response.text)


def resend_sdk():
    import resend

    resend.api_url = f"{base}/resend"
    resend.api_key = key

    def mail(scenario, **changes):
        return {"from": sender, "to": [to("resend", scenario)], "subject": "Hello", "html": "482913", **changes}

    attachment = {"filename": "all.txt", "content": list(content)}
    inline = {"filename": "logo.png", "content": encoded, "content_id": "logo"}
    template = {"from": sender, "to": [to("resend", "template")], "template": {"id": "welcome", "variables": {"name": "Ada"}}}
    run(
        "resend",
        "resend",
        {
            "attachment": lambda: resend.Emails.send(mail("attachment", attachments=[attachment])),
            "inline": lambda: resend.Emails.send(mail("inline", html=image, attachments=[inline])),
            "batch": lambda: resend.Batch.send([mail("batch-1"), mail("batch-2")]),
            "template": lambda: resend.Emails.send({**template, "subject": "Hello"}),
            "error": lambda: resend.Emails.send(mail("error", **{"from": "nobody"})),
        },
    )


def gmail_sdk():
    from email.message import EmailMessage

    from google.oauth2.credentials import Credentials
    from googleapiclient.discovery import build_from_document
    from googleapiclient.discovery_cache import get_static_doc
    from googleapiclient.http import MediaInMemoryUpload

    # The library takes the URL of batches and uploads from the description of the API only.
    document = json.loads(get_static_doc("gmail", "v1")) | {"rootUrl": f"{base}/gmail/"}
    token = {"token_uri": f"{base}/gmail/token", "client_id": "any", "client_secret": "any"}
    api = build_from_document(document, credentials=Credentials(None, refresh_token=key, **token))
    messages = api.users().messages()

    def mail(scenario, file=None, recipient=None):
        one = EmailMessage()
        one["From"], one["To"], one["Subject"] = sender, recipient or to("gmail", scenario), "Hello"
        one.set_content(image if file == "logo" else "482913", subtype="html")
        if file == "logo":
            one.add_related(content, maintype="image", subtype="png", cid="<logo>", filename=file, disposition="inline")
        elif file is not None:
            one.add_attachment(content, maintype="text", subtype="plain", filename=file)
        return one

    def request(one):
        return messages.send(userId="me", body={"raw": base64.urlsafe_b64encode(one.as_bytes()).decode()})

    def upload():
        media = MediaInMemoryUpload(mail("attachment", "all.txt").as_bytes(), "message/rfc822", resumable=True)
        messages.send(userId="me", body={}, media_body=media).execute()

    def batch():
        requests = api.new_batch_http_request()
        for number in (1, 2):
            requests.add(request(mail(f"batch-{number}")))
        requests.execute()

    run(
        "gmail",
        "google-api-python-client",
        {
            "attachment": upload,
            "inline": lambda: request(mail("inline", "logo")).execute(),
            "batch": batch,
            "error": lambda: request(mail("error", recipient="nobody")).execute(),
        },
    )


def sendgrid_sdk():
    from sendgrid import SendGridAPIClient
    from sendgrid.helpers import mail as helpers

    client = SendGridAPIClient(key, host=f"{base}/sendgrid")

    def mail(scenario, html="482913", file=None, origin=sender):
        one = helpers.Mail(origin, to("sendgrid", scenario), "Hello", html_content=html)
        if file is not None:
            one.attachment = helpers.Attachment(*file)
        return one

    def batch():
        one = helpers.Mail(sender, subject="Hello", html_content="482913")
        for number in (1, 2):
            personalization = helpers.Personalization()
            personalization.add_to(helpers.To(to("sendgrid", f"batch-{number}")))
            one.add_personalization(personalization)
        client.send(one)

    def template():
        one = helpers.Mail(sender, to("sendgrid", "template"))
        one.template_id = "d-0123456789abcdef0123456789abcdef"
        one.dynamic_template_data = {"name": "Ada"}
        client.send(one)

    run(
        "sendgrid",
        "sendgrid",
        {
            "attachment": lambda: client.send(mail("attachment", file=(encoded, "all.txt", "application/octet-stream"))),
            "inline": lambda: client.send(mail("inline", image, (encoded, "logo.png", "image/png", "inline", "logo"))),
            "batch": batch,
            "template": template,
            "error": lambda: client.send(mail("error", origin="nobody")),
        },
    )


def mailgun_sdk():
    from mailgun.client import Client

    client = Client(auth=("api", key), api_url=f"{base}/mailgun")

    def send(scenario, files=None, **changes):
        data = {"from": sender, "to": to("mailgun", scenario), "subject": "Hello", "html": "482913", **changes}
        checked(client.messages.create(data=data, files=files, domain="shop.example"))

    def batch():
        addresses = [to("mailgun", f"batch-{number}") for number in (1, 2)]
        variables = json.dumps({address: {"id": 1} for address in addresses})
        send("batch", to=addresses, **{"recipient-variables": variables})

    run(
        "mailgun",
        "mailgun",
        {
            "attachment": lambda: send("attachment", files=[("attachment", ("all.txt", content))]),
            "inline": lambda: send("inline", files=[("inline", ("logo", content))], html=image),
            "batch": batch,
            "template": lambda: send("template", html=None, template="welcome", **{"t:variables": '{"name":"Ada"}'}),
            "error": lambda: send("error", **{"from": "nobody"}),
        },
    )


def postmark_sdk():
    from postmarker.core import PostmarkClient

    # The library drops the path of another base URL; the proxy leads to the service.
    client = PostmarkClient(server_token=key)

    def mail(scenario, **changes):
        return {"From": sender, "To": to("postmark", scenario), "Subject": "Hello", "HtmlBody": "482913", **changes}

    def file(name, kind, cid=None):
        return {"Name": name, "Content": encoded, "ContentType": kind, **({"ContentID": cid} if cid else {})}

    def template():
        client.templates.create(Name="Welcome", Alias="welcome", Subject="Hello", HtmlBody="Hello {{name}}")
        client.emails.send_with_template(
            TemplateAlias="welcome", TemplateModel={"name": "Ada"}, From=sender, To=to("postmark", "template")
        )

    run(
        "postmark",
        "postmarker",
        {
            "attachment": lambda: client.emails.send(**mail("attachment", Attachments=[file("all.txt", "application/x")])),
            "inline": lambda: client.emails.send(
                **mail("inline", HtmlBody=image, Attachments=[file("logo.png", "image/png", "cid:logo")])
            ),
            "batch": lambda: client.emails.send_batch(mail("batch-1"), mail("batch-2")),
            "template": template,
            "error": lambda: client.emails.send(**mail("error", From="nobody")),
        },
    )


def brevo_sdk():
    from brevo import Brevo

    client = Brevo(api_key=key, base_url=f"{base}/brevo/v3")
    origin = {"email": sender}

    def send(scenario, **changes):
        mail = {"sender": origin, "to": [{"email": to("brevo", scenario)}], "subject": "Hello", "html_content": "482913"}
        client.transactional_emails.send_transac_email(**{**mail, **changes})

    def batch():
        versions = [{"to": [{"email": to("brevo", f"batch-{number}")}]} for number in (1, 2)]
        client.transactional_emails.send_transac_email(
            sender=origin, subject="Hello", html_content="482913", message_versions=versions
        )

    def template():
        client.transactional_emails.send_transac_email(
            to=[{"email": to("brevo", "template")}], template_id=7, params={"name": "Ada"}
        )

    run(
        "brevo",
        "brevo-python",
        {
            "attachment": lambda: send("attachment", attachment=[{"name": "all.txt", "content": encoded}]),
            "batch": batch,
            "template": template,
            "sms": lambda: client.transactional_sms.send_async_transactional_sms(
                sender="Shop", recipient="15550100", content="Your code is 482913, brevo"
            ),
            "error": lambda: send("error", sender={"email": "nobody"}),
        },
    )


def mailjet_sdk():
    from mailjet_rest import Client

    client = Client(auth=("any", key), version="v3.1", api_url=f"{base}/mailjet/")

    def mail(scenario, **changes):
        recipients = [{"Email": to("mailjet", scenario)}]
        return {"From": {"Email": sender}, "To": recipients, "Subject": "Hello", "HTMLPart": "482913", **changes}

    def send(*messages):
        checked(client.send.create(data={"Messages": list(messages)}))

    def file(name, kind, **changes):
        return [{"Filename": name, "ContentType": kind, "Base64Content": encoded, **changes}]

    template = {"HTMLPart": None, "TemplateID": 7, "TemplateLanguage": True, "Variables": {"name": "Ada"}}
    run(
        "mailjet",
        "mailjet-rest",
        {
            "attachment": lambda: send(mail("attachment", Attachments=file("all.txt", "application/octet-stream"))),
            "inline": lambda: send(
                mail("inline", HTMLPart=image, InlinedAttachments=file("logo.png", "image/png", ContentID="logo"))
            ),
            "batch": lambda: send(mail("batch-1"), mail("batch-2")),
            "template": lambda: send({k: v for k, v in mail("template", **template).items() if v is not None}),
            "error": lambda: send(mail("error", From={"Email": "nobody"})),
        },
    )


def mailersend_sdk():
    from mailersend import EmailBuilder, MailerSendClient, SmsSendingBuilder

    client = MailerSendClient(api_key=key, base_url=f"{base}/mailersend/v1", max_retries=0)

    def mail(scenario, html="482913"):
        return EmailBuilder().from_email(sender).to(to("mailersend", scenario)).subject("Hello").html(html)

    def send(builder):
        client.emails.send(builder.build())

    def attach(builder, name, disposition, cid=None):
        request = builder.build()
        file = {"content": encoded, "filename": name, "disposition": disposition, "id": cid}
        client.emails.send(type(request).model_validate({**request.model_dump(by_alias=True), "attachments": [file]}))

    def template():
        address = to("mailersend", "template")
        send(mail("template").template("jy7zpl93p5rg5vx6").personalize(address, name="Ada"))

    def sms():
        request = SmsSendingBuilder().from_number("+15550101").to(["+15550100"]).text("Your code is 482913, mailersend")
        client.sms_sending.send(request.build())

    run(
        "mailersend",
        "mailersend",
        {
            "attachment": lambda: attach(mail("attachment"), "all.txt", "attachment"),
            "inline": lambda: attach(mail("inline", image), "logo.png", "inline", "logo"),
            "batch": lambda: client.emails.send_bulk([mail("batch-1").build(), mail("batch-2").build()]),
            "template": template,
            "sms": sms,
            "error": lambda: client.emails.get_bulk_status("none"),
        },
    )


def mailtrap_sdk():
    import mailtrap

    # The hosts of Mailtrap are inside the library; the proxy leads to the service.
    client = mailtrap.MailtrapClient(token=key)
    origin = mailtrap.Address(email=sender)

    def mail(scenario, html="482913", files=None, address=origin):
        recipients = [mailtrap.Address(email=to("mailtrap", scenario))]
        return mailtrap.Mail(sender=address, to=recipients, subject="Hello", html=html, attachments=files)

    def file(name, **changes):
        return [mailtrap.Attachment(content=encoded.encode(), filename=name, **changes)]

    def template():
        recipients = [mailtrap.Address(email=to("mailtrap", "template"))]
        uuid = "aeb1ec59-2737-4a1d-9c95-0baf3be49d74"
        client.send(
            mailtrap.MailFromTemplate(sender=origin, to=recipients, template_uuid=uuid, template_variables={"name": "Ada"})
        )

    def batch():
        shared = mailtrap.BatchMail(sender=origin, subject="Hello", html="482913")
        requests = [
            mailtrap.BatchEmailRequest(to=[mailtrap.Address(email=to("mailtrap", f"batch-{number}"))]) for number in (1, 2)
        ]
        client.batch_send(mailtrap.BatchSendEmailParams(base=shared, requests=requests))

    inline = {"mimetype": "image/png", "disposition": mailtrap.Disposition.INLINE, "content_id": "logo"}
    run(
        "mailtrap",
        "mailtrap",
        {
            "attachment": lambda: client.send(mail("attachment", files=file("all.txt", mimetype="application/octet-stream"))),
            "inline": lambda: client.send(mail("inline", image, file("logo.png", **inline))),
            "batch": batch,
            "template": template,
            "error": lambda: client.send(mail("error", address=mailtrap.Address(email="nobody"))),
        },
    )


def aws_sdk():
    import boto3

    v2 = boto3.client("sesv2", endpoint_url=f"{base}/ses")
    v1 = boto3.client("ses", endpoint_url=f"{base}/ses")
    sns = boto3.client("sns", endpoint_url=f"{base}/sns")
    subject = {"Data": "Hello"}

    def send(scenario, html="482913", origin=sender, **changes):
        simple = {"Subject": subject, "Body": {"Html": {"Data": html}}, **changes}
        destination = {"ToAddresses": [to("ses", scenario)]}
        v2.send_email(FromEmailAddress=origin, Destination=destination, Content={"Simple": simple})

    def template():
        v2.create_email_template(TemplateName="sdk", TemplateContent={"Subject": "Hello", "Html": "Hello {{name}} 482913"})
        chosen = {"TemplateName": "sdk", "TemplateData": '{"name":"Ada"}'}
        v2.send_email(
            FromEmailAddress=sender, Destination={"ToAddresses": [to("ses", "template")]}, Content={"Template": chosen}
        )

    def batch():
        entries = [{"Destination": {"ToAddresses": [to("ses", f"batch-{number}")]}} for number in (1, 2)]
        default = {"Template": {"TemplateName": "sdk", "TemplateData": '{"name":"Ada"}'}}
        v2.send_bulk_email(FromEmailAddress=sender, DefaultContent=default, BulkEmailEntries=entries)

    inline = {"FileName": "logo.png", "RawContent": content, "ContentId": "logo", "ContentDisposition": "INLINE"}
    run(
        "ses",
        "boto3",
        {
            "attachment": lambda: send("attachment", Attachments=[{"FileName": "all.txt", "RawContent": content}]),
            "inline": lambda: send("inline", image, Attachments=[inline]),
            "template": template,
            "batch": batch,
            "error": lambda: send("error", origin="nobody"),
        },
    )
    ses_v1(v1, subject)
    run(
        "sns",
        "boto3",
        {
            "sms": lambda: sns.publish(PhoneNumber="+15550100", Message="Your code is 482913, sns"),
            "error": lambda: sns.publish(PhoneNumber="nobody", Message="x"),
        },
    )


def ses_v1(client, subject):
    from email.message import EmailMessage

    def raw(scenario, cid=None):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to("ses v1", scenario), "Hello"
        mail.set_content(image, subtype="html")
        name = "all.txt" if cid is None else "logo.png"
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name, cid=cid)
        client.send_raw_email(RawMessage={"Data": mail.as_bytes()})

    def template():
        client.create_template(Template={"TemplateName": "v1", "SubjectPart": "Hello", "HtmlPart": "Hello {{name}} 482913"})
        destination = {"ToAddresses": [to("ses v1", "template")]}
        client.send_templated_email(Source=sender, Destination=destination, Template="v1", TemplateData='{"name":"Ada"}')

    def batch():
        destinations = [{"Destination": {"ToAddresses": [to("ses v1", f"batch-{number}")]}} for number in (1, 2)]
        client.send_bulk_templated_email(
            Source=sender, Template="v1", DefaultTemplateData='{"name":"Ada"}', Destinations=destinations
        )

    def error():
        message = {"Subject": subject, "Body": {"Text": subject}}
        client.send_email(Source="nobody", Destination={"ToAddresses": [to("ses v1", "error")]}, Message=message)

    scenarios = {
        "attachment": lambda: raw("attachment"),
        "inline": lambda: raw("inline", "<logo>"),
        "template": template,
        "batch": batch,
        "error": error,
    }
    run("ses v1", "boto3", scenarios)


def twilio_sdk():
    from twilio.rest import Client

    client = Client("AC00000000000000000000000000000000", key)
    client.api.base_url = f"{base}/twilio"
    run(
        "twilio",
        "twilio",
        {
            "sms": lambda: client.messages.create(from_="+15550101", to="+15550100", body="Your code is 482913, twilio"),
            "error": lambda: client.messages.create(from_="+15550101", to="nobody", body="x"),
        },
    )


def vonage_sdk():
    from vonage import Auth, Vonage
    from vonage_sms import SmsMessage

    # The library sends over HTTPS only; the proxy leads to the service.
    client = Vonage(Auth(api_key="any", api_secret=key))

    def send(number):
        client.sms.send(SmsMessage(to=number, from_="Shop", text="Your code is 482913, vonage"))

    run("vonage", "vonage", {"sms": lambda: send("15550100"), "error": lambda: send("nobody")})


def acs_sdk():
    from azure.communication.email import EmailClient
    from azure.communication.sms import SmsClient
    from azure.core.credentials import AzureKeyCredential

    # Any key in base64: it signs requests, and is not sent.
    client = EmailClient(f"{base}/acs", AzureKeyCredential(encoded))

    def send(scenario, html="482913", file=None, origin=sender):
        recipients = {"to": [{"address": to("acs", scenario)}]}
        attachments = [] if file is None else [{"contentInBase64": encoded, **file}]
        content = {"subject": "Hello", "html": html}
        mail = {"senderAddress": origin, "recipients": recipients, "content": content, "attachments": attachments}
        client.begin_send(mail).result()

    def sms():
        client = SmsClient(f"{base}/acs", AzureKeyCredential(encoded))
        [result] = client.send("+15550100", ["+15550123"], "Your code is 482913, acs", enable_delivery_report=True)
        if not result.successful:
            raise RuntimeError(result.error_message)

    run(
        "acs",
        "azure-communication-email",
        {
            "attachment": lambda: send("attachment", file={"name": "all.txt", "contentType": "application/octet-stream"}),
            "inline": lambda: send("inline", image, {"name": "logo.png", "contentType": "image/png", "contentId": "logo"}),
            "error": lambda: send("error", origin="nobody"),
        },
    )
    run("acs", "azure-communication-sms", {"sms": sms})


def mandrill_sdk():
    from mailchimp_transactional import Client

    client = Client(key)
    client.api_client.host = f"{base}/mandrill/api/1.3"
    ada = [{"name": "NAME", "content": "Ada"}]

    def mail(*scenarios, **changes):
        recipients = [{"email": to("mandrill", scenario)} for scenario in scenarios]
        return {"message": {"from_email": sender, "to": recipients, "subject": "Hello", "html": "482913", **changes}}

    def file(name, kind):
        return [{"name": name, "type": kind, "content": encoded}]

    def template():
        client.templates.add({"name": "welcome", "code": "Hello *|NAME|*"})
        chosen = {"template_name": "welcome", "template_content": []}
        client.messages.send_template({**mail("template", global_merge_vars=ada), **chosen})

    run(
        "mandrill",
        "mailchimp-transactional",
        {
            "attachment": lambda: client.messages.send(mail("attachment", attachments=file("all.txt", "text/plain"))),
            "inline": lambda: client.messages.send(mail("inline", html=image, images=file("logo", "image/png"))),
            "batch": lambda: client.messages.send(mail("batch-1", "batch-2")),
            "template": template,
            "error": lambda: client.messages.info({"id": "none"}),
        },
    )


def sparkpost_sdk():
    from sparkpost import SparkPost

    # The library writes https:// before its host; the proxy leads to the service.
    client = SparkPost(key)

    def send(*scenarios, origin=sender, **changes):
        recipients = [to("sparkpost", scenario) for scenario in scenarios]
        mail = {"from_email": origin, "subject": "Hello", "html": "482913", **changes}
        client.transmissions.send(recipients=recipients, **mail)

    def file(name, kind):
        return [{"name": name, "type": kind, "data": encoded}]

    def template():
        content = {"from_email": sender, "subject": "Hello", "html": "Hello {{name}}"}
        client.templates.create(id="welcome", name="Welcome", published=True, **content)
        recipients = [to("sparkpost", "template")]
        client.transmissions.send(recipients=recipients, template="welcome", substitution_data={"name": "Ada"})

    run(
        "sparkpost",
        "sparkpost",
        {
            "attachment": lambda: send("attachment", attachments=file("all.txt", "text/plain")),
            "inline": lambda: send("inline", html=image, inline_images=file("logo", "image/png")),
            "batch": lambda: send("batch-1", "batch-2"),
            "template": template,
            "error": lambda: send("error", origin="nobody"),
        },
    )


def graph_sdk():
    import asyncio

    from azure.core.credentials import AccessToken
    from msgraph import GraphServiceClient
    from msgraph.generated.models.body_type import BodyType
    from msgraph.generated.models.email_address import EmailAddress
    from msgraph.generated.models.file_attachment import FileAttachment
    from msgraph.generated.models.item_body import ItemBody
    from msgraph.generated.models.message import Message
    from msgraph.generated.models.recipient import Recipient
    from msgraph.generated.users.item.send_mail.send_mail_post_request_body import SendMailPostRequestBody

    class Key:
        def get_token(self, *scopes, **options):
            return AccessToken(key, 4_000_000_000)

    # The host is inside the library; the proxy leads to the service.
    client = GraphServiceClient(Key())
    user = client.users.by_user_id(f"app@{server}.example")
    loop = asyncio.new_event_loop()

    def send(scenario, html="482913", recipient=None, **file):
        recipients = [Recipient(email_address=EmailAddress(address=recipient or to("graph", scenario)))]
        body = ItemBody(content_type=BodyType.Html, content=html)
        files = [FileAttachment(content_bytes=content, **file)] if file else None
        mail = Message(subject="Hello", body=body, to_recipients=recipients, attachments=files)
        request = SendMailPostRequestBody(message=mail, save_to_sent_items=False)
        loop.run_until_complete(user.send_mail.post(request))

    run(
        "graph",
        "msgraph-sdk",
        {
            "attachment": lambda: send("attachment", name="all.txt", content_type="text/plain"),
            "inline": lambda: send("inline", image, name="logo.png", content_type="image/png", content_id="logo", is_inline=True),
            "error": lambda: send("error", recipient="nobody"),
        },
    )


for sdk in (
    acs_sdk,
    mandrill_sdk,
    sparkpost_sdk,
    graph_sdk,
    resend_sdk,
    gmail_sdk,
    sendgrid_sdk,
    mailgun_sdk,
    postmark_sdk,
    brevo_sdk,
    mailjet_sdk,
    mailersend_sdk,
    mailtrap_sdk,
    aws_sdk,
    twilio_sdk,
    vonage_sdk,
):
    sdk()
