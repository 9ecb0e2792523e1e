"""Report of a failed test: its mail, why nothing matched, and a bundle of each message in a folder."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence

from .errors import RestanteError
from .inbox import Inbox
from .message import Message
from .search import describe

# Messages of a failed test whose bundles are saved: the newest ones.
_MESSAGES_MAX = 5
_EXCERPT_LENGTH_MAX = 1000
_FOLDER_NAME_LENGTH_MAX = 120


@dataclass
class FailureReport:
    """What a report shows about the mail of a failed test."""

    text: str = ""
    files: list[Path] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)


def folder_of_test(root: Path, test_id: str) -> Path:
    """Returns the folder for the bundles of a test."""
    return root / re.sub(r"[^A-Za-z0-9._-]+", "-", test_id).strip("-.")[-_FOLDER_NAME_LENGTH_MAX:]


def report_failure(inboxes: Sequence[Inbox], folder: Path) -> FailureReport:
    """Saves the messages of the inboxes to the folder and describes them. Never raises errors of the service."""
    report = FailureReport()
    parts: list[str] = []
    for inbox in inboxes:
        parts.append(f"Inbox {inbox.address}")
        if inbox.failed_wait is not None:
            parts.append(f"{inbox.failed_wait}")
        try:
            messages = inbox.messages()
        except RestanteError as error:
            parts.append(f"The messages are missing: {error}")
            continue
        if not messages:
            parts.append("No message arrived.")
        for message in messages[-_MESSAGES_MAX:]:
            parts.append(_describe(message))
            parts.append(_save(message, folder, report))
    report.text = "\n".join(part for part in parts if part)
    return report


def _describe(message: Message) -> str:
    lines = [f"- {describe(message.json)}"]
    if message.codes:
        lines.append(f"  codes: {', '.join(message.codes)}")
    lines.extend(f"  link {link.text!r}: {link.href}" for link in message.links)
    text = (message.text or message.html)[:_EXCERPT_LENGTH_MAX]
    lines.extend(f"  | {line}" for line in text.splitlines())
    return "\n".join(lines)


def _save(message: Message, folder: Path, report: FailureReport) -> str:
    try:
        bundle = message.bundle()
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / f"{message.id}.zip"
        archive.write_bytes(bundle)
        report.files.append(archive)
        for name, suffix in (("message.eml", ".eml"), ("preview.png", ".png")):
            content = _read_member(bundle, name)
            if content is None:
                continue
            file = archive.with_suffix(suffix)
            file.write_bytes(content)
            report.files.append(file)
            if suffix == ".png":
                report.pictures.append(content)
        return f"  saved: {archive}"
    except (RestanteError, OSError, zipfile.BadZipFile) as error:
        return f"  not saved: {error}"


def _read_member(bundle: bytes, name: str) -> Optional[bytes]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        for member in archive.namelist():
            if member.rsplit("/", 1)[-1] == name:
                return archive.read(member)
    return None
