"""Schemathesis from PyPI, over every operation of the service's own OpenAPI document, with all of its checks."""

import json
import os
import smtplib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

URL = os.environ["RESTANTE_URL"].rstrip("/")
KEY = os.environ["RESTANTE_API_KEY"]
SCHEMATHESIS = os.path.join(os.path.dirname(sys.executable), "schemathesis")
HOOKS = Path(__file__).with_name("openapi_hooks.py")
APPLICATION = "http://127.0.0.1:9/hook"

MAIL = """From: app@{domain}\r\nTo: anna@{domain}\r\nSubject: Hello\r\nMIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYour code is 804219
--b\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\na\r\n--b--\r\n"""


def call(method: str, path: str, body: object = None) -> dict:
    """Returns the JSON response of the service."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    with urlopen(Request(f"{URL}{path}", data, headers, method=method)) as response:
        return json.loads(response.read() or "null")


class Things:
    """A server of its own for one operation, with the things that its parameters name, so that they exist."""

    def __init__(self, name: str) -> None:
        self.server = call("POST", "/api/servers", {"name": name})["id"]
        self.below = f"/api/servers/{self.server}"
        self.message = self.receive(f"{self.server}.restante.test")

    def receive(self, domain: str) -> dict:
        """Returns a mail that came over SMTP, and so can be replied to."""
        with smtplib.SMTP(os.environ["RESTANTE_SMTP_HOST"], int(os.environ["MAILOSAUR_SMTP_PORT"])) as smtp:
            smtp.sendmail(f"app@{domain}", f"anna@{domain}", MAIL.format(domain=domain))
        summary = call("GET", f"/api/messages?server={self.server}")[0]
        return call("GET", f"/api/messages/{summary['id']}")

    def put(self, path: str, body: dict) -> None:
        call("PUT", f"{self.below}/{path}", body)

    def of(self, name: str, path: str) -> str:
        """Returns the value of a parameter of a path."""
        if name == "server":
            return self.server
        if name == "webhook":
            return call("POST", f"{self.below}/webhooks", {"url": APPLICATION})["id"]
        if name == "delivery":
            return call("POST", f"{self.below}/webhooks/{self.of('webhook', path)}/ping")["id"]
        if name == "provider":
            self.put("event-webhooks/sendgrid", {"url": APPLICATION})
            return "sendgrid"
        if name == "route":
            route = {"pattern": f"*@{self.server}.example", "shape": "raw", "url": APPLICATION}
            return call("POST", f"{self.below}/inbound-routes", route)["id"]
        if name == "name":
            self.put("searches/codes", {"q": "code"})
            return "codes"
        if path.endswith("/events"):
            self.put("event-webhooks/sendgrid", {"url": APPLICATION})
            return self.submit()
        return self.id_of(path.split("{id}")[0])

    def submit(self) -> str:
        """Returns the id of a mail that came through the API of a provider, which has events about it."""
        domain = f"{self.server}.restante.test"
        mail = {
            "personalizations": [{"to": [{"email": f"anna@{domain}"}]}],
            "from": {"email": f"app@{domain}"},
            "subject": "Hello",
            "content": [{"type": "text/plain", "value": "Your code is 804219"}],
        }
        call("POST", "/providers/sendgrid/v3/mail/send", mail)
        return call("GET", f"/api/messages?server={self.server}")[0]["id"]

    def id_of(self, start: str) -> str:
        """Returns the id of a new thing in the collection with this path."""
        digits = "".join(str(ord(letter) % 10) for letter in self.server)
        bodies = {
            "/api/devices/": {"name": "phone", "sharedSecret": "ONSWG4TFOQYTEMY="},
            "/api/keys/": {"name": "other", "server": self.server},
            "/api/verified-addresses/": {"address": f"{self.server}@owner.example"},
            "/api/phone-numbers/": {"number": f"+1{digits}", "server": self.server},
        }
        if start in bodies:
            return call("POST", start, bodies[start])["id"]
        if start == "/api/servers/":
            self.put("scanner", {"profile": "safelinks"})
            self.put("dns", {"zone": "app.example. 300 IN A 192.0.2.1"})
            self.put("event-webhooks/sendgrid", {"url": APPLICATION})
            return self.server
        return self.message["attachments"][0]["id"] if "attachments" in start else self.message["id"]


def configuration(name: str, is_selected: Callable[[str], bool]) -> Path:
    """Writes a configuration of schemathesis: the hooks, and things for the parameters of the selected operations."""
    lines = [f"hooks = {json.dumps(str(HOOKS))}", "max-stream-events = 1"]
    for path, methods in call("GET", "/openapi.json")["paths"].items():
        for operation in methods.values():
            given = [one for one in operation.get("parameters", []) if one["in"] == "path" or one["name"] == "server"]
            operation_id = operation["operationId"]
            if not given or not is_selected(operation_id):
                continue
            things = Things(operation_id)
            values = [f'"{one["in"]}.{one["name"]}" = {json.dumps(things.of(one["name"], path))}' for one in given]
            lines.append(f'[[operations]]\ninclude-operation-id = "{operation_id}"\nparameters = {{ {", ".join(values)} }}')
    file = Path(sys.prefix) / name
    file.write_text("\n".join(lines))
    return file


def run(config: Path, phases: str, *options: str) -> int:
    """Runs phases with all checks; returns the exit code."""
    print(f"{phases}: {' '.join(options)}", flush=True)
    command = [SCHEMATHESIS, "--config-file", str(config), "run", f"{URL}/openapi.json"]
    flags = ["--header", f"Authorization: Bearer {KEY}", "--checks", "all", "--seed", "1"]
    # Searches and journeys wait for up to a minute.
    flags += ["--request-timeout", "90", "--max-response-time", "90"]
    command += [*flags, "--continue-on-failure", "--no-color", "--phases", phases, *options]
    # It leaves a folder with its examples where it runs.
    return subprocess.run(command, cwd=config.parent, check=False).returncode


if __name__ == "__main__":
    with_things = configuration("things.toml", lambda _: True)
    # Links find the things; but the key of this program stays.
    with_links = configuration("links.toml", lambda name: name in ("rotateKey", "revokeKey"))
    sys.exit(
        max(
            run(with_things, "examples,coverage"),
            run(with_things, "fuzzing", "--max-examples", "10"),
            run(with_links, "stateful", "--max-examples", "50"),
        )
    )
