from __future__ import annotations

import smtplib
from email.message import EmailMessage
from typing import Callable

import pytest

from pytest_restante import Server

pytest_plugins = ["pytester"]

SendMail = Callable[..., None]


@pytest.fixture
def send_mail(restante: Server) -> SendMail:
    """Sends a mail by SMTP, in place of the application under test."""

    def send(
        to: str,
        *,
        sender: str = "shop@example.com",
        subject: str = "Welcome",
        text: str = "",
        html: str = "",
        attachment: bytes = b"",
    ) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = f"Shop <{sender}>", to, subject
        mail.set_content(text)
        if html:
            mail.add_alternative(html, subtype="html")
        if attachment:
            mail.add_attachment(attachment, maintype="application", subtype="pdf", filename="invoice.pdf")
        with smtplib.SMTP(restante.smtp.host, restante.smtp.port, timeout=30) as smtp:
            smtp.send_message(mail)

    return send
