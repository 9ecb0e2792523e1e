"""The client against a running service."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone

import pytest

from pytest_restante import (
    ConnectionFailedError,
    ContentError,
    DuplicatesError,
    Inbox,
    JourneyError,
    NewAttachment,
    NoMatchError,
    PhoneInbox,
    ResponseError,
    Restante,
    Server,
    ServiceProcess,
    StartError,
    UnexpectedMessageError,
    assert_mail_budget,
)


def test_reads_the_code_and_links_of_a_mail(inbox: Inbox, send_mail) -> None:
    html = '<p>Your code is <b>804219</b></p><a href="https://a.example/1">Confirm  address</a> <a href="https://a.example/2">Help</a>'
    send_mail(inbox.address, text="Your code is 804219", html=html)
    message = inbox.wait_for_one(subject="welcome")
    assert message.code() == "804219"
    assert message.link("confirm address") == "https://a.example/1"
    assert message.link("HELP") == "https://a.example/2"
    assert message.link("example/2") == "https://a.example/2"
    assert message.code(length=6, pattern="^8") == "804219"
    with pytest.raises(ContentError, match="no one-time code of 4 characters. Its codes: 804219"):
        message.code(length=4)
    assert message.sender.address == "shop@example.com"
    assert message.sender.name == "Shop"
    assert [contact.address for contact in message.to] == [inbox.address]
    assert ("Subject", "Welcome") in message.headers
    assert abs(datetime.now(timezone.utc) - message.received) < timedelta(minutes=5)
    with pytest.raises(ContentError, match="has 2 different links. Its links:"):
        message.link()
    with pytest.raises(ContentError, match="has no link 'Sign in'. Its links:\n- 'Confirm address' https://a.example/1"):
        message.link("Sign in")


def test_judges_a_mail_by_a_budget(inbox: Inbox, send_mail) -> None:
    send_mail(inbox.address, html='<p>Hello</p><a href="https://a.example/1">One</a>')
    message = inbox.wait_for_one()
    assert_mail_budget(message, max_links=1, max_html_kb=102, support={"outlook": 100})
    with pytest.raises(AssertionError, match=r"maxLinks: 1, expected at most 0\n.*line 1: https://a.example/1"):
        assert_mail_budget(message, max_links=0)


def test_waits_for_a_mail_that_arrives_later(inbox: Inbox, send_mail) -> None:
    sender = threading.Timer(0.2, send_mail, [inbox.address], {"subject": "Later"})
    sender.start()
    assert inbox.wait_for_one(timeout=30).subject == "Later"
    sender.join()


def test_returns_many_messages_in_their_order(inbox: Inbox, send_mail) -> None:
    for subject in ("one", "two", "three"):
        send_mail(inbox.address, subject=subject)
    assert [message.subject for message in inbox.wait_for_many(3)] == ["one", "two", "three"]
    assert [message.subject for message in inbox.expect_exactly(3, settle=0.1)] == ["one", "two", "three"]
    with pytest.raises(UnexpectedMessageError, match="Expected 2, and 3 matched"):
        inbox.expect_exactly(2, settle=0.1)
    with pytest.raises(NoMatchError, match="3 of 4 messages matched"):
        inbox.wait_for_many(4, timeout=0.1)
    with pytest.raises(NoMatchError) as caught:
        inbox.expect_exactly(4, timeout=0.2, settle=0.1)
    assert len(caught.value.messages) == 3


def test_explains_why_nothing_matched(inbox: Inbox, send_mail) -> None:
    send_mail(inbox.address, subject="Welcome, Ada")
    inbox.wait_for_one()
    with pytest.raises(NoMatchError, match='subject: expected "Goodbye", is "Welcome, Ada"') as caught:
        inbox.wait_for_one(subject="Goodbye", timeout=0.1)
    assert isinstance(caught.value, AssertionError)
    assert caught.value.explanation is not None
    assert caught.value.explanation["nearest"][0]["subject"] == "Welcome, Ada"
    assert inbox.failed_wait is caught.value


def test_expects_no_message(inbox: Inbox, send_mail) -> None:
    inbox.expect_none(timeout=0.1)
    send_mail(inbox.address, subject="Surprise")
    inbox.wait_for_one()
    inbox.expect_none(timeout=0.1, subject="Invoice")
    with pytest.raises(UnexpectedMessageError, match="Expected none, and 1 matched.*\n.*'Surprise'"):
        inbox.expect_none(timeout=30)


def test_sees_only_its_own_address(restante: Server, inbox: Inbox, send_mail) -> None:
    with restante.inbox("other") as other:
        assert other.address.startswith("other-")
        send_mail(other.address)
        other.wait_for_one()
        inbox.expect_none(timeout=0.1)


def test_deletes_only_its_own_messages(restante: Server, send_mail) -> None:
    first, second = restante.inbox("first"), restante.inbox("second")
    for inbox in (first, second):
        send_mail(inbox.address, sender=second.address)
        inbox.wait_for_one()
    reply = first.wait_for_one().reply("Thanks")
    first.close()
    assert first.messages() == []
    assert len(second.messages()) == 2
    with pytest.raises(ResponseError, match="404"):
        reply.raw()
    second.close()


def test_replies_with_an_attachment(restante: Server, inbox: Inbox, send_mail) -> None:
    application = restante.inbox("application")
    send_mail(inbox.address, sender=application.address, subject="Question", text="Yes or no?")
    sent = inbox.wait_for_one().reply("Yes", attachments=[NewAttachment("a.txt", b"content", "text/plain")])
    assert sent.subject == "Re: Question"
    assert sent.attachment("a.txt").content() == b"content"
    assert "Yes" in application.wait_for_one().text


def test_downloads_attachments_raw_mail_and_bundle(inbox: Inbox, send_mail) -> None:
    send_mail(inbox.address, subject="Invoice", text="See attachment", attachment=b"%PDF-1.7 content")
    message = inbox.wait_for_one()
    assert message.attachment("invoice.pdf").content() == b"%PDF-1.7 content"
    assert message.attachments[0].content_type == "application/pdf"
    assert b"Subject: Invoice" in message.raw()
    assert message.bundle().startswith(b"PK")
    with pytest.raises(ContentError, match="no attachment 'order.pdf'. Its attachments: 'invoice.pdf'"):
        message.attachment("order.pdf")
    with pytest.raises(ContentError, match="has no one-time code. It begins: 'See attachment'"):
        message.code()


def test_receives_sms(phone: PhoneInbox) -> None:
    phone.receive_sms("Your code is 117204", sender="Shop")
    message = phone.wait_for_one()
    assert (message.type, message.code(), message.sender.address) == ("SMS", "117204", "Shop")


def test_finds_duplicates(inbox: Inbox, send_mail) -> None:
    send_mail(inbox.address, subject="Your code", text="Your code is 804219")
    inbox.expect_no_duplicates()
    send_mail(inbox.address, subject="Your code", text="Your code is 117204")
    inbox.wait_for_many(2)
    with pytest.raises(DuplicatesError, match="2 times 'Your code'"):
        inbox.expect_no_duplicates()


def test_follows_a_journey(restante: Server, inbox: Inbox, send_mail) -> None:
    send_mail(inbox.address, subject="Order")
    send_mail(inbox.address, subject="Shipped")
    steps = [{"subject": "Order", "sentTo": inbox.address}, {"subject": "Shipped", "sentTo": inbox.address}]
    assert [[one["subject"] for one in found] for found in restante.journey(steps)] == [["Order"], ["Shipped"]]
    with pytest.raises(JourneyError, match="The journey is not complete:\n- ") as caught:
        restante.journey(steps[::-1], timeout=0.1)
    assert caught.value.failures[0]["reason"] == "missing"


def test_waits_for_messages_of_the_whole_server(restante: Server, inbox: Inbox, send_mail) -> None:
    since = datetime.now(timezone.utc) - timedelta(seconds=1)
    send_mail(inbox.address, subject="Whole server")
    assert restante.wait_for_one(sent_to=inbox.address, received_after=since).subject == "Whole server"
    with pytest.raises(TypeError, match="unknown criterion 'sentTo'; use one of: sent_to"):
        restante.wait_for_one(sentTo=inbox.address)
    with pytest.raises(ValueError, match="time zone"):
        restante.wait_for_one(sent_to=inbox.address, received_after=datetime(2026, 1, 1))


def test_reports_errors_of_the_service(restante: Server) -> None:
    with pytest.raises(ResponseError, match="failed with 401") as caught:
        Restante(restante.url, "wrong-key").create_server("x")
    assert caught.value.status == 401
    with pytest.raises(ResponseError, match="\n- name: Servers need a name") as caught:
        Restante(restante.url, restante.api_key).create_server("")
    assert caught.value.type == "ValidationError"
    with pytest.raises(ConnectionFailedError, match="no response from http://127.0.0.1:1"):
        Restante("http://127.0.0.1:1", "key").create_server("x")


def test_reports_the_output_of_a_service_that_does_not_start() -> None:
    with ServiceProcess(["sh", "-c", "echo broken configuration; exit 3"]) as service:
        with pytest.raises(StartError, match="broken configuration"):
            service.wait_ready()
    with pytest.raises(StartError, match="Cannot run no-such-command"):
        ServiceProcess(["no-such-command"])
