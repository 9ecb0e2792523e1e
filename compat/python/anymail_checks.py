"""Events and inbound mail of providers, received by django-anymail.

Mail is sent by anymail's own backends, so that the ids, tags and metadata of events are compared with those that the
sender has. Prints the name of each scenario that went well; ends with status 1 if any did not.
"""

import json
import os
import smtplib
import sys
import traceback
import warnings
from datetime import datetime, timezone
from email.message import EmailMessage
from urllib.error import HTTPError
from urllib.request import Request, urlopen

warnings.simplefilter("ignore")

from anymail_providers import base, key, providers  # noqa: E402
from anymail_receiver import Receiver, credentials, settings  # noqa: E402
from anymail.message import AnymailMessage  # noqa: E402
from django.core.mail import get_connection  # noqa: E402

receiver = Receiver()
at = datetime(2026, 3, 29, 1, 30, 15, tzinfo=timezone.utc)
picture = bytes(range(256))
refused = 400


def call(method, path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(f"{base}{path}", data=content, headers=headers, method=method)) as response:
            return json.load(response)
    except HTTPError as error:
        raise AssertionError(f"{method} {path}: {error.read().decode()}") from error


def check(found, expected, name):
    assert found == expected, f"{name}: {found!r} instead of {expected!r}"


def send(view, recipient):
    provider = providers[view]
    backend = get_connection(f"anymail.backends.{view}.EmailBackend", **provider["send"])
    mail = AnymailMessage("Rechnung für März", "Grüße", "Shöp <app@app.example>", [recipient], connection=backend)
    mail.tags = ["invoices", "spring"][: provider.get("tags", 2)]
    mail.metadata = {"order": "4711"}
    assert mail.send() == 1
    return mail


def events(view):
    provider = providers[view]
    name = provider.get("name", view)
    at_view = f"{view}/tracking"
    server = call("POST", "/api/servers", {"name": view})["id"]
    recipient = f"ada@{server}.localhost"
    body = {"url": receiver.url(at_view), "settings": {"basicAuth": credentials}}
    webhook = call("PUT", f"/api/servers/{server}/event-webhooks/{name}", body)
    if "key" in provider:
        setting, member = provider["key"]
        settings.ANYMAIL[setting] = webhook[member]
    if name == "ses":
        # Anymail confirms the subscription by the API of SNS.
        check(receiver.next(at_view), (200, []), "confirmation")
        assert call("GET", f"/api/servers/{server}/event-webhooks/ses")["confirmed"]
    mail = send(view, recipient)
    for event, event_type in zip(receiver.events(at_view, len(provider["automatic"])), provider["automatic"]):
        check_event(view, event, (event_type, None), mail)
    [message] = call("GET", f"/api/messages?server={server}")
    emit = f"/api/messages/{message['id']}/events"
    for our_type, expected in provider["types"].items():
        call("POST", emit, {"type": our_type, "at": at.isoformat(), "url": "https://app.example/?a=1&b=ü"})
        [event] = receiver.events(at_view, 1)
        check_event(view, event, expected, mail)
        if provider.get("timestamp", True) and event.timestamp is not None:
            check(event.timestamp.replace(microsecond=0), at, f"timestamp of {our_type}")
        if our_type == "clicked":
            check(event.click_url, "https://app.example/?a=1&b=ü", "URL")
    if provider.get("signs_body"):
        receiver.repeat_altered(b"ada@", b"eve@")
        check(receiver.next(at_view), (refused, []), "altered request")
    if provider.get("signed", True):
        call("POST", emit, {"type": "delivered", "variants": ["wrong_signature"]})
        check(receiver.next(at_view), (refused, []), "forged request")
    print(f"events of {view}: {len(provider['types'])} types")


def check_event(view, event, expected, mail):
    check((event.event_type, event.reject_reason), expected, "type and reason")
    check(event.recipient, mail.to[0], f"recipient of {event.event_type}")
    check(event.message_id, mail.anymail_status.message_id, f"id of {event.event_type}")
    check(sorted(event.tags), sorted(mail.tags), f"tags of {event.event_type}")
    # SendGrid adds members to the event, which anymail takes for metadata where it does not know them.
    metadata = {name: event.metadata.get(name) for name in mail.metadata}
    check(metadata, mail.metadata, f"metadata of {event.event_type}")


def inbound_mail(recipient):
    mail = EmailMessage()
    mail["From"] = "Zoë Müller <zoe@sender.example>"
    mail["To"] = f"Support <{recipient}>, Bob <bob@other.example>"
    mail["Cc"] = "carl@other.example"
    mail["Subject"] = "Größe – 日本語"
    mail["Message-ID"] = "<inbound-1@sender.example>"
    mail["X-Ticket"] = "42"
    mail.set_content("Vielen Dank 日本語\n\nOn Mon, 2 Mar 2026 at 10:00, Shop <app@app.example> wrote:\n> Hallo\n")
    mail.add_alternative('<p>Vielen Dank 日本語 <img src="cid:logo@sender"></p>', subtype="html")
    html = mail.get_payload()[1]
    html.add_related(picture, "image", "png", cid="<logo@sender>", filename="logo.png", disposition="inline")
    mail.add_attachment(picture * 3, maintype="application", subtype="pdf", filename="Rechnung 7.pdf")
    mail.add_attachment("a;b\nü;ß\n", subtype="csv", filename="Übersicht.csv")
    return mail


