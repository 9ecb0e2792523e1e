"""Clients of Mailpit, unchanged from PyPI, against the listener for its API: pytest-mailpit and mailpit-api-client."""

import os
import smtplib
from email.message import EmailMessage

import pytest
from mailpit.client.api import API
from pytest_mailpit import Inbox, MailpitAPIError, MailpitAssertionError, MailpitClient

PDF = b"%PDF-1.4 not really"


def send(to: str, subject: str) -> None:
    """Sends a mail with text, HTML and a file over SMTP."""
    mail = EmailMessage()
    mail["From"] = "The Shop <shop@example.com>"
    mail["To"] = to
    mail["Subject"] = subject
    mail["Message-ID"] = f"<{subject.replace(' ', '-')}@example.com>"
    mail.set_content("Your code is 804219: ✓\n")
    mail.add_alternative('<p>Your <a href="https://shop.example/confirm">link</a></p>\n', subtype="html")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="receipt.pdf")
    with smtplib.SMTP(os.environ["MAILPIT_SMTP_HOST"], int(os.environ["MAILPIT_SMTP_PORT"])) as smtp:
        smtp.send_message(mail)


def test_inbox_waits_for_its_own_messages(mailpit_inbox: Inbox) -> None:
    send(str(mailpit_inbox), "welcome")
    message = mailpit_inbox.wait_for_message(subject="welcome")
    assert message.subject == "welcome"
    assert message.text == "Your code is 804219: ✓\r\n"
    assert "https://shop.example/confirm" in message.html
    mailpit_inbox.assert_no_message(subject="other", within=0.3)
    with pytest.raises(MailpitAssertionError):
        mailpit_inbox.wait_for_message(subject="other", timeout=0.3)


def test_client_reads_searches_marks_and_deletes(mailpit: MailpitClient, mailpit_inbox: Inbox) -> None:
    send(str(mailpit_inbox), "first order")
    send(str(mailpit_inbox), "second order")
    mailpit_inbox.wait_for_messages(2)
    assert mailpit.info().version
    assert mailpit.is_ready()
    found = mailpit.search_all(f'addressed:"{mailpit_inbox}" subject:"order"')
    assert [one.subject for one in found] == ["second order", "first order"]
    second, first = found
    message = mailpit.get_message(second.id)
    assert [file.file_name for file in message.attachments] == ["receipt.pdf"]
    assert mailpit.get_attachment(message.attachments[0]) == PDF
    assert mailpit.get_headers(second.id)["Subject"] == ["second order"]
    assert b"Subject: second order" in mailpit.get_raw(second.id)
    assert mailpit.check_html(second.id).supported > 0
    mailpit.set_tags([first.id], ["paid", "late"])
    mailpit.mark_read([first.id], read=False)
    assert [one.id for one in mailpit.search_all(f'tag:"paid" is:unread to:"{mailpit_inbox}"')] == [first.id]
    mailpit.delete_messages([first.id])
    mailpit.delete_search(f'subject:"second order" to:"{mailpit_inbox}"')
    assert mailpit_inbox.messages() == []
    with pytest.raises(MailpitAPIError):
        mailpit.get_message(first.id)


def test_chaos_defers_mail(mailpit_chaos, mailpit_inbox: Inbox) -> None:
    mailpit_chaos.reject_recipients(451)
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        send(str(mailpit_inbox), "never")


def test_older_client_lists_and_deletes(mailpit: MailpitClient, mailpit_inbox: Inbox) -> None:
    api = API(mailpit.url.rstrip("/"))
    send(str(mailpit_inbox), "older")
    mailpit_inbox.wait_for_message(subject="older")
    listed = api.get_messages(limit=10).messages
    assert "older" in [one.subject for one in listed]
    assert api.get_message_attachment(listed[0].id, "2") == PDF.decode()
    api.delete_messages([one.id for one in listed])
    assert api.get_messages().messages == []
