"""Client of a service: servers, and inboxes in them."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence
from urllib.parse import urlsplit

from .errors import JourneyError, ResponseError
from .inbox import Inbox, PhoneInbox
from .message import Message, NewAttachment
from .search import DEFAULT_ABSENCE_SECONDS, Criterion, Search
from .transport import Transport

DEFAULT_MAIL_DOMAIN = "restante.example.com"
DEFAULT_TIMEOUT_SECONDS = 10.0
DEFAULT_SMTP_PORT = 1025

# Longest local part of an address (RFC 5321 §4.5.3.1.1), less the random part.
_NAME_LENGTH_MAX = 48
# Attempts to find a number that no other test has.
_NUMBER_ATTEMPTS_MAX = 5


@dataclass(frozen=True)
class Smtp:
    """Address to which the application under test sends its mail."""

    host: str
    port: int


class Server:
    """Container of messages; mail to any address ``<anything>@<id>.<mail domain>`` is stored in it."""

    def __init__(
        self,
        transport: Transport,
        id: str,
        *,
        smtp: Smtp,
        mail_domain: str = DEFAULT_MAIL_DOMAIN,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> None:
        self.transport = transport
        self.id = id
        self.domain = f"{id}.{mail_domain}"
        self.timeout = timeout
        # Address to which the application under test sends its mail.
        self.smtp = smtp
        # Is called with each new inbox.
        self.on_inbox: Optional[Callable[[Inbox], None]] = None

    @property
    def url(self) -> str:
        """Base URL of the API and of the web UI."""
        return self.transport.url

    @property
    def api_key(self) -> str:
        """Key of the requests."""
        return self.transport.api_key

    def inbox(self, name: str = "", *, timeout: Optional[float] = None) -> Inbox:
        """Returns an inbox with a new address, in which ``name`` can be recognised."""
        readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_NAME_LENGTH_MAX].rstrip("-")
        unique = secrets.token_hex(5)
        local_part = f"{readable}-{unique}" if readable else unique
        return self.inbox_at(f"{local_part}@{self.domain}", timeout=timeout)

    def inbox_at(self, address: str, *, timeout: Optional[float] = None) -> Inbox:
        """Returns the inbox of a given address. Tests that share an address see each other's mail."""
        return self._opened(Inbox(self, address, timeout=self.timeout if timeout is None else timeout))

    def phone(self, number: Optional[str] = None, *, timeout: Optional[float] = None) -> PhoneInbox:
        """Adds a phone number to the server, a random one unless given, and returns its inbox. Needs an account key."""
        seconds = self.timeout if timeout is None else timeout
        for attempt in range(1, _NUMBER_ATTEMPTS_MAX + 1):
            wanted = number or f"+1555{secrets.randbelow(10**7):07d}"
            try:
                added = self.transport.post("/api/phone-numbers", {"number": wanted, "server": self.id})
            except ResponseError as error:
                # The random number exists already.
                if error.status != 409 or number is not None or attempt == _NUMBER_ATTEMPTS_MAX:
                    raise
                continue
            opened = PhoneInbox(self, added["id"], added["number"], timeout=seconds)
            self._opened(opened)
            return opened
        raise AssertionError("unreachable")

    def wait_for_one(self, *, timeout: Optional[float] = None, **criteria: Criterion) -> Message:
        """Returns the newest message of the whole server that matches; also takes ``sent_to``."""
        return self.wait_for_many(1, timeout=timeout, **criteria)[0]

    def wait_for_many(self, count: int, *, timeout: Optional[float] = None, **criteria: Criterion) -> list[Message]:
        """Returns the newest ``count`` messages of the whole server that match, the oldest first."""
        seconds = self.timeout if timeout is None else timeout
        found = Search(self.transport, self.id, criteria).wait(count, seconds)
        return [Message(self.transport, item) for item in found]

    def expect_none(self, *, timeout: float = DEFAULT_ABSENCE_SECONDS, **criteria: Criterion) -> None:
        """Raises UnexpectedMessageError as soon as a message of the whole server matches within so many seconds."""
        Search(self.transport, self.id, criteria).expect_none(timeout)

    def journey(
        self, steps: Sequence[Mapping[str, Any]], *, order: str = "given", timeout: Optional[float] = None
    ) -> list[list[dict[str, Any]]]:
        """Waits for several messages, and for times without any; returns the summaries of each step.

        Args:
            steps: Steps as in the reference of ``POST /api/messages/journey``, such as
                ``[{"subject": "Your order"}, {"quiet": 2000}]``.
            order: ``given``, or ``any``.
            timeout: Seconds to wait for messages.

        Raises:
            JourneyError: A step was not met.
        """
        seconds = self.timeout if timeout is None else timeout
        query = {"server": self.id, "timeout": round(seconds * 1000)}
        try:
            result = self.transport.post(
                "/api/messages/journey", {"steps": list(steps), "order": order}, query, wait_seconds=seconds + 60
            )
        except ResponseError as error:
            if error.status != 409 or "failures" not in error.body:
                raise
            reasons = "".join(f"\n- {failure['text']}" for failure in error.body["failures"])
            raise JourneyError(f"The journey is not complete:{reasons}", result=error.body) from None
        return [step["messages"] for step in result["steps"]]

    def create_message(
        self,
        to: str,
        *,
        subject: str = "",
        text: Optional[str] = None,
        html: Optional[str] = None,
        sender: Optional[str] = None,
        attachments: Sequence[NewAttachment] = (),
    ) -> Message:
        """Stores a mail in the server as if it had been received, and returns it; a stand-in for the application."""
        body: dict[str, object] = {"to": to, "subject": subject, "text": text, "html": html, "from": sender}
        if attachments:
            body["attachments"] = [attachment.to_json() for attachment in attachments]
        return Message(self.transport, self.transport.post("/api/messages", body, {"server": self.id}))

    def delete(self) -> None:
        """Deletes the server with all its messages. Needs an account key."""
        self.transport.request("DELETE", f"/api/servers/{self.id}")

    def _opened(self, inbox: Inbox) -> Inbox:
        if self.on_inbox is not None:
            self.on_inbox(inbox)
        return inbox

    def __repr__(self) -> str:
        return f"<Server {self.id} of {self.url}>"


class Restante:
    """Connection to a service.

    Args:
        url: Base URL, such as ``http://127.0.0.1:8025``.
        api_key: Account key, or a key of one server.
        smtp: Address to which the application under test sends its mail; default: port 1025 of the same host.
        mail_domain: Mail domain of the service.
        timeout: Seconds that waits take by default.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        smtp: Optional[Smtp] = None,
        mail_domain: str = DEFAULT_MAIL_DOMAIN,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> None:
        self.transport = Transport(url, api_key)
        self.smtp = smtp or Smtp(urlsplit(url).hostname or "127.0.0.1", DEFAULT_SMTP_PORT)
        self.mail_domain = mail_domain
        self.timeout = timeout

    def server(self, id: str) -> Server:
        """Returns a server that exists."""
        return Server(self.transport, id, mail_domain=self.mail_domain, smtp=self.smtp, timeout=self.timeout)

    def create_server(self, name: str, *, ttl_seconds: Optional[int] = None) -> Server:
        """Creates a server, which the service deletes after ``ttl_seconds``. Needs an account key."""
        created = self.transport.post("/api/servers", {"name": name, "ttlSeconds": ttl_seconds})
        return self.server(created["id"])
