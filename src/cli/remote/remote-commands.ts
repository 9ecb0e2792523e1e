/** Commands that use the API of the running service, about messages and searches, and what all such commands share. */
import type { Tagging } from "../../client/generated/types.ts";
import { suggestion } from "../../core/nearest-name.ts";
import { command, type Command, type CommandRow, exitCodes, type Flags, readJson, toJson } from "../command.ts";
import type { Run } from "./service-client.ts";

/** Flag that names the data folder. */
export const dataDir: Flags = {
  "data-dir DIR": "Data folder of the service. Default: `RESTANTE_DATA_DIR` or `./restante-data`",
};

/** Paragraph of commands that need a running service. */
const runningNote =
  "Uses the API of the running service: that of `RESTANTE_URL`, or that of the data folder; with the key in `RESTANTE_API_KEY`, or the generated one in the data folder.";

/** Flag that names the server. */
export const serverFlag: Flags = { "server ID": "Server. Default: `RESTANTE_SERVER`, or the first one" };

/** Row of a command. Its code is a module of its own, or a function for `printing`. */
type RemoteRow = Omit<CommandRow, "load"> & (Pick<CommandRow, "load"> | { readonly run: Run; readonly load?: never });

/** Returns a row of the table for a command that uses the API of the running service, about a server unless it has flags. */
export function remoteCommand(name: string, { details = [], ...row }: RemoteRow): Command {
  const load = "run" in row ? async () => (await import("./service-client.ts")).printing(row.run) : row.load;
  return command(name, { flags: { ...serverFlag, ...dataDir }, ...row, load, details: [runningNote, ...details] });
}

/** Returns a row of the table for a command that uses the API of the running service, about the account. */
export function accountCommand(name: string, { flags = {}, ...row }: RemoteRow): Command {
  return remoteCommand(name, { ...row, flags: { ...flags, ...dataDir } });
}

/** Command that opens the web UI. */
export const openCommand: Command = accountCommand("open", {
  summary: "Open the web UI in a browser, signed in",
  details: [
    "Prints a link that signs one browser in, once, where no browser can be started. `BROWSER` names the program that opens links; by default it is that of the desktop.",
  ],
  load: async () => (await import("./open.ts")).openCommandAction,
});

/** Command that saves bundles. */
export const bundleCommand: Command = remoteCommand("bundle", {
  flags: {
    "message ID": "Message. Default: the newest messages of the server",
    ...serverFlag,
    "since TIME": "Only messages of the server received after this instant, in ISO 8601",
    "out FILE": "New file. Default: `bundle-ID.zip` in the current folder",
    ...dataDir,
  },
  summary: "Save everything about a message as a ZIP archive",
  details: [
    "The archive contains the mail, the transcript of its SMTP session, deliveries, checks and a picture, to attach to a failing test. Prints the name of the file.",
  ],
  load: async () => (await import("./messages.ts")).bundle,
});

const recordFlag: Flags = {
  "record DIR": "Folder in which tests record their mail. Default: `RESTANTE_RECORD`, or `restante-record`",
};

/** Command that adds a test to the record of a run. */
export const recordCommand: Command = remoteCommand("record", {
  operands: ["FILE"],
  flags: { ...recordFlag, ...serverFlag, ...dataDir },
  summary: "Add a test with its mail to the record of a run, for `restante report`",
  details: [
    'For runners without fixtures, after each test. `FILE` contains `{"title": "…", "startedAt": "…", "addresses": ["…"], "waits": []}`, and may have `file` and `status` (`passed` or `failed`); `-` is standard input. A wait has `title`, `startedAt`, `durationMs` and, when it failed, `error`.',
  ],
  load: async () => (await import("./record.ts")).record,
});

/** Command that reports a test run. */
export const reportCommand: Command = command("report", {
  flags: {
    ...recordFlag,
    remove: "Delete the record when the report is written",
    "server ID": "Report the messages of this server of the running service, by recipient, instead of a record",
    "since TIME": "With `--server`: only messages received after this instant, in ISO 8601",
    "messages N": "With `--server`: newest messages, at most 1000. Default: 200",
    "out FILE": "File to write. Default: `restante-report.html`",
    ...dataDir,
  },
  summary: "Write a report of the mail of a test run: one HTML file without scripts",
  details: [
    "The report shows each test with its waits and time line, and each mail as picture or text with its checks. [Mail of a test run](../guide/run-report.md) describes how tests record their mail. A record is reported without a service.",
    `With \`--server\`: ${runningNote} A key for reading the server is enough. Checks and pictures are made for the report.`,
  ],
  load: async () => (await import("./report.ts")).report,
});

