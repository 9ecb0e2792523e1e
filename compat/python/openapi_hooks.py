"""Reasons for which the service may reject what its document allows: facts that JSON Schema cannot state.

Schemathesis calls it a failure when valid data is rejected. It is none when every error of the response is among these.
"""

import re

import schemathesis

# Field and description of errors, as regular expressions.
REASONS = [
    # State of the service: what is verified, allowed or installed.
    (r"to|cc|to\[\d+\]", "^Mail may only go to verified addresses"),
    (r"token", "^Must be the token that was mailed"),
    (r"url|webhook|account\.apiUrl", "^The operator has not allowed calls to |addresses are never called|never calls itself"),
    (r"emailClients|previews", "browser"),
    (r"id", "^The mail has no return path"),
    # Names that other operations list or give.
    (r"from", "^Must be an address of the server"),
    (r"pattern", "^This server does not receive mail to "),
    (r"provider", "^Must name a provider|^The server has no event webhook|^The message came through no provider"),
    (r"types?|events", "^The provider has no event "),
    (r"recipient", "^Must be a recipient of the message"),
    (r"route", "^Must be the id of an inbound route"),
    (r"emailClients\[\d+\]|previews\[\d+\]\.emailClient", "^No such email client"),
    (r"settings\..*", "^Must be one of |^There are no settings|^Must match |^Must not contain control characters"),
    (r"shape", "needs an inbound route"),
    (r"timeZone", "^Must be the name of a time zone"),
    # Instants that must be in the future or the past, and days that a month does not have.
    (r"expires|received|receivedAfter|at|since|before", "^Must be (an ISO 8601|a date-time|in the years) "),
    # Grammars of queries and of zone files.
    (r"q|rules\[\d+\]\.q|rules", "term|parentheses|: takes |^Must not have after: or before:"),
    (r"zone", "^Line \d+: "),
    # The part before the @ of an address has at most 64 characters: no expression counts those of all atoms together.
    (r"to|cc|from|address|pattern|to\[\d+\]", "local part|such as support@app.example"),
    (r"(items)?\[\d+\]\.match\.(sender|recipient)", "^Must be one address"),
    # Members and parameters that depend on each other.
    (r"to", "^A mail that is sent needs a recipient"),
    (r"name", "^Devices need a name"),
    (r"criteria|steps\[\d+\]\.criteria", "^Give at least one of "),
    (r"steps(\[\d+\](\.(count|quiet))?)?", "together|^Give at least one criterion|, or quiet instead|^Either count or quiet|^In any order"),
    (r"count|absent|expect|settle|timeout|page|itemsPerPage", "^Only one of |from 1 to itemsPerPage|^With full |together|^Pages reach |equires|needs"),
    (r"delayMs", "^Only the variant late has a delay"),
    (r"variants", "^Give .* or .*, not both"),
    (r"route|shape|url|type", "^Give a route, or shape|^Name a format|^Give the URL of|^Name a type of event"),
    (r"account", "^Another provider needs another account"),
    (r"status", "^Must be an enhanced status: 5"),
    (r"renders", "^Requires the targets links"),
    (r"(items)?\[\d+\]\..*", "at the stage|^Must have (exactly )?one of |^Requires probability|^With .* nothing is stored"),
    (r"(items)?\[\d+\]\..*", "^Must begin with the first digit|^Must differ from the names|^Is the same member as "),
]


def is_reason(field: str, description: str) -> bool:
    return any(re.fullmatch(name, field) and re.search(text, description) for name, text in REASONS)


def is_explained(status: int, error: dict) -> bool:
    """Returns whether a response has no other errors than those that JSON Schema cannot state."""
    if status == 400:
        details = [(one["field"], detail["description"]) for one in error["errors"] for detail in one["detail"]]
        return all(is_reason(field, description) for field, description in details)
    # Bodies have limits in bytes; a mail that was never scanned has no scan; changes are stored from some point to another.
    states = {404: "Scan not found", 410: "The changes after that point are no longer stored"}
    return status == 413 or error["message"].startswith(states.get(status, "\n"))


@schemathesis.hook
def filter_failure(context, failure, case, response) -> bool:
    """Returns whether a failure is one."""
    if failure.code not in ("ST202", "ST302"):
        return True
    return not is_explained(response.status_code, response.json())
