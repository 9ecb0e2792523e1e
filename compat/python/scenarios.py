"""What a pytest suite does with the official Python library, as published and untouched.

Finds the service by the environment alone. Prints the name of each scenario that went well; the first that does not
ends the program.
"""

import os
import smtplib
import threading
import time
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage

from mailosaur import MailosaurClient
from mailosaur.models import MailosaurException, SearchCriteria, Server, ServerCreateOptions

client = MailosaurClient(os.environ["MAILOSAUR_API_KEY"], os.environ["MAILOSAUR_BASE_URL"])
CAT = b"the cat " * 64


def send(to, subject):
    mail = EmailMessage()
    mail["From"] = "Ada Example <Ada@app.example>"
    mail["To"] = to
    mail["Subject"] = subject
    mail.set_content("Your code is 804 219")
    mail.add_alternative('<p>Your code is <b>804 219</b> <a href="https://app.example/x">Go</a></p>', subtype="html")
    mail.add_attachment(CAT, maintype="image", subtype="png", filename="cat.png")
    with smtplib.SMTP(os.environ["RESTANTE_SMTP_HOST"], int(os.environ["MAILOSAUR_SMTP_PORT"])) as smtp:
        smtp.send_message(mail)


def criteria(**given):
    wanted = SearchCriteria()
    for name, value in given.items():
        setattr(wanted, name, value)
    return wanted


def refusal(action, *arguments):
    try:
        action(*arguments)
    except MailosaurException as error:
        return error
    raise AssertionError("nothing was refused")


def new_server():
    return client.servers.create(ServerCreateOptions("Python … 👋🏽")).id


def servers():
    made = client.servers.create(ServerCreateOptions("Team … 👋🏽"))
    assert (made.name, made.users, made.messages) == ("Team … 👋🏽", [], 0)
    assert made.id in [server["id"] for server in client.servers.list().items]
    found = client.servers.get(made.id)
    found.name += " renamed"
    assert client.servers.update(made.id, found).name == "Team … 👋🏽 renamed"
    assert len(client.servers.get_password(made.id)) >= 8
    assert client.servers.generate_email_address(made.id).endswith(f"@{made.id}.restante.example.com")
    client.servers.delete(made.id)
    assert refusal(client.servers.delete, made.id).error_type == "invalid_request"


def a_name_is_needed():
    error = refusal(client.servers.create, ServerCreateOptions(None))
    assert (error.message, error.error_type) == ("(name) Servers need a name\r\n", "invalid_request")
    assert error.http_status_code == 400 and '{"type":' in error.http_response_body


def get_what_was_sent():
    server = new_server()
    to = f"Reader@{server}.localhost"
    send(to, "Sign up … 👋🏽")
    message = client.messages.get(server, criteria(sent_to=to))
    assert message.subject == "Sign up … 👋🏽" and message.type == "Email" and message.server == server
    assert [(one.name, one.email) for one in message.sender] == [("Ada Example", "Ada@app.example")]
    assert [code.value for code in message.html.codes] == ["804219"]
    assert [(link.href, link.text) for link in message.html.links] == [("https://app.example/x", "Go")]
    assert [code.value for code in message.text.codes] == ["804219"]
    (cat,) = message.attachments
    assert (cat.file_name, cat.content_type, cat.length) == ("cat.png", "image/png", len(CAT))
    assert b"".join(client.files.get_attachment(cat.id)) == CAT
    assert b"From: Ada Example" in b"".join(client.files.get_email(message.id))
    client.servers.delete(server)


def get_waits():
    server = new_server()
    to = f"later@{server}.localhost"
    sent_at = []

    def send_later():
        time.sleep(1.3)
        send(to, "Later")
        sent_at.append(time.monotonic())

    sender = threading.Thread(target=send_later)
    sender.start()
    assert client.messages.get(server, criteria(sent_to=to)).subject == "Later"
    answered_at = time.monotonic()
    sender.join()
    assert answered_at - sent_at[0] < 0.9
    client.servers.delete(server)


def lists_and_searches():
    server = new_server()
    for name in ["one", "two", "three"]:
        send(f"{name}@{server}.localhost", f"Letter {name}")
    every = ["Letter three", "Letter two", "Letter one"]

    def subjects(result):
        return [message.subject for message in result.items]

    assert subjects(client.messages.list(server)) == every
    assert subjects(client.messages.list(server, page=1, items_per_page=2)) == ["Letter one"]
    hour = timedelta(hours=1)
    east = timezone(timedelta(hours=9, minutes=30))
    assert subjects(client.messages.list(server, received_after=datetime.now() + hour)) == []
    assert subjects(client.messages.list(server, received_after=datetime.now(east) - hour)) == every
    assert subjects(client.messages.list(server, dir="Sent")) == []
    assert subjects(client.messages.search(server, criteria(sent_to=f"TWO@{server}.localhost"))) == ["Letter two"]
    assert subjects(client.messages.search(server, criteria(body="your code is"))) == every
    either = criteria(subject="one", sent_to=f"two@{server}.localhost", match="ANY")
    assert subjects(client.messages.search(server, either)) == ["Letter two", "Letter one"]
    first = client.messages.list(server).items[0]
    assert first.attachments == 1 and first.summary.startswith("Your code is")
    client.messages.delete(first.id)
    assert refusal(client.messages.get_by_id, first.id).message == "Not found, check input parameters."
    client.messages.delete_all(server)
    assert subjects(client.messages.list(server)) == []
    client.servers.delete(server)


def time_runs_out():
    server = new_server()
    error = refusal(client.messages.get, server, criteria(sent_to=f"nobody@{server}.localhost"), 1500)
    assert error.error_type == "search_timeout" and error.message.endswith("timed out after 1500ms")
    empty = client.messages.search(server, criteria(subject="none"), timeout=1, error_on_timeout=False)
    assert empty.items == []
    client.servers.delete(server)


def errors():
    assert refusal(client.messages.get_by_id, "not_found").message == "Not found, check input parameters."
    assert refusal(client.messages.search, os.environ["MAILOSAUR_SERVER"], criteria()).error_type == "invalid_request"
    stranger = MailosaurClient("a-wrong-key", os.environ["MAILOSAUR_BASE_URL"])
    error = refusal(stranger.servers.list)
    assert (error.message, error.error_type) == (
        "Authentication failed, check your API key.",
        "authentication_error",
    )


for scenario in [
    servers,
    a_name_is_needed,
    get_what_was_sent,
    get_waits,
    lists_and_searches,
    time_runs_out,
    errors,
]:
    scenario()
    print(scenario.__name__.replace("_", " "), flush=True)
