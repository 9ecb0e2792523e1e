import { suggestion } from "../core/nearest-name.ts";
import { type Action, type Command, exitCodes, UsageError } from "./command.ts";
import { commands } from "./commands.ts";

/** Example command line and its description. */
type Example = readonly [line: string, does: string];

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
  "keys create": [
    ['restante keys create --name "CI of checkout" --server abcd1234', "Create a key for one server:"],
    ['restante keys create --name "CI of payments" --team Payments', "Create a key of a team:"],
  ],
  "teams limits": [
    [
      "restante teams limits Payments --bytes-max 10737418240 --sms-per-day-max none",
      "Set a limit and remove another:",
    ],
  ],
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

/** Runs `restante help [command]`. */
export const help: Action = ({ argv, terminal }) => {
  terminal.out(helpText(argv.filter((word) => !word.startsWith("-"))));
  return Promise.resolve(exitCodes.done);
};

/** Runs `restante version`. */
export const version: Action = async ({ terminal }) => {
  const { readVersion } = await import("../app/version.ts");
  terminal.out(`${readVersion()}\n`);
  return exitCodes.done;
};

/** Returns the help of the commands whose names begin with these words; without words, the overview. Throws {@link UsageError}. */
export function helpText(words: readonly string[]): string {
  if (words.length === 0) return overview();
  const name = words.join(" ");
  const meant = commands.filter((command) => `${command.name} `.startsWith(`${name} `));
  if (meant.length === 0) throw new UsageError(unknownCommand(name));
  return meant.map(describe).join("\n");
}

/** Returns the error message for an unknown command, with the most similar name. */
export function unknownCommand(name: string): string {
  const names = commands.map((command) => command.name);
  return `there is no command "${name}"${suggestion(name, names)} (see restante help)`;
}

function overview(): string {
  const width = Math.max(...commands.map((command) => usage(command).length)) + 2;
  const rows = commands.map((command) => `  ${usage(command).padEnd(width)}${command.summary}\n`);
  return `restante: a message store for testing e-mail and SMS.

Usage: restante COMMAND [flags]

${rows.join("")}
Run restante help COMMAND for details.

Examples:
  restante serve                         # run the service
  eval "$(restante env)" && npm test     # run tests against it
  restante lint build/welcome.eml        # lint a mail
`;
}

function describe(command: Command): string {
  const paragraphs = command.details.map((paragraph) => `\n${wrap(paragraph, "")}\n`);
  const flags = command.flags.map((flag) => {
    return `\n  --${flag.name}${flag.value === null ? "" : ` ${flag.value}`}\n${wrap(flag.meaning, "      ")}\n`;
  });
  const parts = [...paragraphs, ...flags, ...examplesOf(command)];
  return `restante ${usage(command)}\n${wrap(`${command.summary}.`, "")}\n${parts.join("")}`;
}

function examplesOf({ name }: Command): readonly string[] {
  const lines = (examples[name] ?? []).map(([line, does]) => `\n${wrap(does, "  ")}\n    ${line}\n`);
  return lines.length === 0 ? [] : ["\nExamples:\n", ...lines];
}

function usage(command: Command): string {
  return [command.name, ...command.operands, ...(command.flags.length > 0 ? ["[flags]"] : [])].join(" ");
}

/** Removes Markdown, which the tables contain for the reference pages. */
function plain(text: string): string {
  return text.replaceAll("`", "").replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1");
}

const columns = 96;

function wrap(text: string, indent: string): string {
  const lines = [""];
  for (const word of plain(text).split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && indent.length + last.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.map((line) => indent + line).join("\n");
}
