"""The plugin in test runs of its own."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import pytest

FAILING = """
import smtplib

def test_mail(restante, inbox, wait_for_one):
    with smtplib.SMTP(restante.smtp.host, restante.smtp.port) as smtp:
        smtp.sendmail("app@example.com", inbox.address, "Subject: Welcome\\r\\n\\r\\nYour code is 804219\\r\\n")
    assert wait_for_one().code() == "804219"
    wait_for_one(subject="Goodbye", timeout=0.1)
"""



def test_shows_the_mail_of_a_failed_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILING)
    result = pytester.runpytest_subprocess("--junitxml=junit.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*NoMatchError: No message matched*",
            "*restante: mail of the test*",
            "Inbox test-mail-*@*.restante.example.com",
            "*subject: expected \"Goodbye\", is \"Welcome\"*",
            "*'Welcome'*",
            "  codes: 804219",
            "  | Your code is 804219",
            "  saved: *.zip",
        ]
    )
    mails = list((pytester.path / "restante-bundles").glob("*/*.eml"))
    assert [b"Your code is 804219" in mail.read_bytes() for mail in mails] == [True]
    properties = {
        element.get("name"): element.get("value") or ""
        for element in ElementTree.parse(pytester.path / "junit.xml").iter("property")
    }
    assert "Goodbye" in properties["restante"]
    assert Path(properties["restante_file"]).exists()


def test_records_the_mail_of_each_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESTANTE_RECORD", "mail-of-the-run")
    pytester.makepyfile(test_shop=FAILING)
    pytester.runpytest_subprocess().assert_outcomes(failed=1)
    [file] = (pytester.path / "mail-of-the-run").glob("*.json")
    test = json.loads(file.read_text("utf-8"))
    assert (test["title"], test["file"], test["status"]) == ("test_mail", "test_shop.py", "failed")
    assert [wait["title"] for wait in test["waits"]] == ["wait for a message", "wait for a message subject 'Goodbye'"]
    assert 'is "Welcome"' in test["waits"][1]["error"]
    assert [message["codes"] for message in test["messages"]] == [["804219"]]
    monkeypatch.setenv("RESTANTE_RECORD", str(file))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1, warnings=1)
    result.stdout.fnmatch_lines(["*the mail of the test is not in *"])


SNAPSHOTS = """
import smtplib

def send(restante, inbox, body):
    with smtplib.SMTP(restante.smtp.host, restante.smtp.port) as smtp:
        smtp.sendmail("app@example.com", inbox.address, f"Subject: Welcome\\r\\n\\r\\n{body}\\r\\n")

def test_mail(restante, inbox, wait_for_one, assert_mail_snapshot):
    send(restante, inbox, "BODY")
    assert_mail_snapshot(wait_for_one(), mask={"customer": "Ada"})
