"""Addresses and phone numbers of one test, and waits for messages to them."""

from __future__ import annotations

import contextlib
import time
from datetime import datetime, timezone
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterator, Optional, Type, TypeVar

from .errors import DuplicatesError, NoMatchError, ResponseError
from .message import Message
from .search import DEFAULT_ABSENCE_SECONDS, Criterion, Search

if TYPE_CHECKING:
    from .client import Server

# Most messages of one page of a list.
_PAGE_MESSAGES_MAX = 100

# Waits that an inbox keeps.
_WAITS_MAX = 200

_Opened = TypeVar("_Opened", bound="Inbox")


class Inbox:
    """Recipient of its own: all waits see only messages to ``address``. Safe beside other tests on the same server.

    Attributes:
        address: E-mail address, or phone number in international form.
        failed_wait: Last wait that found too few messages; reports of failed tests show it.
        created_at: Instant of the creation, in ISO 8601.
        waits: Waits that ended, the first 200, in the form of ``restante record``.
    """

    def __init__(self, server: Server, address: str, *, timeout: float) -> None:
        self._server = server
        self._transport = server.transport
        self._sent: list[Message] = []
        self.address = address
        self.timeout = timeout
        self.failed_wait: Optional[NoMatchError] = None
        self.created_at = _now()
        self.waits: list[dict[str, Any]] = []

    @property
    def server(self) -> Server:
        """Server that receives the messages."""
        return self._server

    def wait_for_one(self, *, timeout: Optional[float] = None, **criteria: Criterion) -> Message:
        """Returns the newest message that matches, as soon as there is one.

        Args:
            timeout: Seconds to wait; default: ``timeout`` of the inbox.
            criteria: ``subject``, ``body``, ``sent_from``, ``provider``, ``provider_id``, ``tag``, ``received_after``
                (a datetime with a time zone), or ``direction`` (``Received`` or ``Sent``).

        Raises:
            NoMatchError: Nothing matched in time; the message says which criteria the nearest messages fail.
        """
        return self._wait(1, timeout, criteria)[0]

    def wait_for_many(self, count: int, *, timeout: Optional[float] = None, **criteria: Criterion) -> list[Message]:
        """Returns the newest ``count`` messages that match, the oldest first, as soon as there are so many.

        Raises:
            NoMatchError: Fewer matched in time.
        """
        return self._wait(count, timeout, criteria)

    def expect_none(self, *, timeout: float = DEFAULT_ABSENCE_SECONDS, **criteria: Criterion) -> None:
        """Waits so many seconds and raises UnexpectedMessageError as soon as a message matches."""
        with self._timed("expect no message", criteria):
            self._search(criteria).expect_none(timeout)

    def expect_exactly(
        self, count: int, *, timeout: Optional[float] = None, settle: float = 1.0, **criteria: Criterion
    ) -> list[Message]:
        """Returns the matches, the oldest first, when exactly ``count`` match and no more follow within ``settle``.

        Raises:
            NoMatchError: Fewer matched in time.
            UnexpectedMessageError: More matched.
        """
        with self._timed(f"expect exactly {count} messages", criteria):
            seconds = self.timeout if timeout is None else timeout
            found = self._search(criteria).expect_exactly(count, seconds, settle)
        return [self._message(item) for item in found]

    def expect_no_duplicates(self) -> None:
        """Raises DuplicatesError when messages of the inbox were sent twice, compared without codes, ids and times."""
        query = {"server": self._server.id, "sentTo": self.address}
        groups: list[dict[str, Any]] = self._transport.get("/api/messages/duplicates", query)
        if groups:
            shown = "".join(f"\n- {group['count']} times {group['subject']!r}" for group in groups)
            raise DuplicatesError(f"Messages to {self.address} were sent more than once:{shown}", groups=groups)

    def messages(self) -> list[Message]:
        """Returns the messages that are there, without waiting; the newest 100, the oldest first."""
        # Without the timeout the service holds repeated empty searches for a second, for clients that poll.
        query = {"server": self._server.id, "full": True, "itemsPerPage": _PAGE_MESSAGES_MAX, "timeout": 0}
        found = self._transport.post("/api/messages/search", {"sentTo": self.address}, query)
        return [self._message(item) for item in found[::-1]]

    def clear(self) -> None:
        """Deletes the messages to this inbox and the replies that were sent from it; no others."""
        while True:
            found = self.messages()
            for message in [*found, *self._sent]:
                _delete(message)
            self._sent.clear()
            if len(found) < _PAGE_MESSAGES_MAX:
                return

    def close(self) -> None:
        """Deletes what belongs to the inbox."""
        self.clear()

    def __enter__(self: _Opened) -> _Opened:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return self.address

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address}>"

    def _wait(self, count: int, timeout: Optional[float], criteria: dict[str, Criterion]) -> list[Message]:
        with self._timed("wait for a message" if count == 1 else f"wait for {count} messages", criteria):
            found = self._search(criteria).wait(count, self.timeout if timeout is None else timeout)
        return [self._message(item) for item in found]

    @contextlib.contextmanager
    def _timed(self, title: str, criteria: dict[str, Criterion]) -> Iterator[None]:
        details = ",".join(f" {name} {value!r}" for name, value in criteria.items())
        wait: dict[str, Any] = {"title": title + details, "startedAt": _now()}
        start = time.perf_counter()
        try:
            yield
        except Exception as error:
            if isinstance(error, NoMatchError):
                self.failed_wait = error
            wait["error"] = str(error) or type(error).__name__
            raise
        finally:
            wait["durationMs"] = (time.perf_counter() - start) * 1000
            if len(self.waits) < _WAITS_MAX:
                self.waits.append(wait)

    def _search(self, criteria: dict[str, Criterion]) -> Search:
        return Search(self._transport, self._server.id, {**criteria, "sent_to": self.address})

    def _message(self, json: dict[str, Any]) -> Message:
        return Message(self._transport, json, on_sent=self._sent.append)


class PhoneInbox(Inbox):
    """Phone number of its own. The number belongs to the server until ``close``."""

    def __init__(self, server: Server, number_id: str, number: str, *, timeout: float) -> None:
        super().__init__(server, number, timeout=timeout)
        self._number_id = number_id

    def receive_sms(self, text: str, *, sender: str = "restante") -> Message:
        """Stores an SMS to the number, as if ``sender`` (a number, or a name of at most 11 letters) had sent it."""
        body = {"from": sender, "to": self.address, "text": text}
        return self._message(self._transport.post("/api/sms", body))

    def close(self) -> None:
        """Deletes the SMS of the number, and the number."""
        self.clear()
        self._transport.request("DELETE", f"/api/phone-numbers/{self._number_id}")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


def _delete(message: Message) -> None:
    try:
        message.delete()
    except ResponseError as error:
        # The test, or retention, has deleted it.
        if error.status != 404:
            raise
