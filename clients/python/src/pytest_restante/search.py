"""Waits for messages of a server. Criteria are those of a search, in the spelling of Python."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Mapping, Optional, Union

from .errors import NoMatchError, ResponseError, UnexpectedMessageError
from .transport import Transport

# Seconds in which no message may match, by default.
DEFAULT_ABSENCE_SECONDS = 2.0

# Longest wait of one request, in seconds.
_REQUEST_SECONDS_MAX = 60.0
# Most full messages of one response.
_COUNT_MAX = 100

_CRITERIA = {
    "sent_to": "sentTo",
    "sent_from": "sentFrom",
    "subject": "subject",
    "body": "body",
    "provider": "provider",
    "provider_id": "providerId",
    "tag": "tag",
    "match": "match",
}
_PARAMETERS = {"received_after": "receivedAfter", "direction": "dir"}

Criterion = Union[str, datetime, None]


class Search:
    """Criteria of a search in one server."""

    def __init__(self, transport: Transport, server_id: str, criteria: Mapping[str, Criterion]) -> None:
        self._transport = transport
        self.body: dict[str, object] = {}
        self._query: dict[str, object] = {"server": server_id}
        for name, value in criteria.items():
            if name in _PARAMETERS:
                self._query[_PARAMETERS[name]] = _instant(value)
            elif name in _CRITERIA:
                self.body[_CRITERIA[name]] = value
            else:
                known = ", ".join([*_CRITERIA, *_PARAMETERS])
                raise TypeError(f"unknown criterion {name!r}; use one of: {known}")

    def wait(self, count: int, timeout: float) -> list[dict[str, Any]]:
        """Returns the newest ``count`` matches, the oldest first, as soon as there are so many.

        Raises NoMatchError with the explanation of the service when the time is over.
        """
        _check_count(count)
        deadline = time.monotonic() + timeout
        while True:
            seconds = min(max(deadline - time.monotonic(), 0), _REQUEST_SECONDS_MAX)
            found = self._post(seconds, count=count, full=True, explain=True, itemsPerPage=count)
            items: list[dict[str, Any]] = found["items"]
            if found["explanation"] is None:
                return self._rest(items, count)[::-1]
            if time.monotonic() >= deadline:
                raise self._no_match(count, timeout, items, found["explanation"])

    def expect_none(self, timeout: float) -> None:
        """Raises UnexpectedMessageError as soon as a message matches within so many seconds."""
        deadline = time.monotonic() + timeout
        while True:
            seconds = min(max(deadline - time.monotonic(), 0), _REQUEST_SECONDS_MAX)
            try:
                self._post(seconds, absent=True)
            except ResponseError as error:
                raise self._unexpected(error, "none") from None
            if time.monotonic() >= deadline:
                return

    def expect_exactly(self, count: int, timeout: float, settle: float) -> list[dict[str, Any]]:
        """Returns the matches, the oldest first, when exactly ``count`` messages match."""
        _check_count(count)
        parameters = {"expect": count, "settle": round(settle * 1000), "full": True, "explain": True}
        try:
            # One more than expected, so that the error lists each of too many.
            found = self._post(timeout, itemsPerPage=min(count + 1, _COUNT_MAX), **parameters)
        except ResponseError as error:
            matched = error.body.get("messages") if error.status == 409 else None
            if matched is not None and len(matched) < count:
                raise self._no_match(count, timeout, matched, error.body.get("explanation")) from None
            raise self._unexpected(error, str(count)) from None
        return self._rest(found["items"], count)[::-1]

    def _rest(self, items: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
        """Adds the matches before the given ones: a page ends early when its messages are large."""
        found = list(items)
        while len(found) < count:
            more = self._post(0, full=True, itemsPerPage=count - len(found), before=found[-1]["id"])["items"]
            if not more:
                break
            found.extend(more)
        return found

    def _post(self, seconds: float, **parameters: object) -> dict[str, Any]:
        query = {**self._query, "timeout": round(seconds * 1000), **parameters}
        found: Any = self._transport.post("/api/messages/search", self.body, query, wait_seconds=seconds)
        return {"items": found} if isinstance(found, list) else dict(found)

    def _no_match(
        self, count: int, timeout: float, items: list[dict[str, Any]], explanation: Optional[dict[str, Any]]
    ) -> NoMatchError:
        wanted = "No message" if count == 1 else f"{len(items)} of {count} messages"
        reason = f"\n{explanation['text']}" if explanation else ""
        message = f"{wanted} matched {self._criteria()} within {timeout:g} s.{reason}"
        return NoMatchError(message, messages=items, explanation=explanation)

    def _unexpected(self, error: ResponseError, expected: str) -> Exception:
        if error.status != 409 or "messages" not in error.body:
            return error
        messages: list[dict[str, Any]] = error.body["messages"]
        shown = "".join(f"\n- {describe(message)}" for message in messages)
        text = f"Expected {expected}, and {len(messages)} matched {self._criteria()}:{shown}"
        return UnexpectedMessageError(text, messages=messages)

    def _criteria(self) -> str:
        given = {**self.body, **{name: value for name, value in self._query.items() if name != "server"}}
        return ", ".join(f"{name} {value!r}" for name, value in given.items() if value is not None)


def describe(summary: Mapping[str, Any]) -> str:
    """Returns one line about a message: instant, sender, recipients and subject."""
    senders = ", ".join(_address(one) for one in summary.get("from") or []) or "nobody"
    recipients = ", ".join(_address(one) for one in summary.get("to") or []) or "nobody"
    subject = summary.get("subject") or summary.get("summary") or ""
    return f"{summary.get('received')} from {senders} to {recipients}: {subject!r}"


def _check_count(count: int) -> None:
    if not 1 <= count <= _COUNT_MAX:
        raise ValueError(f"count must be 1 to {_COUNT_MAX}, not {count}")


def _address(contact: Mapping[str, Any]) -> str:
    return str(contact.get("email") or contact.get("phone") or contact.get("name"))


def _instant(value: Criterion) -> Criterion:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("received_after must have a time zone, such as datetime.now(timezone.utc)")
    return value.isoformat()
