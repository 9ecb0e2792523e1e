"""Mail and SMS that an application sends with boto3 and the AWS CLI, as published and untouched.

They find the service by the variables that every AWS SDK reads. Prints the name of each scenario that went well; the first
that does not ends the program.
"""

import json
import os
import subprocess
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

base = os.environ["MAILOSAUR_BASE_URL"].rstrip("/")
key = os.environ["MAILOSAUR_API_KEY"]
os.environ.update(
    AWS_ENDPOINT_URL_SESV2=f"{base}/providers/ses",
    AWS_ENDPOINT_URL_SES=f"{base}/providers/ses",
    AWS_ENDPOINT_URL_SNS=f"{base}/providers/sns",
    AWS_ACCESS_KEY_ID=key,
    AWS_SECRET_ACCESS_KEY="not-checked",
    AWS_DEFAULT_REGION="eu-west-1",
)

import boto3  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

v2 = boto3.client("sesv2")
v1 = boto3.client("ses")
sns = boto3.client("sns")


def call(path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{base}{path}", data=content, headers=headers)) as response:
        return json.load(response)


server = call("/api/servers", {"name": "AWS"})["id"]
to = f"ada@{server}.localhost"


def message(provider, provider_id):
    query = urlencode({"server": server, "provider": provider, "providerId": provider_id})
    [found] = call(f"/api/messages?{query}")
    return call(f"/api/messages/{found['id']}")


def refusal(action, **arguments):
    try:
        action(**arguments)
    except ClientError as error:
        return type(error).__name__, error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError("nothing was refused")


def version_2():
    sent = v2.send_email(
        FromEmailAddress="Shöp <app@app.example>",
        Destination={"ToAddresses": [to]},
        EmailTags=[{"Name": "campaign", "Value": "spring"}],
        Content={
            "Simple": {
                "Subject": {"Data": "Ваш код 482913"},
                "Body": {"Text": {"Data": "Your code is 482913"}},
                "Attachments": [{"FileName": "all.bin", "RawContent": bytes(range(256))}],
            }
        },
    )
    found = message("ses", sent["MessageId"])
    assert (found["subject"], found["text"]["codes"][0]["value"]) == ("Ваш код 482913", "482913")
    assert found["provider"]["metadata"] == {"campaign": "spring"}
    assert [one["length"] for one in found["attachments"]] == [256]


def version_1():
    content = {"Subject": {"Data": "Grüße + 100 %"}, "Body": {"Html": {"Data": "<p>a &amp; b</p>"}}}
    sent = v1.send_email(Source="app@app.example", Destination={"ToAddresses": [to]}, Message=content)
    assert message("ses", sent["MessageId"])["subject"] == "Grüße + 100 %"
    raw = f"From: app@app.example\r\nTo: {to}\r\nSubject: Raw\r\n\r\nHello".encode()
    assert message("ses", v1.send_raw_email(RawMessage={"Data": raw})["MessageId"])["subject"] == "Raw"


def templates():
    v1.create_template(Template={"TemplateName": "welcome", "SubjectPart": "Hi {{name}}", "TextPart": "{{name}}\r\n"})
    assert v2.get_email_template(TemplateName="welcome")["TemplateContent"]["Text"] == "{{name}}\r\n"
    destination = {"ToAddresses": [to]}
    options = {"Source": "app@app.example", "Destination": destination, "Template": "welcome"}
    sent = v1.send_templated_email(**options, TemplateData='{"name": "Zoë"}')
    assert message("ses", sent["MessageId"])["subject"] == "Hi Zoë"
    assert refusal(v1.test_render_template, TemplateName="welcome", TemplateData="{}") == (
        "MissingRenderingAttributeException",
        "MissingRenderingAttribute",
        "Attribute 'name' is not present in the rendering data.",
    )


def identities():
    v1.verify_domain_identity(Domain="app.example")
    assert v2.get_email_identity(EmailIdentity="app.example")["VerifiedForSendingStatus"]
    assert v1.list_identities()["Identities"] == ["app.example"]
    assert v1.get_send_quota()["SentLast24Hours"] == 0


def typed_errors():
    content = {"Simple": {"Subject": {"Data": "x"}, "Body": {"Text": {"Data": "x"}}}}
    options = {"Destination": {"ToAddresses": [to]}, "Content": content}
    assert refusal(v2.send_email, FromEmailAddress="app@app.invalid", **options)[0] == "MessageRejected"
    options["Content"] = {"Template": {"TemplateName": "missing", "TemplateData": "{}"}}
    assert refusal(v2.send_email, FromEmailAddress="app@app.example", **options)[0] == "NotFoundException"
    assert refusal(sns.publish, PhoneNumber="nobody", Message="x")[0] == "InvalidParameterException"


def sms():
    number = "+15550100"
    call("/api/phone-numbers", {"number": number, "server": server})
    assert not sns.check_if_phone_number_is_opted_out(phoneNumber=number)["isOptedOut"]
    sender = {"AWS.SNS.SMS.SenderID": {"DataType": "String", "StringValue": "MyApp"}}
    sent = sns.publish(PhoneNumber=number, Message="Your code is 482913", MessageAttributes=sender)
    assert message("sns", sent["MessageId"])["text"]["codes"][0]["value"] == "482913"
    topic = sns.create_topic(Name="news")["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sms", Endpoint=number)
    assert message("sns", sns.publish(TopicArn=topic, Message="Hello")["MessageId"])["text"]["body"] == "Hello"


def command_line():
    aws = os.path.join(os.path.dirname(sys.executable), "aws")
    mail = ["--from", "app@app.example", "--to", to, "--subject", "CLI", "--text", "Hello"]
    out = subprocess.run([aws, "ses", "send-email", *mail, "--output", "json"], capture_output=True, check=True).stdout
    assert message("ses", json.loads(out)["MessageId"])["subject"] == "CLI"


for scenario in (version_2, version_1, templates, identities, typed_errors, sms, command_line):
    scenario()
    print(f"ok  {scenario.__name__}", flush=True)
