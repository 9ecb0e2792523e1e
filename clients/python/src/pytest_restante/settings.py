"""Settings of the plugin: command line, then environment, then configuration file of pytest."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit

import pytest

from .client import DEFAULT_MAIL_DOMAIN, DEFAULT_SMTP_PORT, DEFAULT_TIMEOUT_SECONDS, Smtp
from .service import DEFAULT_COMMAND, Connection

_OPTIONS = {
    "url": ("RESTANTE_URL", "base URL of a running service; its key is in RESTANTE_API_KEY"),
    "server": ("", "use this server of a running service, instead of one for each worker that expires"),
    "command": ("RESTANTE_COMMAND", "command that starts the service when there is no URL; default: npx restante"),
    "image": ("RESTANTE_IMAGE", "image of a container to start instead; needs pytest-restante[testcontainers]"),
    "mail_domain": ("RESTANTE_MAIL_DOMAIN", f"mail domain of the service; default: {DEFAULT_MAIL_DOMAIN}"),
    "timeout": ("", f"seconds that waits take; default: {DEFAULT_TIMEOUT_SECONDS:g}"),
    "record": ("RESTANTE_RECORD", "folder in which each test records its mail, for `restante report`"),
    "bundles": ("", "folder for the messages of failed tests; default: restante-bundles"),
}


@dataclass(frozen=True)
class Settings:
    """Settings of the plugin."""

    connection: Optional[Connection]
    server: Optional[str]
    fallback_server: Optional[str]
    command: tuple[str, ...]
    image: Optional[str]
    mail_domain: str
    timeout: float
    bundles: Path
    record: Optional[Path]


def add_options(parser: pytest.Parser) -> None:
    """Adds the options to the command line and to the configuration file."""
    group = parser.getgroup("restante", "messages for tests (restante)")
    for name, (_, description) in _OPTIONS.items():
        flag = name.replace("_", "-")
        group.addoption(f"--restante-{flag}", dest=f"restante_{name}", default=None, metavar="VALUE", help=description)
        parser.addini(f"restante_{name}", description)


def read_settings(config: pytest.Config) -> Settings:
    """Returns the settings; raises UsageError for an invalid one."""
    given = {name: _read(config, name, variable) for name, (variable, _) in _OPTIONS.items()}
    timeout = given["timeout"]
    try:
        seconds = DEFAULT_TIMEOUT_SECONDS if timeout is None else float(timeout)
    except ValueError:
        raise pytest.UsageError(f"restante_timeout must be a number of seconds, not {timeout!r}") from None
    return Settings(
        connection=_connection(given["url"]),
        server=given["server"],
        fallback_server=os.environ.get("RESTANTE_SERVER") or None,
        command=tuple(shlex.split(given["command"])) if given["command"] else DEFAULT_COMMAND,
        image=given["image"],
        mail_domain=given["mail_domain"] or DEFAULT_MAIL_DOMAIN,
        timeout=seconds,
        bundles=config.rootpath / (given["bundles"] or "restante-bundles"),
        record=config.rootpath / given["record"] if given["record"] else None,
    )


def _read(config: pytest.Config, name: str, variable: str) -> Optional[str]:
    return (
        config.getoption(f"restante_{name}", None)
        or (os.environ.get(variable) if variable else None)
        or config.getini(f"restante_{name}")
        or None
    )


def _connection(url: Optional[str]) -> Optional[Connection]:
    if url is None:
        return None
    api_key = os.environ.get("RESTANTE_API_KEY")
    if not api_key:
        raise pytest.UsageError("RESTANTE_API_KEY is missing: set it to a key of the service at RESTANTE_URL")
    # `restante env` sets those of the official libraries, because RESTANTE_SMTP_PORT is also a setting of the service.
    host = os.environ.get("RESTANTE_SMTP_HOST") or os.environ.get("MAILOSAUR_SMTP_HOST") or urlsplit(url).hostname
    port = os.environ.get("RESTANTE_SMTP_PORT") or os.environ.get("MAILOSAUR_SMTP_PORT") or str(DEFAULT_SMTP_PORT)
    if not port.isdigit():
        raise pytest.UsageError(f"RESTANTE_SMTP_PORT must be a port, not {port!r}")
    return Connection(url=url, api_key=api_key, smtp=Smtp(host or "127.0.0.1", int(port)))
