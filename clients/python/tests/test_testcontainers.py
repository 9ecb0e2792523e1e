"""The container, on the Docker daemon that DOCKER_HOST names."""

from __future__ import annotations

import os

import pytest

from pytest_restante import Inbox

if "DOCKER_HOST" not in os.environ:
    pytest.skip("DOCKER_HOST is not set", allow_module_level=True)
pytest.importorskip("testcontainers")

from testcontainers.core.network import Network  # noqa: E402

from pytest_restante.testcontainers import RestanteContainer  # noqa: E402


def test_receives_mail_in_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESTANTE_IMAGE", "restante:other")
    with RestanteContainer(server_id="abcd0001") as container:
        server = container.get_server()
        assert server.domain == "abcd0001.restante.example.com"
        with server.inbox("sign-up") as inbox:
            _send(inbox, container.get_smtp().host, container.get_smtp().port)
            assert inbox.wait_for_one().code() == "804219"
        info = container.get_wrapped_container().attrs["Config"]
        assert info["Image"] == "restante:other"
        assert "RESTANTE_SMTP_STARTTLS=never" in info["Env"]
        assert f"RESTANTE_API_KEY={container.api_key}" in info["Env"]
        assert len(container.api_key) == 48
        with pytest.raises(ValueError, match="call with_alias before start"):
            container.get_network_smtp()


def test_is_reached_by_its_alias_in_a_network() -> None:
    with Network() as network, RestanteContainer().with_alias(network, "mail") as container:
        assert (container.get_network_smtp().host, container.get_network_smtp().port) == ("mail", 1025)
        assert container.get_network_url() == "http://mail:8025"
        wrapped = container.get_wrapped_container()
        wrapped.reload()
        networks = wrapped.attrs["NetworkSettings"]["Networks"]
        # Docker before version 25 adds the id of the container.
        assert "mail" in networks[network.name]["Aliases"]


def test_is_the_service_of_a_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTANTE_URL")
    monkeypatch.setenv("RESTANTE_COMMAND", "no-such-command")
    pytester.makepyfile("""
        def test_mail(restante, inbox):
            restante.create_message(inbox.address, subject="Created")
            assert inbox.wait_for_one().subject == "Created"
    """)
    pytester.runpytest_subprocess("--restante-image=restante:other").assert_outcomes(passed=1)


def _send(inbox: Inbox, host: str, port: int) -> None:
    import smtplib

    with smtplib.SMTP(host, port, timeout=30) as smtp:
        smtp.sendmail("shop@example.com", inbox.address, "Subject: Welcome\r\n\r\nYour code is 804219\r\n")
