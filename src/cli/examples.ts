/** Example command line and its description. */
export type Example = readonly [line: string, does: string];

/** Examples by name of the command, for the help and the reference page. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  serve: [
    ["restante serve --data-dir /var/lib/restante --http-port 8080", "Use another data folder and HTTP port:"],
    [
      "RESTANTE_SERVERS=ci000001:CI RESTANTE_API_KEY=a-key-of-your-choice restante serve",
      "Start with a known server id and API key, for a CI job:",
    ],
  ],
  env: [
    [
      'eval "$(restante env --redirect)" && npx playwright test',
      "Run a Playwright suite that uses the official client:",
    ],
  ],
  healthcheck: [["restante healthcheck || echo not ready", "Find out whether the service on this machine is ready:"]],
  mcp: [["claude mcp add restante -- npx restante mcp", "Add the tools to Claude Code:"]],
  "keys create": [['restante keys create --name "CI of checkout" --server abcd1234', "Create a key for one server:"]],
  verify: [["restante verify alice@corp.example", "Allow replies and forwards to an external mailbox:"]],
  backup: [["restante backup /backups/monday.backup", "Back up while the service runs:"]],
  restore: [["restante restore /backups/monday.backup --data-dir ./restored", "Create a data folder from a backup:"]],
  recover: [["restante recover ./data --data-dir ./recovered", "Copy what can be read of a damaged data folder:"]],
  duplicates: [
    ["restante duplicates --server abcd1234 --within 60000", "Fail when a mail was sent twice within a minute:"],
  ],
  lint: [
    ["restante lint build/welcome.eml --format junit > lint.xml", "Report to a CI system:"],
    ["cat mail.eml | restante lint - --fail-on warning", "Fail on warnings too:"],
    ["restante lint news.eml --profile bulk-sender", "Judge a newsletter by the requirements of Gmail and Yahoo:"],
  ],
};
