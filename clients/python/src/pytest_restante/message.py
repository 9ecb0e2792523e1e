"""Messages, and what tests read from them."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from .errors import ContentError
from .transport import Transport

# Links that an error lists, and characters of a body that it shows.
_LISTED_MAX = 10
_EXCERPT_LENGTH_MAX = 200


@dataclass(frozen=True)
class Contact:
    """Sender or recipient; an SMS has a phone number instead of an address."""

    name: str
    email: Optional[str]
    phone: Optional[str]

    @property
    def address(self) -> str:
        """E-mail address or phone number."""
        return self.email or self.phone or ""


@dataclass(frozen=True)
class Link:
    """Link of a message; ``text`` is what a reader sees of it."""

    href: str
    text: str


@dataclass(frozen=True)
class NewAttachment:
    """File to attach to a reply or a new mail; with ``content_id`` it can be shown within the HTML."""

    file_name: str
    content: bytes
    content_type: str = "application/octet-stream"
    content_id: Optional[str] = None

    def to_json(self) -> dict[str, object]:
        """Returns the attachment as the API takes it."""
        given = {
            "fileName": self.file_name,
            "contentType": self.content_type,
            "content": base64.b64encode(self.content).decode("ascii"),
            "contentId": self.content_id,
        }
        return {name: value for name, value in given.items() if value is not None}


class Attachment:
    """File attached to a message."""

    def __init__(self, transport: Transport, json: Mapping[str, Any]) -> None:
        self._transport = transport
        self.id: str = json["id"]
        self.file_name: str = json.get("fileName") or ""
        self.content_type: str = json.get("contentType") or ""
        self.content_id: Optional[str] = json.get("contentId")
        self.length: int = json["length"]

    def content(self) -> bytes:
        """Downloads the file."""
        return self._transport.request("GET", f"/api/files/attachments/{self.id}")

    def __repr__(self) -> str:
        return f"<Attachment {self.file_name!r} {self.content_type} {self.length} bytes>"


class Message:
    """E-mail or SMS. ``json`` is the whole message as the API returns it."""

    def __init__(
        self,
        transport: Transport,
        json: Mapping[str, Any],
        on_sent: Optional[Callable[[Message], None]] = None,
    ) -> None:
        self._transport = transport
        self._on_sent = on_sent
        self.json = json

    @property
    def id(self) -> str:
        """Id of the message."""
        return str(self.json["id"])

    @property
    def type(self) -> str:
        """``Email`` or ``SMS``."""
        return str(self.json["type"])

    @property
    def subject(self) -> str:
        """Decoded subject; empty when the message has none."""
        return str(self.json["subject"])

    @property
    def text(self) -> str:
        """Plain-text body, or text of an SMS; empty when there is none."""
        return self.json["text"].get("body") or ""

    @property
    def html(self) -> str:
        """HTML body; empty when there is none."""
        return self.json["html"].get("body") or ""

    @property
    def received(self) -> datetime:
        """Instant of receipt, UTC."""
        return datetime.fromisoformat(str(self.json["received"]).replace("Z", "+00:00"))

    @property
    def sender(self) -> Contact:
        """First sender; the names of its members are empty when the message names none."""
        return next(iter(self._contacts("from")), Contact("", None, None))

    @property
    def to(self) -> list[Contact]:
        """Recipients, as the header field To names them."""
        return self._contacts("to")

    @property
    def cc(self) -> list[Contact]:
        """Recipients, as the header field Cc names them."""
        return self._contacts("cc")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Header fields in their order: name and decoded value."""
        return [(header["field"], header["value"]) for header in self.json["metadata"]["headers"]]

    @property
    def codes(self) -> list[str]:
        """One-time codes, those of the HTML first, each once."""
        return list(dict.fromkeys(code["value"] for code in self._found("codes")))

    @property
    def links(self) -> list[Link]:
        """Links, those of the HTML first."""
        return [Link(href=link["href"], text=link.get("text") or "") for link in self._found("links")]

    @property
    def attachments(self) -> list[Attachment]:
        """Attached files."""
        return [Attachment(self._transport, attachment) for attachment in self.json["attachments"]]

    def code(self, *, length: Optional[int] = None, pattern: Optional[str] = None) -> str:
        """Returns the first one-time code, with this length, or that contains a match of this regular expression.

        Raises ContentError when there is none.
        """
        for code in self.codes:
            if (length is None or len(code) == length) and (pattern is None or re.search(pattern, code)):
                return code
        wanted = "" if length is None else f" of {length} characters"
        wanted += "" if pattern is None else f" that matches {pattern!r}"
        instead = f"Its codes: {', '.join(self.codes)}." if self.codes else self._beginning()
        raise ContentError(f"{self._title()} has no one-time code{wanted}. {instead}")

    def link(self, name: Optional[str] = None) -> str:
        """Returns the target of a link.

        The name is compared with the visible text: the whole text, else a part of it, else a part of the URL, without
        regard to letter case and white space. Without a name, the message must have one target only. Raises
        ContentError when no link or links to several targets match.
        """
        links = self.links
        targets = list(dict.fromkeys(link.href for link in self._links_named(name)))
        if len(targets) == 1:
            return targets[0]
        if not links:
            raise ContentError(f"{self._title()} has no links. {self._beginning()}")
        wanted = "" if name is None else f" {name!r}"
        problem = f"has {len(targets)} different links{wanted}" if targets else f"has no link{wanted}"
        shown = "".join(f"\n- {link.text!r} {link.href}" for link in links[:_LISTED_MAX])
        more = f"\n- and {len(links) - _LISTED_MAX} more" if len(links) > _LISTED_MAX else ""
        raise ContentError(f"{self._title()} {problem}. Its links:{shown}{more}")

    def attachment(self, file_name: str) -> Attachment:
        """Returns the attachment with this file name; raises ContentError when there is none."""
        for attachment in self.attachments:
            if attachment.file_name == file_name:
                return attachment
        names = ", ".join(repr(one.file_name) for one in self.attachments) or "none"
        raise ContentError(f"{self._title()} has no attachment {file_name!r}. Its attachments: {names}.")

    def reply(
        self,
        text: Optional[str] = None,
        *,
        html: Optional[str] = None,
        cc: Optional[str] = None,
        attachments: Sequence[NewAttachment] = (),
    ) -> Message:
        """Replies to the message, from the address it was sent to, and returns the sent message."""
        body: dict[str, object] = {"text": text, "html": html, "cc": cc}
        if attachments:
            body["attachments"] = [attachment.to_json() for attachment in attachments]
        sent = Message(self._transport, self._transport.post(f"/api/messages/{self.id}/reply", body))
        if self._on_sent is not None:
            self._on_sent(sent)
        return sent

    def snapshot(
        self, *, mask: Optional[Mapping[str, Union[str, Sequence[str]]]] = None, headers: Sequence[str] = ()
    ) -> str:
        """Returns the message as a text that is equal for two sendings of the same message.

        ``mask`` has values that differ from one sending to the next, by the name that stands for them, besides codes,
        ids, tokens, dates, recipients and ports, which are masked anyway. ``headers`` names further header fields.
        """
        body = {"mask": _masked(mask), "headers": list(headers)}
        return self._transport.request("POST", f"/api/analysis/snapshot/{self.id}", body=body).decode("utf-8")

    def screenshot(
        self,
        *,
        client: Optional[str] = None,
        dark: bool = False,
        mask: Optional[Mapping[str, Union[str, Sequence[str]]]] = None,
        baseline: Optional[bytes] = None,
        threshold: Optional[float] = None,
        max_changed_pixels: Optional[int] = None,
    ) -> dict[str, Any]:
        """Renders the mail in an email client, and returns the report of the API about its differences from a baseline.

        ``client`` is ``gmail``, ``outlook-2021`` or another name of the API. ``picture`` and ``difference`` of the report
        are the bytes of PNG files; they are None for a match.
        """
        options = {
            "client": client,
            "dark": dark,
            "mask": _masked(mask),
            "baseline": baseline and base64.b64encode(baseline).decode("ascii"),
            "threshold": threshold,
            "maxChangedPixels": max_changed_pixels,
        }
        report: dict[str, Any] = self._transport.post(f"/api/analysis/screenshot/{self.id}", options, wait_seconds=90)
        pictures = {name: report[name] and base64.b64decode(report[name]) for name in ("picture", "difference")}
        return {**report, **pictures}

    def judge(
        self,
        *,
        max_html_kb: Optional[float] = None,
        max_images: Optional[int] = None,
        max_links: Optional[int] = None,
        max_attachments_kb: Optional[float] = None,
        contrast: Optional[str] = None,
        support: Optional[Mapping[str, float]] = None,
        spam_score: Optional[float] = None,
        links: Optional[str] = None,
        lint: Optional[str] = None,
    ) -> dict[str, Any]:
        """Judges the mail by limits, and returns the report of the API: ``isMet`` and ``verdicts``.

        ``support`` has the least percentage of features by email client: ``{"outlook": 95}``. ``contrast`` is ``AA``,
        ``links`` ``valid`` or ``reachable``, ``lint`` ``error`` or ``warning``.
        """
        clients = support and [{"client": client, "percentMin": percent} for client, percent in support.items()]
        budget = {
            "maxHtmlKb": max_html_kb,
            "maxImages": max_images,
            "maxLinks": max_links,
            "maxAttachmentsKb": max_attachments_kb,
            "contrast": contrast,
            "support": clients,
            "spamScore": spam_score,
            "links": links,
            "lint": lint,
        }
        report: dict[str, Any] = self._transport.post(f"/api/analysis/budget/{self.id}", budget, wait_seconds=60)
        return report

    def raw(self) -> bytes:
        """Downloads the mail as it was received."""
        return self._transport.request("GET", f"/api/files/email/{self.id}")

    def bundle(self) -> bytes:
        """Downloads everything about the message as a ZIP archive: raw mail, SMTP transcript, lint report, picture."""
        return self._transport.request("GET", f"/api/messages/{self.id}/bundle", wait_seconds=90)

    def delete(self) -> None:
        """Deletes the message."""
        self._transport.request("DELETE", f"/api/messages/{self.id}")

    def __repr__(self) -> str:
        return f"<Message {self.id} {self.type} {self.subject or self.text[:40]!r}>"

    def _contacts(self, field: str) -> list[Contact]:
        return [Contact(one.get("name") or "", one.get("email"), one.get("phone")) for one in self.json[field]]

    def _found(self, kind: str) -> list[dict[str, Any]]:
        return [*self.json["html"][kind], *self.json["text"][kind]]

    def _links_named(self, name: Optional[str]) -> list[Link]:
        if name is None:
            return self.links
        wanted = _normal(name)
        return (
            [link for link in self.links if _normal(link.text) == wanted]
            or [link for link in self.links if wanted in _normal(link.text)]
            or [link for link in self.links if wanted in link.href.casefold()]
        )

    def _title(self) -> str:
        return f"The message {self.subject!r}"

    def _beginning(self) -> str:
        body = " ".join((self.text or self.html).split())
        return f"It begins: {body[:_EXCERPT_LENGTH_MAX]!r}" if body else "It has no text."


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def _masked(mask: Optional[Mapping[str, Union[str, Sequence[str]]]]) -> list[dict[str, str]]:
    return [
        {"name": name, "value": one}
        for name, value in (mask or {}).items()
        for one in ([value] if isinstance(value, str) else value)
    ]