/** Command that finds duplicates. */
export const duplicatesCommand: Command = remoteCommand("duplicates", {
  flags: {
    ...serverFlag,
    "sent-to ADDRESS": "Only messages to this address or phone number",
    "subject TEXT": "Only messages with this text in the subject",
    "received-after TIME": "Only messages received after this instant, in ISO 8601",
    "messages N": "Newest messages to compare, at most 1000. Default: 500",
    "within MS": "Longest delay between two messages of a group. Default: any",
    json: "Print the response of the API as JSON",
    ...dataDir,
  },
  summary: "Find messages of a server that were sent more than once, and how they differ",
  details: [
    "Messages are the same when they went to the same recipient with the same content, apart from ids, tokens, codes, dates, times and tracking links.",
    "Exit codes: 0 without duplicates, 1 with duplicates, 2 when the messages could not be compared or on a usage error.",
  ],
  failureCode: exitCodes.usage,
  load: async () => (await import("./messages.ts")).duplicates,
});

const queryNote = "[Search](../guide/search.md) has the operators of `QUERY`.";

/** Commands for searches, tag rules and messages, in the order of the help. */
export const searchCommands: readonly Command[] = [
  remoteCommand("searches list", {
    summary: "List the saved searches of a server: name, query",
    run: async ({ client, server }) => (await client.servers.searches(server)).map(({ name, q }) => [name, q]),
  }),
  remoteCommand("searches save", {
    operands: ["NAME", "QUERY"],
    summary: "Save a search under a name, or replace the one with this name",
    details: [queryNote],
    run: async ({ client, server }, { operands: [name = "", q = ""] }) => {
      await client.servers.saveSearch(server, { name, q });
    },
  }),
  remoteCommand("searches remove", {
    operands: ["NAME"],
    summary: "Delete a saved search",
    run: async ({ client, server }, { operands: [name = ""] }) => client.servers.deleteSearch(server, name),
  }),
  remoteCommand("tag-rules show", {
    summary: "Print the settings of a server for tags of messages that arrive, as JSON",
    run: async ({ client, server }) => toJson(await client.marks.rules(server)),
  }),
  remoteCommand("tag-rules set", {
    operands: ["FILE"],
    summary: "Replace the settings of a server for tags by those of a JSON file",
    details: [
      '`FILE` contains `{"plusAddresses": true, "rules": [{"q": "…", "tags": ["…"]}]}`, as `restante tag-rules show` prints it; `-` is standard input. Members that are left out are switched off.',
    ],
    run: async ({ client, server }, { operands: [file = ""] }) =>
      toJson(await client.marks.putRules(server, readTagging(file))),
  }),
  remoteCommand("messages delete", {
    operands: ["QUERY"],
    flags: { ...serverFlag, "dir NAME": "`Received` (default) or `Sent` messages", ...dataDir },
    summary: "Delete the messages of a server that match a query, and print their number",
    details: [queryNote],
    run: async ({ client, server }, { flags, operands: [q = ""] }) => {
      // The service validates it.
      const dir = (flags.get("dir") ?? "Received") as "Received";
      return [[String(await client.messages.deleteMatching(server, q, { dir }))]];
    },
  }),
  accountCommand("messages release", {
    operands: ["ID", "ADDRESS"],
    summary: "Send a mail as it was received to a verified address, and print the id of the sent message",
    details: ["Several addresses are separated by commas. They are verified by `restante verify`."],
    run: async ({ client }, { operands: [id = "", addresses = ""] }) => {
      const to = addresses.split(",").map((address) => address.trim());
      return [[(await client.messages.release(id, to)).id]];
    },
  }),
];

/** Reads settings; throws for members that the service would ignore, because it replaces the settings by the others. */
function readTagging(file: string): Tagging {
  const settings = readJson(file);
  const known: readonly (keyof Tagging)[] = ["plusAddresses", "rules"];
  const isKnown = (name: string): boolean => known.some((one) => one === name);
  const unknown = Object.keys(Object(settings) as object).find((name) => !isKnown(name));
  if (unknown === undefined) return settings as Tagging;
  throw new Error(
    `${file}: unknown member ${JSON.stringify(unknown)}${suggestion(unknown, known)}; known are ${known.join(", ")}`,
  );
}

/** Serves tools to a coding assistant. */
export const mcpCommand: Command = command("mcp", {
  flags: {
    "server ID": "Server of tool calls that name none. Default: `RESTANTE_SERVER`, or the only one of the key",
    ...dataDir,
  },
  summary: "Serve tools to a coding assistant over standard input and output (Model Context Protocol)",
  details: [
    `${runningNote} The service is looked up for each call: it may be started later, and restarted.`,
    "Assistants start the command themselves: [Coding assistants](../guide/mcp.md) shows how to configure them, and [MCP](mcp.md) describes the tools.",
  ],
  load: async () => (await import("./mcp.ts")).mcpCommandAction,
});
