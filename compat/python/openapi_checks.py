"""Schemathesis from PyPI, over every operation of the service's own OpenAPI document."""

import os
import subprocess
import sys

URL = os.environ["RESTANTE_URL"].rstrip("/")
KEY = os.environ["RESTANTE_API_KEY"]
SCHEMATHESIS = os.path.join(os.path.dirname(sys.executable), "schemathesis")

# Whether these operations accept a request depends on more than a schema says: on other members, on the message and how it
# arrived, on the relay, or on the grammar of a member. They may reject what their schema allows.
DEPENDENT = """createDevice computePassword createEmail awaitJourney autoreplyToMessage bounceMessage complainAboutMessage
emitEvents forwardMessage handInbound generateFormerPreviews generatePreviews releaseMessage addPhoneNumber updatePhoneNumber
createInboundRoute createWebhook receiveSms addVerifiedAddress putServiceFaults putFaults putDnsZone putTagRules""".split()

# These operations accept more than their schema says: dialects of the official libraries, which write null for an empty body
# and the number of a member of an enum.
LENIENT = """computePassword createKey createEmail handInbound replyToMessage unsubscribeMessage retryQuarantine replayDeliveries
createInboundRoute createWebhook rotateWebhookSecret putMarks updatePhoneNumber updateServer putTagRules""".split()

# Its response ends when the client disconnects.
ENDLESS = ["streamEvents"]


def run(phases: str, checks: list[str], excluded: list[str]) -> int:
    """Runs schemathesis over all operations except the excluded ones; returns its exit code."""
    without = [flag for name in excluded for flag in ("--exclude-operation-id", name)]
    options = ["--phases", phases, "--max-examples", "10", "--seed", "1", "--continue-on-failure", "--no-color", *checks]
    print(f"{phases}: {' '.join(checks)}, without {len(excluded)} operations", flush=True)
    command = [SCHEMATHESIS, "run", f"{URL}/openapi.json", "--header", f"Authorization: Bearer {KEY}", *options, *without]
    # It leaves a folder with its examples where it runs.
    return subprocess.run(command, cwd=sys.prefix, check=False).returncode


accepts, rejects = "positive_data_acceptance", "negative_data_rejection"
codes = [
    run("examples,coverage", ["--checks", "all", "--exclude-checks", f"{accepts},{rejects}"], []),
    run("fuzzing", ["--checks", "all", "--exclude-checks", f"{accepts},{rejects}"], ENDLESS),
    run("examples,coverage", ["--checks", accepts], DEPENDENT),
    run("examples,coverage", ["--checks", rejects], LENIENT),
]
sys.exit(max(codes))
