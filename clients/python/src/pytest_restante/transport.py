"""Requests to the API of the service."""

from __future__ import annotations

import http.client
import ipaddress
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping, Optional

from .errors import ConnectionFailedError, error_of_response

# Seconds beyond the wait of a request after which the client gives up.
_MARGIN_SECONDS = 30.0


class Transport:
    """Connection to a service: base URL and API key. It keeps no sockets and may be used by several threads."""

    def __init__(self, url: str, api_key: str) -> None:
        self.url = url.rstrip("/")
        self.api_key = api_key
        # A proxy from the environment is for other hosts; it cannot reach the loopback interface of this machine.
        handlers = [urllib.request.ProxyHandler({})] if _is_loopback(self.url) else []
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, path: str, query: Optional[Mapping[str, object]] = None) -> Any:
        """Returns the JSON of a GET request."""
        return json.loads(self.request("GET", path, query=query))

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        query: Optional[Mapping[str, object]] = None,
        wait_seconds: float = 0,
    ) -> Any:
        """Returns the JSON of a POST request that may take ``wait_seconds``."""
        content = self.request("POST", path, query=query, body=body, wait_seconds=wait_seconds)
        return json.loads(content) if content else None

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, object]] = None,
        wait_seconds: float = 0,
    ) -> bytes:
        """Returns the body of a response; raises ResponseError for other statuses than success."""
        call = f"{method} {path}"
        request = urllib.request.Request(self._address(path, query), method=method)
        request.add_header("Authorization", f"Bearer {self.api_key}")
        request.add_header("Accept", "*/*")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        try:
            with self._opener.open(request, timeout=wait_seconds + _MARGIN_SECONDS) as response:
                content: bytes = response.read()
                return content
        except urllib.error.HTTPError as error:
            with error:
                raise error_of_response(call, error.code, error.read()) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ConnectionFailedError(f"{call}: no response from {self.url}: {reason}") from error

    def _address(self, path: str, query: Optional[Mapping[str, object]]) -> str:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        return f"{self.url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_loopback(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