variants = {
    "sendgrid": ("sendgrid", "sendgrid/inbound", {}),
    "sendgrid, raw": ("sendgrid", "sendgrid/inbound", {"raw": "true"}),
    "mailgun": ("mailgun", "mailgun/inbound", {}),
    "mailgun, raw": ("mailgun", "mailgun/inbound_mime", {}),
    "postmark": ("postmark", "postmark/inbound", {}),
    "postmark, raw": ("postmark", "postmark/inbound", {"rawEmail": "true"}),
    "ses": ("ses", "amazon_ses/inbound", {}),
    "ses, Base64": ("ses", "amazon_ses/inbound", {"encoding": "Base64"}),
    "mandrill": ("mandrill", "mandrill", {}),
}
settings_of = {"mailgun": "MAILGUN_WEBHOOK_SIGNING_KEY", "mandrill": "MANDRILL_WEBHOOK_KEY"}


def submit(server, mail, recipient):
    """Submits a mail over SMTP, as a sender of the internet would."""
    host, port = os.environ["RESTANTE_SMTP_HOST"], int(os.environ["MAILOSAUR_SMTP_PORT"])
    with smtplib.SMTP(host, port) as smtp:
        smtp.send_message(mail, "bounces@sender.example", [recipient])


def inbound(title):
    shape, view, options = variants[title]
    server = call("POST", "/api/servers", {"name": title})["id"]
    recipient = f"support@{server}.localhost"
    body = {"pattern": recipient, "shape": shape, "url": receiver.url(view), "settings": {"basicAuth": credentials, **options}}
    route = call("POST", f"/api/servers/{server}/inbound-routes", body)
    if shape in settings_of:
        settings.ANYMAIL[settings_of[shape]] = route["secret"]
    if shape == "ses":
        check(receiver.next(view), (200, []), "confirmation")
    submit(server, inbound_mail(recipient), recipient)
    [event] = receiver.events(view, 1)
    check(event.event_type, "inbound", "type")
    check_inbound(title, event.message, recipient)
    [found] = call("GET", f"/api/messages?server={server}")
    if shape == "mandrill":
        receiver.repeat_altered(b"Ticket", b"ticket")
        check(receiver.next(view), (refused, []), "altered request")
    # Anymail compares credentials only of Amazon SES and SendGrid, which the forged request has.
    if shape not in ("ses", "sendgrid"):
        call("POST", f"/api/messages/{found['id']}/inbound", {"route": route["id"], "variants": ["wrong_signature"]})
        check(receiver.next(view), (refused, []), "forged request")
    print(f"inbound mail of {title}")


def check_inbound(title, mail, recipient):
    check(mail.subject, "Größe – 日本語", "subject")
    check(str(mail.from_email), "Zoë Müller <zoe@sender.example>", "from")
    check([one.addr_spec for one in mail.to], [recipient, "bob@other.example"], "to")
    check([one.addr_spec for one in mail.cc], ["carl@other.example"], "cc")
    check(mail["Message-ID"], "<inbound-1@sender.example>", "Message-ID")
    check(mail["X-Ticket"], "42", "own header field")
    assert mail.text.startswith("Vielen Dank 日本語\n") and mail.text.rstrip().endswith("> Hallo"), mail.text
    assert '<img src="cid:logo@sender">' in mail.html, mail.html
    check(mail.envelope_recipient, recipient, "envelope recipient")
    if title != "mandrill":
        check(mail.envelope_sender, "bounces@sender.example", "envelope sender")
    files = [(one.get_filename(), one.get_content_type(), one.get_content_bytes()) for one in mail.attachments]
    check([name for name, _, _ in files], ["Rechnung 7.pdf", "Übersicht.csv"], "attachments")
    check([kind for _, kind, _ in files], ["application/pdf", "text/csv"], "types of attachments")
    check(files[0][2], picture * 3, "content of an attachment")
    check(files[1][2].decode().replace("\r\n", "\n"), "a;b\nü;ß\n", "content of a text attachment")
    check([(one.get_filename(), one.get_content_bytes()) for one in mail.inlines], [("logo.png", picture)], "inline")
    check(list(mail.content_id_map), ["logo@sender"], "Content-IDs")
    if title in ("mailgun", "postmark", "postmark, raw"):
        check(mail.stripped_text.strip(), "Vielen Dank 日本語", "stripped text")
    if title not in ("ses", "ses, Base64", "mailgun, raw", "postmark, raw"):
        assert isinstance(mail.spam_score, (int, float)), mail.spam_score
    if title in ("mailgun", "postmark", "ses", "ses, Base64"):
        check(mail.spam_detected, False, "spam")


failed = 0
for scenario, names in ((events, providers), (inbound, variants)):
    for name in names:
        try:
            scenario(name)
        except Exception:
            failed += 1
            print(f"FAILED {scenario.__name__} {name}", file=sys.stderr)
            traceback.print_exc()
            receiver.requests.queue.clear()
sys.exit(1 if failed else 0)
