"""Snapshots of mails in files beside the tests, and budgets."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import pytest

from .message import Message

# Characters of the name of a file that not every file system has.
_UNSAFE = re.compile(r"[^\w.-]+")
# Longest name in bytes; one that is cut ends with a hash of the whole.
_NAME_BYTES_MAX = 120

_FOLDERS = ("__snapshots__", "__screenshots__")

Masked = Mapping[str, Union[str, Sequence[str]]]


class SnapshotFiles:
    """Snapshot files of a run: which were compared, and whether differences are written."""

    def __init__(self, is_updating: bool) -> None:
        self.is_updating = is_updating
        self.written: list[Path] = []
        self.removed: list[Path] = []
        self._used: set[Path] = set()
        # Node ids of all tests of each module, those that the run leaves out too, and of those that passed.
        self._tests: dict[Path, set[str]] = {}
        self._passed: set[str] = set()

    def compare(self, folder: Path, name: str, actual: str) -> None:
        """Compares a text with the file of a name; raises AssertionError with the lines that differ."""
        file = self._use(folder, name, ".txt")
        expected = file.read_text("utf-8") if file.exists() else None
        if expected == actual:
            return
        if self.is_updating:
            folder.mkdir(parents=True, exist_ok=True)
            with file.open("w", encoding="utf-8", newline="\n") as opened:
                opened.write(actual)
            self.written.append(file)
            return
        shown = _relative(file)
        if expected is None:
            raise AssertionError(f"There is no snapshot {shown} yet: --update-mail-snapshots writes it. The mail is:\n{actual}")
        lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "snapshot", "mail", lineterm="", n=2)
        raise AssertionError(
            f"The mail differs from its snapshot {shown}; --update-mail-snapshots replaces it.\n" + "\n".join(lines)
        )

    def compare_picture(self, folder: Path, name: str, message: Message, options: Mapping[str, Any]) -> None:
        """Compares a mail with the PNG file of a name; raises AssertionError with the differences in words."""
        file = self._use(folder, name, ".png")
        expected = file.read_bytes() if file.exists() else None
        report = message.screenshot(**options, baseline=expected)
        if report["isMatch"]:
            return
        if self.is_updating:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_bytes(report["picture"])
            self.written.append(file)
            return
        shown = _relative(file)
        saved = _save_pictures(file.stem, report)
        if expected is None:
            raise AssertionError(f"There is no screenshot {shown} yet: --update-mail-snapshots writes it.{saved}")
        raise AssertionError(
            f"The mail differs from its screenshot {shown}; --update-mail-snapshots replaces it.\n{report['reason']}{saved}"
        )

    def _use(self, folder: Path, name: str, suffix: str) -> Path:
        file = folder / f"{_file_name(name)}{suffix}"
        self._used.add(file)
        return file

    def add_test(self, item: pytest.Item) -> None:
        """Adds a test that exists, whether it runs or not."""
        self._tests.setdefault(item.path, set()).add(item.nodeid)

    def add_report(self, report: pytest.TestReport) -> None:
        """Notes whether a test has passed; one that was expected to fail has not."""
        if report.failed or hasattr(report, "wasxfail"):
            self._passed.discard(report.nodeid)
        elif report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    def shared(self) -> dict[str, Any]:
        """Returns what a worker of pytest-xdist tells the controller."""
        return {
            "used": [str(file) for file in self._used],
            "written": [str(file) for file in self.written],
            "tests": {str(module): list(tests) for module, tests in self._tests.items()},
            "passed": list(self._passed),
        }

    def merge(self, shared: Mapping[str, Any]) -> None:
        """Adds what a worker of pytest-xdist has told."""
        self._used.update(map(Path, shared["used"]))
        self.written.extend(map(Path, shared["written"]))
        for module, tests in shared["tests"].items():
            self._tests.setdefault(Path(module), set()).update(tests)
        self._passed.update(shared["passed"])

    def obsolete(self) -> list[Path]:
        """Returns the files that no test has compared, of modules whose tests have all passed; removes them when it updates."""
        whole = [module for module, tests in self._tests.items() if tests <= self._passed]
        folders = [_folder_of(kind, module) for module in whole for kind in _FOLDERS]
        found = [file for folder in folders for suffix in ("*.txt", "*.png") for file in folder.glob(suffix)]
        unused = sorted(set(found) - self._used)
        if self.is_updating:
            for file in unused:
                file.unlink()
            self.removed, unused = unused, []
        return unused


class MailSnapshot:
    """Compares the mails of one test with their snapshots; the fixture ``assert_mail_snapshot``."""

    def __init__(self, files: SnapshotFiles, node: Any) -> None:
        self._files = files
        self._folder = _folder_of("__snapshots__", node.path)
        self._test = node.nodeid.split("::", 1)[-1].replace("::", ".")
        self._count = 0

    def __call__(
        self,
        message: Message,
        name: Optional[str] = None,
        *,
        mask: Optional[Masked] = None,
        headers: Sequence[str] = (),
    ) -> None:
        """Asserts that a mail equals its snapshot.

        ``name`` names the snapshot where a test has several; they are counted otherwise. ``mask`` and ``headers`` are
        those of ``Message.snapshot``.
        """
        __tracebackhide__ = True
        if name is None:
            self._count += 1
            suffix = "" if self._count == 1 else f"-{self._count}"
        else:
            suffix = f"-{name}"
        self._files.compare(self._folder, f"{self._test}{suffix}", message.snapshot(mask=mask, headers=headers))


class MailScreenshot:
    """Compares the pictures of the mails of one test with baselines; the fixture ``assert_mail_screenshot``."""

    def __init__(self, files: SnapshotFiles, node: Any) -> None:
        self._files = files
        self._folder = _folder_of("__screenshots__", node.path)
        self._test = node.nodeid.split("::", 1)[-1].replace("::", ".")

    def __call__(
        self, message: Message, name: Optional[str] = None, *, client: str = "gmail", dark: bool = False, **options: Any
    ) -> None:
        """Asserts that a mail looks like its baseline in an email client.

        ``name`` names the baseline where a test has several for one client. ``options`` are those of
        ``Message.screenshot``: ``mask``, ``threshold`` and ``max_changed_pixels``.
        """
        __tracebackhide__ = True
        parts = [self._test, *([name] if name else []), client, *(["dark"] if dark else [])]
        self._files.compare_picture(
            self._folder, "-".join(parts), message, {"client": client, "dark": dark, **options}
        )


def assert_mail_budget(message: Message, **limits: Any) -> None:
    """Asserts that a mail meets limits, given as in ``Message.judge``; the error names each one that it exceeds."""
    __tracebackhide__ = True
    report = message.judge(**limits)
    failed = [_shown_verdict(verdict) for verdict in report["verdicts"] if not verdict["isMet"]]
    if failed:
        raise AssertionError(f"The message {message.subject!r} exceeds its budget:\n" + "\n".join(failed))


def add_snapshot_option(parser: pytest.Parser) -> None:
    """Adds the option that writes snapshots."""
    group = parser.getgroup("restante", "messages for tests (restante)")
    group.addoption(
        "--update-mail-snapshots",
        action="store_true",
        default=os.environ.get("RESTANTE_UPDATE_SNAPSHOTS") == "1",
        help="write the snapshots of mails, and remove obsolete ones (or RESTANTE_UPDATE_SNAPSHOTS=1)",
    )


def _file_name(name: str) -> str:
    found = _UNSAFE.sub("-", name).strip("-")
    cut = found.encode()[:_NAME_BYTES_MAX].decode(errors="ignore")
    return found if cut == found else f"{cut}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _folder_of(kind: str, module: Path) -> Path:
    return module.parent / kind / module.stem


def _shown_verdict(verdict: Mapping[str, Any]) -> str:
    lines = [f"  {verdict['rule']}: {verdict['actual']}, expected {verdict['limit']}"]
    for finding in verdict["findings"]:
        place = [f"line {finding['line']}"] if finding["line"] is not None else []
        place += [finding["subject"]] if finding["subject"] else []
        lines.append(f"    {finding['message']}" + (f" ({': '.join(place)})" if place else ""))
    return "\n".join(lines)


def _save_pictures(stem: str, report: Mapping[str, Any]) -> str:
    """Writes the pictures of a failed comparison, and returns lines with their paths."""
    folder = Path("restante-bundles")
    lines = []
    for kind, suffix in (("picture", "actual"), ("difference", "diff")):
        if report[kind]:
            folder.mkdir(exist_ok=True)
            file = folder / f"{stem}-{suffix}.png"
            file.write_bytes(report[kind])
            lines.append(f"\n  {suffix}: {file}")
    return "".join(lines)


def _relative(file: Path) -> str:
    try:
        return str(file.relative_to(Path.cwd()))
    except ValueError:
        return str(file)
