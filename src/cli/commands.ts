/** The table of commands: what the tool dispatches by, what help shows, and what the reference page repeats. */
import { flagOf } from "../app/settings/setting.ts";
import { settings } from "../app/settings/table.ts";
import { exitCodes, type Command, type Flag } from "./command.ts";

const dataDir: Flag = {
  name: "data-dir",
  value: "DIR",
  meaning: "Folder of the service that is meant; default `RESTANTE_DATA_DIR` or `./restante-data`",
};
const quiet: Flag = { name: "quiet", value: null, meaning: "Show no progress" };
const moveFormat: Flag = {
  name: "format",
  value: "NAME",
  meaning:
    "`ndjson`, `mbox` or `maildir`; unless given, `mbox` for names that end in `.mbox`, `maildir` for folders, else `ndjson`",
};
const apiKeyNote =
  "While the service runs, this goes over its API, with the key in `RESTANTE_API_KEY` or the generated one in the data folder; otherwise straight to its files.";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "serve",
    operands: [],
    flags: settings.map((setting) => ({
      name: flagOf(setting.env),
      value: "VALUE",
      meaning: `${setting.meaning} Default: ${setting.fallbackText}`,
    })),
    summary: "Run the service until SIGTERM or SIGINT",
    details: [
      "Every flag is also an environment variable: `--http-port` is `RESTANTE_HTTP_PORT`. A flag wins.",
      "The first signal stops gracefully: mail on its way in is still stored. A second one ends at once.",
    ],
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "env",
    operands: [],
    flags: [
      {
        name: "shell",
        value: "NAME",
        meaning: "Whose syntax to print: `sh` (default; also bash and zsh), `fish`, `powershell`",
      },
      { name: "json", value: null, meaning: "Print a JSON object instead" },
      { name: "https", value: null, meaning: "Give the base URL over TLS, for libraries that take no other (PHP)" },
      {
        name: "proxy",
        value: null,
        meaning:
          "Lead clients here that know no base URL or no port, by `HTTPS_PROXY`. Other HTTPS requests of the shell are then refused",
      },
      {
        name: "redirect",
        value: null,
        meaning: "Lead Node programs here, and their requests for `mailosaur.com` only, by `NODE_OPTIONS`",
      },
      { name: "server", value: "ID", meaning: "The server that tests use; it must exist. Default: the first" },
      dataDir,
    ],
    summary: "Print the variables with which a test run finds the running service",
    details: [
      'sh: `eval "$(restante env)"`; fish: `restante env --shell fish | source`; PowerShell: `restante env --shell powershell | Out-String | Invoke-Expression`.',
      "The key is the one in `RESTANTE_API_KEY`, or the generated one in the data folder. Besides the variables of the official libraries it sets `RESTANTE_API_KEY`, `RESTANTE_URL` and `RESTANTE_SERVER`.",
      "When `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` or `REQUESTS_CA_BUNDLE` name a file already, its certificates are kept: the variable then names a file that holds them and the local CA.",
      "On failure it prints commands that unset all of these variables, `RESTANTE_API_KEY` included, followed by `false`: `eval` fails too, and no test reaches a hosted service. The reason goes to standard error.",
    ],
    load: async () => (await import("./env.ts")).env,
  },
  {
    name: "ca path",
    operands: [],
    flags: [dataDir],
    summary: "Print the path of the local CA's certificate",
    details: [],
    load: async () => (await import("./ca-path.ts")).caPath,
  },
  {
    name: "ca install-help",
    operands: [],
    flags: [dataDir],
    summary: "Show how to make systems, browsers and tools trust the local CA",
    details: ["Changes nothing itself. `restante env` is enough for most test runs."],
    load: async () => (await import("./ca-install-help.ts")).caInstallHelp,
  },
  {
    name: "keys create",
    operands: [],
    flags: [
      { name: "name", value: "TEXT", meaning: "What to call the key" },
      { name: "server", value: "ID", meaning: "The only server that the key opens; without it, all" },
      { name: "scope", value: "full|read|send", meaning: "What the key may be used for; without it, everything" },
      { name: "expires", value: "TIME", meaning: "ISO 8601 instant from which on the key opens nothing" },
      { name: "requests-per-minute", value: "N", meaning: "Requests that a node answers within a minute" },
      {
        name: "networks",
        value: "LIST",
        meaning: "Addresses and networks that alone may use the key, comma-separated",
      },
      dataDir,
    ],
    summary: "Create an API key and print it, once",
    details: [apiKeyNote],
    load: async () => (await import("./keys-create.ts")).createKeyCommand,
  },
  {
    name: "keys list",
    operands: [],
    flags: [dataDir],
    summary: "List the API keys: id, server, creation, name, scope, expiry, last use",
    details: [apiKeyNote],
    load: async () => (await import("./keys-list.ts")).listKeysCommand,
  },
  {
    name: "keys rotate",
    operands: ["ID"],
    flags: [
      {
        name: "grace",
        value: "SECONDS",
        meaning: "How long the present key goes on opening; a day without it, 0: not at all",
      },
      dataDir,
    ],
    summary: "Give an API key a new secret and print it, once",
    details: [apiKeyNote],
    load: async () => (await import("./keys-rotate.ts")).rotateKeyCommand,
  },
  {
    name: "keys revoke",
    operands: ["ID"],
    flags: [dataDir],
    summary: "Revoke an API key",
    details: [apiKeyNote],
    load: async () => (await import("./keys-revoke.ts")).revokeKeyCommand,
  },
  {
    name: "verify",
    operands: ["ADDRESS"],
    flags: [dataDir],
    summary: "Mark an address as verified without sending a confirmation",
    details: [apiKeyNote, "Whole domains are verified with `RESTANTE_VERIFIED`."],
    load: async () => (await import("./verify.ts")).verifyCommand,
  },
  {
    name: "backup",
    operands: ["FILE"],
    flags: [dataDir],
    summary: "Write everything that a data folder holds to a new file",
    details: [
      "Works while the service runs. The file holds the database, `api-key`, `secret-key` and the local CA: whoever reads it can open everything. `restante restore` puts it back. A service on PostgreSQL is backed up with the tools of PostgreSQL.",
    ],
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    operands: ["FILE"],
    flags: [dataDir],
    summary: "Make a data folder from a backup",
    details: [
      "The folder must be missing or empty: nothing is overwritten. Prints the folder and the files that were put back beside the database. Takes backups of earlier versions too, which hold the database alone: put their `secret-key` back yourself, or give it as `RESTANTE_SECRET_KEY`.",
    ],
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "check",
    operands: [],
    flags: [
      {
        name: "repair",
        value: null,
        meaning: "Make damaged messages again from their raw mail, and move what cannot be made again to `damaged`",
      },
      dataDir,
    ],
    summary: "Read everything that is stored and report damage",
    details: [
      "Reads the data folder, or the PostgreSQL that `RESTANTE_DATABASE_URL` names, while the service runs: pages, checksums, and the counts of servers. `--repair` needs a data folder whose service is stopped; back it up before. A message that can be read from its detail and raw mail becomes what it was; from the raw mail alone it lacks the sender of its envelope and its SMTP session. What is left of other messages is moved to the folder `damaged` in the data folder, and the messages are removed.",
      "Exit codes: 0 when nothing is damaged or all of it was repaired or moved, 1 when damage is left, 2 when the check failed.",
    ],
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "export",
    operands: ["DEST"],
    flags: [
      moveFormat,
      {
        name: "server",
        value: "ID",
        meaning: "Only this server; may be given several times. What belongs to the account is left out then",
        isList: true,
      },
      quiet,
      dataDir,
    ],
    summary: "Export everything, or some servers, to a file or folder",
    details: [
      "Reads the data folder, or the PostgreSQL that `RESTANTE_DATABASE_URL` names, while the service runs. `-` is standard output. After an interruption the same call goes on where it was; it never overwrites. What moves and what does not: [Move](../guide/move.md).",
      "`ndjson` holds everything: servers, keys, messages with their ids, numbers, devices. `mbox` and `maildir` hold the mail of one server, for mail programs.",
    ],
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "import",
    operands: ["SOURCE"],
    flags: [
      moveFormat,
      {
        name: "server",
        value: "ID",
        meaning:
          "ndjson: only this server of the file; may be given several times. mbox and maildir: the server that gets the mail",
        isList: true,
      },
      quiet,
      dataDir,
    ],
    summary: "Import an export or a mailbox into the store",
    details: [
      "Into the data folder, in which no service may run meanwhile, or into the PostgreSQL that `RESTANTE_DATABASE_URL` names, where nodes may go on. `-` is standard input. What is there already is left and counted, so that an import may be repeated; what is there with the same id and other content is refused.",
      "SMTP passwords of servers and secrets of devices and numbers stay sealed: the service needs the `RESTANTE_SECRET_KEY` of the one they come from. [Move](../guide/move.md) tells more.",
    ],
    load: async () => (await import("./import.ts")).importCommand,
  },
  {
    name: "migrate",
    operands: [],
    flags: [
      { name: "citus", value: null, meaning: "Divide the tables by server between the machines of a Citus cluster" },
      dataDir,
    ],
    summary: "Migrate the schema of the database to this version",
    details: [
      "Needs `RESTANTE_DATABASE_URL` and nothing else. Every node does the same when it starts, one at a time; call it before to have it done when you like. Nodes of the version before go on meanwhile. Also makes the extensions for the index of bodies, or says why it cannot, unless `RESTANTE_SEARCH_INDEX` is `off`.",
    ],
    load: async () => (await import("./migrate.ts")).migrate,
  },
  {
    name: "lint",
    operands: ["FILE"],
    flags: [
      { name: "format", value: "NAME", meaning: "`text` (unless given), `json`, `junit` or `sarif`" },
      {
        name: "fail-on",
        value: "SEVERITY",
        meaning: "From which severity on the exit code is 1: `error` (unless given), `warning`, `info` or `never`",
      },
      {
        name: "links",
        value: "HOW",
        meaning: "`syntax` (unless given), or `live` to ask every link whether it answers",
      },
      {
        name: "browser",
        value: "WHICH",
        meaning:
          "`off` (unless given), `auto`, or the path of a Chromium, in which axe-core looks at the mail as it is shown",
      },
    ],
    summary: "Lint an .eml file",
    details: [
      "Needs no service. `FILE` is a mail as it travels (`.eml`), `-` standard input. The rules: [Lint](lint.md).",
      "Exit codes: 0 when nothing as grave as `--fail-on` was found, 1 when something was, 2 when the file could not be linted or the call was not understood.",
    ],
    failureCode: exitCodes.usage,
    load: async () => (await import("./lint.ts")).lint,
  },
  {
    name: "version",
    operands: [],
    flags: [],
    summary: "Print the version",
    details: [],
    load: async () => (await import("./version.ts")).version,
  },
  {
    name: "help",
    operands: [],
    flags: [],
    summary: "Explain the commands, or one of them: `restante help keys`",
    details: [],
    load: async () => (await import("./help.ts")).help,
  },
];
