"""Reasons for which the service may reject what its document allows: facts that JSON Schema cannot state.

Schemathesis finds a rejection of valid data to be a failure. It is none when all errors of the response are among these.
"""

import re

import schemathesis

# Field and description of errors (regular expressions), with the reason.
REASONS = [
    # State of the service: what is verified, allowed or installed is up to its owner.
    (r"to|cc|to\[\d+\]", "Mail may only go to verified addresses|A mail that is sent needs a recipient"),
    (r"token", "Must be the token that was mailed"),
    (r"url|webhook|account\.apiUrl", "The operator has not allowed calls to|Link-local and metadata addresses are never"),
    (r"emailClients|previews", "Previews (need|require)"),
    # The part before the @ has at most 64 characters, and no expression counts all of its atoms.
    (r"to|cc|from|address|to\[\d+\]|pattern|(items)?\[\d+\]\.match\.(sender|recipient)", "plain local part|Must be one address"),
    # Other things: names that a list of the service has, which a document would have to repeat for each.
    (r"from", "Must be an address of the server"),
    (r"pattern", "This server does not receive mail to"),
    (r"provider", "Must name a provider|The server has no event webhook|The message came through no provider"),
    (r"types?|events", "The provider has no event"),
    (r"recipient", "Must be a recipient of the message"),
    (r"route", "Must be the id of an inbound route"),
    (r"emailClients\[\d+\]|previews\[\d+\]\.emailClient", "No such email client"),
    (r"settings\..*", "Must be one of|There are no settings|Must match|Must not contain control"),
    (r"shape", "needs an inbound route"),
    # Time: an instant in the future or the past, and the days of a month.
    (r"expires|received|at|since|before", "Must be an ISO 8601|Must be a date-time|Must be in the years"),
    # Grammars: queries and zone files.
    (r"q|rules\[\d+\]\.q", ".*"),
    (r"zone", "Line \d+"),
    # Members and parameters that depend on each other.
    (r"criteria|steps\[\d+\]\.criteria", "Give at least one of"),
    (r"expect|count|absent|itemsPerPage|page|timeout|settle", "Only one of|With full messages|Pages reach|together|Requires|needs"),
    (r"delayMs", "Only the variant late has a delay"),
    (r"variants", "Give .* or .*, not both"),
    (r"shape|url", "Name a format|Give the URL of the application"),
    (r"type", "Name a type of event"),
    (r"account", "Another provider needs another account"),
    (r"timeZone", "Must be the name of a time zone"),
    (r"status", "Must be an enhanced status: 5.x.x for failed, 4.x.x for delayed"),
    (r"renders", "Requires the targets links"),
    (r"(items)?\[\d+\].*", "Has no effect at the stage|Is not known at the stage|Must have (exactly )?one of|Requires prob"),
    (r"(items)?\[\d+\].*", "With .* nothing is stored|Must begin with the first digit|Is the same member as|Must differ from the names"),
    # Bounds in UTF-16 units, which JSON Schema counts as characters.
]


def is_known(field: str, description: str) -> bool:
    return any(re.fullmatch(name, field) and re.search(text, description) for name, text in REASONS)


@schemathesis.hook
def filter_failure(context, failure, case, response) -> bool:
    """Returns whether a failure is one."""
    if failure.__class__.__name__ != "RejectedPositiveData" or response.status_code != 400:
        return True
    errors = response.json()["errors"]
    details = [(error["field"], detail["description"]) for error in errors for detail in error["detail"]]
    import os
    if os.environ.get("HOOKLOG"): open(os.environ["HOOKLOG"],"a").write(f"{case.operation.label} {details}\n")
    return not all(is_known(field, description) for field, description in details)
