"""Errors of the client. Their messages are complete sentences, meant for the output of a failed test."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence, cast


class RestanteError(Exception):
    """Base of all errors that the client raises."""


class ConnectionFailedError(RestanteError):
    """No response: the service cannot be reached, or the connection broke."""


class StartError(RestanteError):
    """The service could not be started."""


class ResponseError(RestanteError):
    """Error response of the service.

    Attributes:
        status: HTTP status.
        type: Kind of error, such as ``ValidationError``.
        body: Body of the response; empty when it is not a JSON object.
    """

    def __init__(self, message: str, *, status: int, type: str, body: dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.type = type
        self.body = body


class NoMatchError(RestanteError, AssertionError):
    """Too few messages matched within the time of a wait.

    Attributes:
        messages: Summaries of the messages that matched, if any.
        explanation: Why no more messages matched, as the service explains it; None when it does not.
    """

    def __init__(self, message: str, *, messages: Sequence[dict[str, Any]], explanation: Optional[dict[str, Any]]) -> None:
        super().__init__(message)
        self.messages = messages
        self.explanation = explanation


class UnexpectedMessageError(RestanteError, AssertionError):
    """Messages matched that should not exist.

    Attributes:
        messages: Summaries of these messages.
    """

    def __init__(self, message: str, *, messages: Sequence[dict[str, Any]]) -> None:
        super().__init__(message)
        self.messages = messages


class JourneyError(RestanteError, AssertionError):
    """A journey is not complete.

    Attributes:
        failures: Steps that were not met.
        result: Messages of each step, and the cursor.
    """

    def __init__(self, message: str, *, result: dict[str, Any]) -> None:
        super().__init__(message)
        self.failures: list[dict[str, Any]] = result.get("failures", [])
        self.result = result


class DuplicatesError(RestanteError, AssertionError):
    """Messages were sent more than once.

    Attributes:
        groups: Groups of messages that a person would call the same.
    """

    def __init__(self, message: str, *, groups: Sequence[dict[str, Any]]) -> None:
        super().__init__(message)
        self.groups = groups


class ContentError(RestanteError, AssertionError):
    """A message lacks the requested code, link or attachment. The error says what it has instead."""


# Characters of a body that is not JSON, such as the page of a proxy, that an error shows.
_EXCERPT_LENGTH_MAX = 200


def error_of_response(call: str, status: int, content: bytes) -> ResponseError:
    """Returns the error for a response that is not a success; ``call`` is the method and path of the request."""
    text = content.decode("utf-8", "replace")
    body = _parse(text)
    reason = body.get("message") or text[:_EXCERPT_LENGTH_MAX] or "no body"
    details = [
        f"\n- {entry.get('field')}: {detail.get('description')}"
        for entry in body.get("errors") or []
        for detail in entry.get("detail") or []
    ]
    message = f"{call} failed with {status}: {reason}{''.join(details)}"
    return ResponseError(message, status=status, type=str(body.get("type", "Unknown")), body=body)


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        # Not from the service: the error shows the text.
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
