"""Record of the mail of a test, which the command line tool of the service makes, for ``restante report``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional, Sequence

from .inbox import Inbox

# The service judges and renders the mails; a first start by npx downloads the package.
_RECORD_SECONDS_MAX = 120.0
_LINE_LENGTH_MAX = 1000
_TEXT_LENGTH_MAX = 20_000
_WAITS_MAX = 200


def record_test(
    inboxes: Sequence[Inbox], folder: Path, *, command: Sequence[str], test: str, has_failed: bool
) -> Optional[str]:
    """Adds a test with the mail of its inboxes to the record in a folder; returns the reason when it cannot."""
    server = inboxes[0].server
    waits = [wait for inbox in inboxes for wait in inbox.waits][:_WAITS_MAX]
    ended = {
        "title": test.rsplit("::", 1)[-1][:_LINE_LENGTH_MAX],
        "file": test.split("::", 1)[0][:_LINE_LENGTH_MAX],
        "status": "failed" if has_failed else "passed",
        "startedAt": min(inbox.created_at for inbox in inboxes),
        "addresses": [inbox.address for inbox in inboxes],
        "waits": [{name: _cut(name, value) for name, value in wait.items()} for wait in waits],
    }
    environment = {
        **os.environ,
        "RESTANTE_URL": server.url,
        "RESTANTE_API_KEY": server.api_key,
        "RESTANTE_SERVER": server.id,
        "RESTANTE_RECORD": str(folder),
    }
    # npx is a script with an extension on Windows, which only `which` finds.
    program = shutil.which(command[0]) or command[0]
    try:
        done = subprocess.run(
            [program, *command[1:], "record", "-"],
            input=json.dumps(ended),
            env=environment,
            capture_output=True,
            text=True,
            timeout=_RECORD_SECONDS_MAX,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip()


def _cut(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    return value[: _TEXT_LENGTH_MAX if name == "error" else _LINE_LENGTH_MAX]
