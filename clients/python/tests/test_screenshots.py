"""Screenshots of mails, compared with files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from pytest_restante.snapshots import MailScreenshot, SnapshotFiles


class Pictured:
    """Message that looks like this."""

    def __init__(self, look: bytes) -> None:
        self.look = look
        self.asked: list[dict[str, Any]] = []

    def screenshot(self, baseline: Optional[bytes], **options: Any) -> dict[str, Any]:
        self.asked.append(options)
        if baseline == self.look:
            return {"isMatch": True, "picture": None, "difference": None}
        return {"isMatch": False, "reason": "3 pixels differ", "picture": self.look, "difference": baseline and b"red"}


def test_compares_pictures_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    node = SimpleNamespace(path=tmp_path / "test_shop.py", nodeid="test_shop.py::test_order")
    reading, writing = SnapshotFiles(is_updating=False), SnapshotFiles(is_updating=True)
    blue, green = Pictured(b"blue"), Pictured(b"green")
    with pytest.raises(AssertionError, match="There is no screenshot .*test_order-gmail.png yet"):
        MailScreenshot(reading, node)(blue)
    MailScreenshot(writing, node)(blue, client="outlook-2021", dark=True, mask={"order": "A-1"})
    file = tmp_path / "__screenshots__" / "test_shop" / "test_order-outlook-2021-dark.png"
    assert (file.read_bytes(), writing.written) == (b"blue", [file])
    assert blue.asked[-1] == {"client": "outlook-2021", "dark": True, "mask": {"order": "A-1"}}
    MailScreenshot(reading, node)(blue, client="outlook-2021", dark=True)
    with pytest.raises(AssertionError, match="(?s)3 pixels differ.*actual: .*diff: "):
        MailScreenshot(reading, node)(green, client="outlook-2021", dark=True)
    saved = {path.name: path.read_bytes() for path in (tmp_path / "restante-bundles").glob("*outlook*")}
    assert sorted(saved.values()) == [b"green", b"red"]


def test_names_files_apart_when_titles_are_long_or_in_another_script(tmp_path: Path) -> None:
    titles = ("test_ウェルカム", "test_注文", "test_" + "long" * 40)
    files = SnapshotFiles(is_updating=True)
    for title in titles:
        node = SimpleNamespace(path=tmp_path / "test_shop.py", nodeid=f"test_shop.py::{title}")
        for client in ("gmail", "outlook-2021"):
            MailScreenshot(files, node)(Pictured(b"blue"), client=client)
    names = {file.name for file in files.written}
    assert len(names) == 6
    assert max(len(name.encode()) for name in names) < 255


def test_lists_obsolete_pictures_of_modules_whose_tests_all_passed(tmp_path: Path) -> None:
    node = SimpleNamespace(path=tmp_path / "test_shop.py", nodeid="test_shop.py::test_order")
    MailScreenshot(SnapshotFiles(is_updating=True), node)(Pictured(b"blue"))
    obsolete = tmp_path / "__screenshots__" / "test_shop" / "former.png"
    obsolete.write_bytes(b"")
    files, worker = SnapshotFiles(is_updating=False), SnapshotFiles(is_updating=False)
    worker.add_test(node)  # type: ignore[arg-type]
    MailScreenshot(worker, node)(Pictured(b"blue"))
    files.merge(worker.shared())
    assert files.obsolete() == []
    worker.add_report(SimpleNamespace(nodeid=node.nodeid, when="call", passed=True, failed=False))  # type: ignore[arg-type]
    files.merge(worker.shared())
    assert files.obsolete() == [obsolete]
