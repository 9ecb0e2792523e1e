/** A command line to copy, and what it does. */
export type Example = readonly [line: string, does: string];

/** Examples by the name of their command, for the help and the reference page. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  serve: [
    [
      "restante serve --data-dir /var/lib/restante --http-port 8080",
      "Keep everything in a folder of its own, and the API on another port:",
    ],
    [
      "RESTANTE_SERVERS=ci000001:CI RESTANTE_API_KEY=a-key-of-your-choice restante serve",
      "Have a server and a key with known values, as CI jobs need them:",
    ],
  ],
  env: [
    [
      'eval "$(restante env --redirect)" && npx playwright test',
      "Run a Playwright suite that uses the official client:",
    ],
  ],
  "keys create": [['restante keys create --name "CI of checkout" --server abcd1234', "Create a key for one server:"]],
  verify: [["restante verify alice@corp.example", "Let replies and forwards go to a mailbox outside:"]],
  backup: [["restante backup /backups/monday.backup", "Back up while the service runs:"]],
  restore: [["restante restore /backups/monday.backup --data-dir ./restored", "Make a data folder from it:"]],
  lint: [
    ["restante lint build/welcome.eml --format junit > lint.xml", "Report to a CI system:"],
    ["cat mail.eml | restante lint - --fail-on warning", "Fail on warnings too:"],
  ],
};
