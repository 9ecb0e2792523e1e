"""Schemathesis from PyPI, over every operation of the service's own OpenAPI document, with things that exist."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

URL = os.environ["RESTANTE_URL"].rstrip("/")
KEY = os.environ["RESTANTE_API_KEY"]
SCHEMATHESIS = os.path.join(os.path.dirname(sys.executable), "schemathesis")


def call(method: str, path: str, body: object = None) -> dict:
    """Returns the JSON response of the service."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    with urlopen(Request(f"{URL}{path}", data, headers, method=method)) as response:
        return json.loads(response.read() or "null")


class Things:
    """A server of its own for each operation, with one thing of each kind, so that no operation changes those of another."""

    def __init__(self, name: str) -> None:
        self.server = call("POST", "/api/servers", {"name": name})["id"]
        self.count = 0

    def path_parameters(self, path: str) -> dict[str, str]:
        """Returns the parameters of a path, of things that are created for it."""
        below = f"/api/servers/{self.server}"
        url = "http://127.0.0.1:9/hook"
        inbound = {"pattern": f"*@{self.server}.example", "shape": "postmark", "url": url}
        makers = {
            "/api/devices/": lambda: call("POST", "/api/devices", {"name": "a", "sharedSecret": "ONSWG4TFOQYTEMY="})["id"],
            "/api/keys/": lambda: call("POST", "/api/keys", {"name": "a", "server": self.server})["id"],
            "/api/files/attachments/": lambda: self.message()["attachments"][0]["id"],
            "/api/verified-addresses/": lambda: self.address()["id"],
            "/api/phone-numbers/": lambda: self.number()["id"],
            "/api/servers/": lambda: self.server,
        }
        maker = next((make for start, make in makers.items() if path.startswith(start)), lambda: self.message()["id"])
        parameters = {"id": maker}
        if "{webhook}" in path or "{delivery}" in path:
            parameters["webhook"] = lambda: call("POST", f"{below}/webhooks", {"url": url})["id"]
        if "{provider}" in path:
            call("PUT", f"{below}/event-webhooks/sendgrid", {"url": url})
            parameters["provider"] = lambda: "sendgrid"
        if "{route}" in path:
            parameters["route"] = lambda: call("POST", f"{below}/inbound-routes", inbound)["id"]
        if "{name}" in path:
            call("PUT", f"{below}/searches/codes", {"q": "code"})
            parameters["name"] = lambda: "codes"
        found = {name: make() for name, make in parameters.items()}
        if "{delivery}" in path:
            found["delivery"] = call("POST", f"{below}/webhooks/{found['webhook']}/ping")["id"]
        return {name: value for name, value in found.items() if f"{{{name}}}" in path}

    def message(self) -> dict:
        attachment = {"fileName": "a.txt", "contentType": "text/plain", "content": "YQ=="}
        fields = {"subject": "Hello", "html": "<p>Your code is 804219</p>", "attachments": [attachment]}
        return call("POST", f"/api/messages?server={self.server}", fields)

    def address(self) -> dict:
        return call("POST", "/api/verified-addresses", {"address": f"{self.server}@corp.example"})

    def number(self) -> dict:
        digits = "".join(str(ord(letter) % 10) for letter in self.server)
        return call("POST", "/api/phone-numbers", {"number": f"+1{digits}", "server": self.server})


def configuration() -> str:
    """Returns the configuration of schemathesis with things for the parameters of each operation."""
    lines = []
    for path, methods in call("GET", "/openapi.json")["paths"].items():
        for method, operation in methods.items():
            if "/api/" not in path:
                continue
            name = operation["operationId"]
            things = Things(name)
            values = {f"path.{one}": value for one, value in things.path_parameters(path).items()} if "{" in path else {}
            if any(one["name"] == "server" for one in operation.get("parameters", [])):
                things.message()
                values["query.server"] = things.server
            if values:
                pairs = ", ".join(f"{json.dumps(one)} = {json.dumps(value)}" for one, value in values.items())
                lines.append(f'[[operations]]\ninclude-operation-id = "{name}"\nparameters = {{ {pairs} }}\n')
    return "\n".join(lines)


def run(config: Path, phases: str, *options: str) -> int:
    """Runs all checks of schemathesis; returns its exit code."""
    print(f"{phases}: {' '.join(options)}", flush=True)
    command = [SCHEMATHESIS, "--config-file", str(config), "run", f"{URL}/openapi.json", "--header", f"Authorization: Bearer {KEY}"]
    flags = ["--phases", phases, "--seed", "1", "--checks", "all", "--continue-on-failure", "--no-color", *options]
    return subprocess.run([*command, *flags], cwd=config.parent, check=False).returncode


if __name__ == "__main__":
    config = Path(sys.prefix) / "schemathesis.toml"
    config.write_text(configuration())
    sys.exit(run(config, *sys.argv[1:]))
