"""Service that is started for a test run, and stopped after it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Sequence, Type

from .client import DEFAULT_MAIL_DOMAIN, DEFAULT_TIMEOUT_SECONDS, Restante, Smtp
from .errors import StartError

DEFAULT_COMMAND = ("npx", "restante")

# A first start by npx downloads the package.
_READY_SECONDS_MAX = 120.0
_STOP_SECONDS_MAX = 20.0
_POLL_SECONDS = 0.05
_OUTPUT_FILE = "output.log"
_EXITED_FILE = "exited"
# Characters of the output of the service that an error shows.
_OUTPUT_LENGTH_MAX = 4000


@dataclass(frozen=True)
class Connection:
    """Addresses and key of a service. Without ``smtp``, its SMTP port is 1025 of the same host."""

    url: str
    api_key: str
    smtp: Optional[Smtp]

    def client(self, *, mail_domain: str = DEFAULT_MAIL_DOMAIN, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> Restante:
        """Returns a client of the service."""
        return Restante(self.url, self.api_key, smtp=self.smtp, mail_domain=mail_domain, timeout=timeout)


class ServiceProcess:
    """``restante serve`` on free ports of the loopback interface, with a data folder that is removed at the end.

    The constructor returns at once; ``wait_ready`` waits until the service takes mail.
    """

    def __init__(self, command: Sequence[str] = DEFAULT_COMMAND) -> None:
        self.api_key = secrets.token_hex(24)
        self._folder = Path(tempfile.mkdtemp(prefix="restante-"))
        self.data_dir = self._folder / "data"
        # npx is a script with an extension on Windows, which only `which` finds.
        program = shutil.which(command[0]) or command[0]
        flags = ["--http-port=0", "--https-port=0", "--smtp-port=0", f"--data-dir={self.data_dir}"]
        try:
            with open(self._folder / _OUTPUT_FILE, "wb") as output:
                self._process = subprocess.Popen(
                    [program, *command[1:], "serve", *flags],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "RESTANTE_API_KEY": self.api_key},
                    # A group of its own, because npx does not forward signals, and Ctrl-C is for the test run.
                    start_new_session=True,
                )
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise StartError(f"Cannot run {' '.join(command)}: {error.strerror or error}") from error
        threading.Thread(target=self._mark_exit, daemon=True).start()

    def wait_ready(self) -> Connection:
        """Returns the connection when the service is ready; raises StartError with its output when it exits instead."""
        try:
            return wait_for_service(self.data_dir, self.api_key)
        except StartError:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops the service and removes its data. Safe to call twice."""
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            try:
                self._process.wait(_STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> ServiceProcess:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()

    def _mark_exit(self) -> None:
        """Leaves a file when the process has exited, for the processes that wait for it but did not start it."""
        self._process.wait()
        with contextlib.suppress(OSError):
            # The folder is gone after a stop.
            (self._folder / _EXITED_FILE).touch()

    def _signal(self, number: int) -> None:
        if hasattr(os, "killpg"):
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                # It has exited meanwhile.
                return
        else:
            self._process.send_signal(number)


def wait_for_service(data_dir: Path, api_key: str) -> Connection:
    """Returns the connection to the service with this data folder when it is ready.

    The process that started the service need not be this one: with pytest-xdist it is the controller.
    """
    deadline = time.monotonic() + _READY_SECONDS_MAX
    while time.monotonic() < deadline:
        # Before the address, so that the address of a service that has exited is not used.
        has_exited = (data_dir.parent / _EXITED_FILE).exists() or not data_dir.parent.exists()
        address = _read_json(data_dir / "service.json")
        if has_exited:
            break
        if address is not None:
            smtp = Smtp(address["smtp"]["host"], address["smtp"]["port"])
            return Connection(url=address["url"], api_key=api_key, smtp=smtp)
        time.sleep(_POLL_SECONDS)
    raise StartError(f"The service did not start; its output:\n{_output(data_dir.parent / _OUTPUT_FILE)}")


def _read_json(file: Path) -> Optional[dict[str, Any]]:
    try:
        value: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return value
    except (OSError, ValueError):
        # It does not exist yet, or is being written.
        return None


def _output(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")[-_OUTPUT_LENGTH_MAX:].strip() or "(none)"
    except OSError:
        return "(removed)"
