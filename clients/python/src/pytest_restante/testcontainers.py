"""restante as a container, by Testcontainers: ``pip install 'pytest-restante[testcontainers]'``."""

from __future__ import annotations

import os
import secrets
from typing import Any, Optional

from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network
from testcontainers.core.wait_strategies import HttpWaitStrategy

from .client import DEFAULT_TIMEOUT_SECONDS, Restante, Server, Smtp

DEFAULT_IMAGE = "restante:0.1.0"
DEFAULT_NETWORK_ALIAS = "restante"

HTTP_PORT = 8025
SMTP_PORT = 1025

_READY_SECONDS_MAX = 120


class RestanteContainer(DockerContainer):
    """Service in a container, with one server and an account key.

    Args:
        image: Image; default: that of the variable ``RESTANTE_IMAGE``, or ``restante:<version of this package>``.
        api_key: Account key of at least 16 characters; default: a random one.
        server_id: Id of the server to create, eight letters or digits.

    Example:
        >>> with RestanteContainer() as container:  # doctest: +SKIP
        ...     inbox = container.get_server().inbox("sign-up")
    """

    def __init__(
        self,
        image: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        server_id: str = "tests001",
        **kwargs: Any,
    ) -> None:
        super().__init__(image or os.environ.get("RESTANTE_IMAGE") or DEFAULT_IMAGE, **kwargs)
        self.api_key = api_key or secrets.token_hex(24)
        self.server_id = server_id
        self.network_alias: Optional[str] = None
        self.with_exposed_ports(HTTP_PORT, SMTP_PORT)
        self.with_env("RESTANTE_API_KEY", self.api_key)
        self.with_env("RESTANTE_SERVERS", f"{server_id}:Tests")
        # Clients come from other addresses than loopback; without this they would have to trust the local CA.
        self.with_env("RESTANTE_SMTP_STARTTLS", "never")
        ready = HttpWaitStrategy(HTTP_PORT, "/readyz").for_status_code(200)
        self.waiting_for(ready.with_startup_timeout(_READY_SECONDS_MAX))

    def with_alias(self, network: Network, alias: str = DEFAULT_NETWORK_ALIAS) -> RestanteContainer:
        """Connects the container to a network, in which the application under test reaches it as ``alias``."""
        self.network_alias = alias
        self.with_network(network)
        self.with_network_aliases(alias)
        return self

    def get_url(self) -> str:
        """Returns the base URL of the API and of the web UI for this machine."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(HTTP_PORT)}"

    def get_smtp(self) -> Smtp:
        """Returns the SMTP address for an application on this machine."""
        return Smtp(self.get_container_host_ip(), int(self.get_exposed_port(SMTP_PORT)))

    def get_network_url(self) -> str:
        """Returns the base URL of the API for containers of the same network."""
        return f"http://{self._alias()}:{HTTP_PORT}"

    def get_network_smtp(self) -> Smtp:
        """Returns the SMTP address for an application in a container of the same network."""
        return Smtp(self._alias(), SMTP_PORT)

    def get_client(self, *, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> Restante:
        """Returns a client with the account key."""
        return Restante(self.get_url(), self.api_key, smtp=self.get_smtp(), timeout=timeout)

    def get_server(self) -> Server:
        """Returns the server of the container."""
        return self.get_client().server(self.server_id)

    def _alias(self) -> str:
        if self.network_alias is None:
            raise ValueError("The container is in no network of its own: call with_alias before start")
        return self.network_alias
