"""Plugin of pytest: fixtures, the service of a run, and reports of failed tests."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Protocol

import pytest

from .client import Server, Smtp
from .errors import ResponseError
from .failure import FailureReport, folder_of_test, report_failure
from .inbox import Inbox, PhoneInbox
from .message import Message
from .record import record_test
from .service import Connection, ServiceProcess, wait_for_service
from .settings import Settings, add_options, read_settings
from .snapshots import MailScreenshot, MailSnapshot, SnapshotFiles, add_snapshot_option

# Lifetime of the server of a worker, for runs that are killed before they delete it.
_SERVER_TTL_SECONDS = 6 * 60 * 60


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class _Run:
    """Service and server of this process: of the run, or of one worker of pytest-xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._process: Optional[ServiceProcess] = None
        self._container: Optional[_Stoppable] = None
        self._container_connection_found: dict[str, Any] = {}
        self._server: Optional[Server] = None
        self._is_own_server = False
        self._settings: Optional[Settings] = None
        # Inboxes of the test that runs.
        self.inboxes: list[Inbox] = []

    @property
    def settings(self) -> Settings:
        if self._settings is None:
            self._settings = read_settings(self._config)
        return self._settings

    def shared(self) -> dict[str, Any]:
        """Returns what a worker of pytest-xdist needs to use the service of the controller; starts the service."""
        if self.settings.connection is not None:
            return {}
        if self.settings.image is not None:
            return {"connection": self._container_connection()}
        process = self._started()
        # Workers wait for it, and only when a test uses it.
        return {"data_dir": str(process.data_dir), "api_key": process.api_key}

    def server(self) -> Server:
        """Returns the server of this process, and creates it first."""
        if self._server is None:
            client = self._connection().client(mail_domain=self.settings.mail_domain, timeout=self.settings.timeout)
            if self.settings.server is not None:
                self._server = client.server(self.settings.server)
            else:
                try:
                    name = f"pytest {_worker_name(self._config)}"
                    self._server = client.create_server(name, ttl_seconds=_SERVER_TTL_SECONDS)
                    self._is_own_server = True
                except ResponseError as error:
                    # The key is restricted to one server.
                    if error.status != 403 or self.settings.fallback_server is None:
                        raise
                    self._server = client.server(self.settings.fallback_server)
            self._server.on_inbox = self.inboxes.append
        return self._server

    def close_server(self) -> None:
        """Deletes the server, unless it existed before the run."""
        server, self._server = self._server, None
        if server is not None and self._is_own_server:
            server.delete()

    def stop(self) -> None:
        """Stops what this process has started."""
        if self._process is not None:
            self._process.stop()
        if self._container is not None:
            self._container.stop()

    def _connection(self) -> Connection:
        if self.settings.connection is not None:
            return self.settings.connection
        given = getattr(self._config, "workerinput", {}).get("restante", {})
        if "data_dir" in given:
            return wait_for_service(Path(given["data_dir"]), given["api_key"])
        if "connection" in given:
            return _connection_of(given["connection"])
        if self.settings.image is not None:
            return _connection_of(self._container_connection())
        return self._started().wait_ready()

    def _started(self) -> ServiceProcess:
        if self._process is None:
            self._process = ServiceProcess(self.settings.command)
        return self._process

    def _container_connection(self) -> dict[str, Any]:
        if self._container is None:
            # Only here, because the package is optional.
            from .testcontainers import RestanteContainer

            container = RestanteContainer(self.settings.image)
            self._container = container
            container.start()
            smtp = container.get_smtp()
            self._container_connection_found = {
                "url": container.get_url(),
                "api_key": container.api_key,
                "smtp_host": smtp.host,
                "smtp_port": smtp.port,
            }
        return self._container_connection_found


_run_key = pytest.StashKey[_Run]()
_snapshots_key = pytest.StashKey[SnapshotFiles]()


def _run_of(config: pytest.Config) -> _Run:
    return config.stash[_run_key]


def _connection_of(given: dict[str, Any]) -> Connection:
    return Connection(given["url"], given["api_key"], Smtp(given["smtp_host"], given["smtp_port"]))


