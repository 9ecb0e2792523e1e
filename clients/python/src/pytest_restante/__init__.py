"""pytest plugin and client for restante, a self-hosted message store for testing e-mail and SMS."""

from .client import Restante, Server, Smtp
from .errors import (
    ConnectionFailedError,
    ContentError,
    DuplicatesError,
    JourneyError,
    NoMatchError,
    ResponseError,
    RestanteError,
    StartError,
    UnexpectedMessageError,
)
from .inbox import Inbox, PhoneInbox
from .message import Attachment, Contact, Link, Message, NewAttachment
from .service import ServiceProcess
from .snapshots import MailScreenshot, MailSnapshot, assert_mail_budget

__all__ = [
    "Attachment",
    "ConnectionFailedError",
    "Contact",
    "ContentError",
    "DuplicatesError",
    "Inbox",
    "JourneyError",
    "Link",
    "MailScreenshot",
    "MailSnapshot",
    "Message",
    "NewAttachment",
    "NoMatchError",
    "PhoneInbox",
    "ResponseError",
    "Restante",
    "RestanteError",
    "Server",
    "ServiceProcess",
    "Smtp",
    "StartError",
    "UnexpectedMessageError",
    "assert_mail_budget",
]