"""


def test_compares_a_mail_with_its_snapshot(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop=SNAPSHOTS.replace("BODY", "Hello Ada, your code is 804219"))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*There is no snapshot *test_mail.txt yet*"])
    pytester.runpytest_subprocess("--update-mail-snapshots").assert_outcomes(passed=1)
    file = pytester.path / "__snapshots__" / "test_shop" / "test_mail.txt"
    assert file.read_text("utf-8") == "Subject: Welcome\n\n## Plain text\nHello {customer}, your code is {*}\n"
    obsolete = file.with_name("test_former.txt")
    obsolete.write_text("", "utf-8")
    pytester.makepyfile(test_shop=SNAPSHOTS.replace("BODY", "Hello Ada, your code is 117204"))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*obsolete snapshots*", "*test_former.txt"])
    pytester.makepyfile(test_shop=SNAPSHOTS.replace("BODY", "Hi Ada, your code is 804219"))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*-Hello {customer}, your code is {[*]}", "*+Hi {customer}, your code is {[*]}"])
    pytester.runpytest_subprocess("--update-mail-snapshots").assert_outcomes(passed=1)
    assert not obsolete.exists()


OBSOLETE = "*__snapshots__/test_shop/former.txt"


def test_lists_obsolete_snapshots_of_whole_modules_only(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop="def test_one(): pass\ndef test_other(): pass", test_bank="import pytest\ndef test_it(): pytest.skip()")
    for module in ("test_shop", "test_bank"):
        folder = pytester.mkdir("__snapshots__") if module == "test_shop" else pytester.path / "__snapshots__"
        (folder / module).mkdir()
        (folder / module / "former.txt").write_text("", "utf-8")
    for part in (["-k", "one"], ["test_shop.py::test_one"], ["--deselect", "test_shop.py::test_one"], ["test_bank.py"]):
        assert "obsolete snapshots" not in pytester.runpytest_subprocess(*part).stdout.str()
    whole = [[], ["test_shop.py"]]
    if find_spec("xdist") is not None:
        whole.append(["-n", "2"])
    for argv in whole:
        shown = pytester.runpytest_subprocess(*argv).stdout
        shown.fnmatch_lines(["*obsolete snapshots*", OBSOLETE])
        assert "test_bank/former" not in shown.str()
    pytester.runpytest_subprocess("--update-mail-snapshots").stdout.fnmatch_lines(["*removed snapshots*", OBSOLETE])
    assert [file.parent.name for file in pytester.path.rglob("former.txt")] == ["test_bank"]


def test_attaches_the_mail_to_the_html_report(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_html")
    pytester.makepyfile(FAILING)
    pytester.runpytest_subprocess("--html=report.html", "--self-contained-html").assert_outcomes(failed=1)
    report = (pytester.path / "report.html").read_text("utf-8")
    assert "restante" in report
    assert ".eml" in report


def test_starts_the_service_and_stops_it(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    _leave_service(monkeypatch)
    pytester.makepyfile("""
        def test_server(restante, inbox, tmp_path_factory):
            restante.create_message(inbox.address, subject="Created")
            assert inbox.wait_for_one().subject == "Created"
            print("URL", restante.url)
    """)
    result = pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=1)
    _expect_stopped(result)


def test_shares_one_service_with_all_workers(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xdist")
    _leave_service(monkeypatch)
    pytester.makepyfile("""
        import pathlib, pytest

        @pytest.mark.parametrize("number", range(12))
        def test_mail(restante, inbox, number, worker_id):
            restante.create_message(inbox.address, subject=str(number))
            assert inbox.wait_for_one().subject == str(number)
            inbox.expect_exactly(1, settle=0)
            pathlib.Path(f"seen-{worker_id}-{number}").write_text(f"{restante.url} {restante.id}")
    """)
    result = pytester.runpytest_subprocess("-n", "3")
    result.assert_outcomes(passed=12)
    seen = {tuple(file.read_text().split()) for file in pytester.path.glob("seen-*")}
    workers = {file.name.split("-")[1] for file in pytester.path.glob("seen-*")}
    assert len({url for url, _ in seen}) == 1
    assert len({server for _, server in seen}) == len(workers)


def test_deletes_the_server_of_the_run(pytester: pytest.Pytester, restante) -> None:
    pytester.makepyfile("""
        import pathlib

        def test_server(restante):
            pathlib.Path("server").write_text(restante.id)
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    created = (pytester.path / "server").read_text()
    known = [server["id"] for server in restante.transport.get("/api/servers")]
    assert restante.id in known
    assert created not in known


def test_uses_the_server_of_a_restricted_key(pytester: pytest.Pytester, restante, monkeypatch) -> None:
    key = restante.transport.post("/api/keys", {"name": "restricted", "server": restante.id})
    monkeypatch.setenv("RESTANTE_API_KEY", key["secret"] if "secret" in key else key["key"])
    monkeypatch.setenv("RESTANTE_SERVER", restante.id)
    pytester.makepyfile(f"""
        def test_server(restante, inbox):
            assert restante.id == {restante.id!r}
            assert inbox.messages() == []
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_says_that_the_key_is_missing(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTANTE_API_KEY")
    pytester.makepyfile("def test_server(restante): pass")
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*RESTANTE_API_KEY is missing*"])


def test_starts_nothing_for_tests_that_do_not_use_it(pytester: pytest.Pytester, monkeypatch) -> None:
    monkeypatch.delenv("RESTANTE_URL")
    monkeypatch.setenv("RESTANTE_COMMAND", "no-such-command")
    pytester.makepyfile("def test_other(): pass")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def _leave_service(monkeypatch: pytest.MonkeyPatch) -> None:
    if "RESTANTE_COMMAND" not in os.environ:
        pytest.skip("RESTANTE_COMMAND is not set")
    monkeypatch.delenv("RESTANTE_URL")
    monkeypatch.delenv("RESTANTE_API_KEY")


def _expect_stopped(result: pytest.RunResult) -> None:
    import urllib.error
    import urllib.request

    url = next(line.split()[-1] for line in result.outlines if "URL http" in line)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{url}/healthz", timeout=5)