def _worker_name(config: pytest.Config) -> str:
    return str(getattr(config, "workerinput", {}).get("workerid", "run"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin."""
    add_options(parser)
    add_snapshot_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Prepares the run. Nothing is started before a test uses it, except for the workers of pytest-xdist."""
    config.stash[_run_key] = _Run(config)
    config.stash[_snapshots_key] = SnapshotFiles(config.getoption("--update-mail-snapshots"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Shares one service with all workers of pytest-xdist."""
    node.workerinput["restante"] = _run_of(node.config).shared()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Collects the compared snapshots of a worker of pytest-xdist."""
    found = getattr(node, "workeroutput", {}).get("restante_snapshots")
    if found is not None:
        node.config.stash[_snapshots_key].merge(found)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tells the controller of pytest-xdist which snapshots this worker compared."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["restante_snapshots"] = session.config.stash[_snapshots_key].shared()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Notes a test before options and other plugins leave some out: snapshots of a part are not judged."""
    item.config.stash[_snapshots_key].add_test(item)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the service."""
    run = config.stash.get(_run_key, None)
    if run is not None:
        run.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forgets the inboxes of the test before."""
    _run_of(item.config).inboxes.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Records the mail of a test, and attaches that of a failed one to its report, before the fixtures delete it."""
    outcome: Any = yield
    report = outcome.get_result()
    item.config.stash[_snapshots_key].add_report(report)
    run = _run_of(item.config)
    if report.when == "teardown" or not run.inboxes:
        return
    if report.when == "call" or report.failed:
        _record(item, run, has_failed=report.failed)
    if not report.failed:
        return
    found = report_failure(run.inboxes, folder_of_test(run.settings.bundles, item.nodeid))
    report.sections.append(("restante: mail of the test", found.text))
    for file in found.files:
        item.user_properties.append(("restante_file", str(file)))
    item.user_properties.append(("restante", found.text))
    report.user_properties = list(item.user_properties)
    _add_html_extras(item.config, report, found)


def _record(item: pytest.Item, run: _Run, *, has_failed: bool) -> None:
    folder, command = run.settings.record, run.settings.command
    if folder is None:
        return
    problem = record_test(run.inboxes, folder, command=command, test=item.nodeid, has_failed=has_failed)
    if problem is not None:
        item.warn(pytest.PytestWarning(f"restante: the mail of the test is not in {folder}: {problem}"))


def _add_html_extras(config: pytest.Config, report: Any, found: FailureReport) -> None:
    if not config.pluginmanager.hasplugin("html"):
        return
    from pytest_html import extras

    added = [extras.text(found.text, name="restante")]
    added.extend(extras.png(base64.b64encode(picture).decode("ascii"), name="mail") for picture in found.pictures)
    added.extend(extras.url(file.resolve().as_uri(), name=file.name) for file in found.files)
    report.extras = [*getattr(report, "extras", []), *added]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Lists the snapshots that were written, and the obsolete ones of modules that ran as a whole."""
    files = config.stash[_snapshots_key]
    # Such an argument collects a part of a module; a worker of pytest-xdist runs a part of its tests.
    is_part = any("::" in argument for argument in config.args) or hasattr(config, "workerinput")
    obsolete = [] if is_part else files.obsolete()
    for title, listed in (("written", files.written), ("removed", files.removed), ("obsolete", obsolete)):
        if listed:
            terminalreporter.section(f"restante: {title} snapshots")
            for file in listed:
                terminalreporter.line(str(file))


@pytest.fixture
def assert_mail_snapshot(request: pytest.FixtureRequest) -> MailSnapshot:
    """Asserts that a mail equals its snapshot in ``__snapshots__`` beside the test."""
    return MailSnapshot(request.config.stash[_snapshots_key], request.node)


@pytest.fixture
def assert_mail_screenshot(request: pytest.FixtureRequest) -> MailScreenshot:
    """Asserts that a mail looks like its baseline in ``__screenshots__`` beside the test."""
    return MailScreenshot(request.config.stash[_snapshots_key], request.node)


@pytest.fixture(scope="session")
def restante(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Server of this run, or of this worker of pytest-xdist; it is deleted at the end of the run."""
    run = _run_of(request.config)
    try:
        yield run.server()
    finally:
        run.close_server()


@pytest.fixture
def inbox(restante: Server, request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """Inbox with an address of its own for this test; its messages are deleted after the test."""
    with restante.inbox(request.node.name) as opened:
        yield opened


@pytest.fixture
def phone(restante: Server) -> Iterator[PhoneInbox]:
    """Phone number of its own for this test; it is deleted with its SMS after the test. Needs an account key."""
    with restante.phone() as opened:
        yield opened


@pytest.fixture
def wait_for_one(inbox: Inbox) -> Callable[..., Message]:
    """``inbox.wait_for_one``."""
    return inbox.wait_for_one


@pytest.fixture
def wait_for_many(inbox: Inbox) -> Callable[..., "list[Message]"]:
    """``inbox.wait_for_many``."""
    return inbox.wait_for_many


@pytest.fixture
def expect_none(inbox: Inbox) -> Callable[..., None]:
    """``inbox.expect_none``."""
    return inbox.expect_none
