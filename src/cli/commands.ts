/** Table of commands: the source of dispatch, help and the reference page. */
import { flagOf } from "../app/settings/setting.ts";
import { settings } from "../app/settings/table.ts";
import { callbackCommands } from "./remote/callback-commands.ts";
import {
  bundleCommand,
  dataDir,
  duplicatesCommand,
  faultCommands,
  mcpCommand,
  openCommand,
  quarantineCommands,
  recordCommand,
  reportCommand,
  searchCommands,
  usageCommands,
} from "./remote/remote-commands.ts";
import { peopleCommands } from "./remote/people-commands.ts";
import { previewCommand, testCommand } from "./templates/template-commands.ts";
import { storageCommands } from "./storage/storage-commands.ts";
import { command, type Command, exitCodes, type Flags } from "./command.ts";

const quiet: Flags = { quiet: "Show no progress" };
const transferFormat: Flags = {
  "format NAME":
    "`ndjson`, `mbox` or `maildir`; for an import also `eml` (a file, or a folder of files) or `zip` (an archive of them). Default: that of the names `.mbox`, `.eml` and `.zip`, `maildir` for folders (`eml` for those without a folder `cur`), else `ndjson`",
};
const apiKeyNote =
  "Uses the API of the service while it runs, with the key in `RESTANTE_API_KEY` or the generated one in the data folder; otherwise accesses the store directly.";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  command("serve", {
    flags: Object.fromEntries(
      settings.map(({ env, meaning, fallbackText }) => [`${flagOf(env)} VALUE`, `${meaning} Default: ${fallbackText}`]),
    ),
    summary: "Run the service until SIGTERM or SIGINT",
    details: [
      "Every flag is also an environment variable: `--http-port` is `RESTANTE_HTTP_PORT`. Flags take precedence.",
      "The first signal stops the service gracefully: mail that is being received is stored. A second signal exits at once.",
    ],
    load: async () => (await import("./service/serve.ts")).serve,
  }),
  command("healthcheck", {
    flags: dataDir,
    summary: "Exit with 0 if the service on this machine is ready",
    details: [
      "For health checks of containers without a shell. Requests `/readyz` from the running service of the data folder, or at the address of the settings, over HTTP or HTTPS; with both off, it reads the greeting of the SMTP listener. Requires no key.",
      "Exit codes: 0 when the service is ready, 1 when it is not ready or does not respond within 4 seconds; the reason goes to standard error.",
    ],
    load: async () => (await import("./service/healthcheck.ts")).healthcheck,
  }),
  openCommand,
  command("env", {
    flags: {
      "shell NAME": "Syntax of the output: `sh` (default; also bash and zsh), `fish`, `powershell`",
      json: "Print a JSON object instead",
      https: "Use HTTPS in the base URL, for libraries that accept no other (PHP)",
      proxy:
        "Set `HTTPS_PROXY`, for clients without a setting for the base URL or port. Other HTTPS requests of the shell are then rejected",
      redirect: "Set `NODE_OPTIONS` so that requests of Node programs to `mailosaur.com` go to this service",
      providers:
        "With `--redirect` or `--proxy`: requests to the APIs of providers go to this service too. `--proxy` reaches those of `RESTANTE_INTERCEPT`",
      "server ID": "Server for the tests; it must exist. Default: the first one",
      ...dataDir,
    },
    summary: "Print environment variables for test runs against the running service",
    details: [
      'sh: `eval "$(restante env)"`; fish: `restante env --shell fish | source`; PowerShell: `restante env --shell powershell | Out-String | Invoke-Expression`.',
      "The key is the one in `RESTANTE_API_KEY`, or the generated one in the data folder. Besides the variables of the official libraries it sets `RESTANTE_API_KEY`, `RESTANTE_URL` and `RESTANTE_SERVER`.",
      "When `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` or `REQUESTS_CA_BUNDLE` already names a file, the new file contains its certificates and the local CA.",
      "On failure it prints commands that unset all of these variables, `RESTANTE_API_KEY` included, followed by `false`: `eval` fails too, and no test reaches a hosted service. The reason goes to standard error.",
    ],
    load: async () => (await import("./environment/env.ts")).env,
  }),
  command("ca path", {
    flags: dataDir,
    summary: "Print the path of the local CA's certificate",
    load: async () => (await import("./environment/ca.ts")).caPath,
  }),
  command("ca install-help", {
    flags: dataDir,
    summary: "Show how to make systems, browsers and tools trust the local CA",
    details: ["Prints instructions only. For most test runs, `restante env` is enough."],
    load: async () => (await import("./environment/ca.ts")).caInstallHelp,
  }),
  command("check-domain", {
    operands: ["DOMAIN"],
    flags: {
      "mx HOST": "Host name of this service. Default: `RESTANTE_MX`, else `mx.` before the domain",
      "zone FILE": "Zone file to check instead of DNS, before it is published; hosts are not connected to",
      json: "Print a JSON array instead",
      ...dataDir,
    },
    summary: "Check the DNS records and hosts that mail to a domain needs, and print what to add",
    details: [
      "Checks the address and MX records of the mail host, SPF, DMARC, MTA-STS, TLS-RPT and the reverse record, and connects to port 25 and to the host of the MTA-STS policy to verify their certificates. Run it with the settings of the service; `RESTANTE_DNS` names the resolver.",
      "Each line begins with `ok`, `fix`, `note` or `unknown` (DNS did not answer). Exit codes: 0 when there is nothing to fix, else 1.",
    ],
    load: async () => (await import("./environment/check-domain.ts")).checkDomainCommand,
  }),
  command("keys create", {
    flags: {
      "name TEXT": "Name of the key",
      "server ID": "Server that the key is restricted to. Default: all servers",
      "team TEAM": "Team that owns the key, by id or name. Default: the account, or the user of `RESTANTE_API_KEY`",
      "user USER": "User that owns the key, by id, email address or user name. Default: as above",
      "scope full|read|send|scim": "Scope of the key. Default: `full`",
      "expires TIME": "Expiry, in ISO 8601",
      "requests-per-minute N": "Rate limit per node",
      "networks LIST": "Addresses and networks that may use the key, comma-separated. Default: all",
      ...dataDir,
    },
    summary: "Create an API key and print it, once",
    details: [
      apiKeyNote,
      "A key of a user or of a team has at most their access, and is removed with them: [A whole company](../guide/company.md#keys).",
    ],
    load: async () => (await import("./administration/keys.ts")).createKeyCommand,
  }),
  command("keys list", {
    flags: { json: "Print a JSON array instead, with all members of the API", ...dataDir },
    summary: "List the API keys: id, server, creation, name, scope, expiry, last use, owner",
    details: [apiKeyNote],
    load: async () => (await import("./administration/keys.ts")).listKeysCommand,
  }),
  command("keys rotate", {
    operands: ["ID"],
    flags: {
      "grace SECONDS": "Time for which the current key stays valid. Default: a day",
      ...dataDir,
    },
    summary: "Rotate an API key and print the new one, once",
    details: [apiKeyNote],
    load: async () => (await import("./administration/keys.ts")).rotateKeyCommand,
  }),
  command("keys revoke", {
    operands: ["ID"],
    flags: dataDir,
    summary: "Revoke an API key",
    details: [apiKeyNote],
    load: async () => (await import("./administration/keys.ts")).revokeKeyCommand,
  }),
  command("verify", {
    operands: ["ADDRESS"],
    flags: dataDir,
    summary: "Mark an address as verified without sending a confirmation",
    details: [apiKeyNote, "`RESTANTE_VERIFIED` verifies whole domains."],
    load: async () => (await import("./administration/keys.ts")).verifyCommand,
  }),
  ...peopleCommands,
  ...callbackCommands,
  bundleCommand,
  recordCommand,
  reportCommand,
  ...faultCommands,
  ...searchCommands,
  ...usageCommands,
  mcpCommand,
  ...storageCommands,
  command("export", {
    operands: ["DEST"],
    flags: {
      ...transferFormat,
      "server ID...": "Export only this server, without the data of the account; may be repeated",
      ...quiet,
      ...dataDir,
    },
    summary: "Export everything, or some servers, to a file or folder",
    details: [
      "Reads the data folder, or the PostgreSQL database of `RESTANTE_DATABASE_URL`, while the service runs. `-` is standard output. After an interruption, the same command resumes the export; it never overwrites. [Move](../guide/move.md) lists what an export contains.",
      "`ndjson` contains everything: servers, keys, messages with their ids, phone numbers, devices. `mbox` and `maildir` contain the mail of one server, for email clients.",
    ],
    load: async () => (await import("./storage/export.ts")).exportCommand,
  }),
  command("import", {
    operands: ["SOURCE"],
    flags: {
      ...transferFormat,
      "server ID...": "ndjson: import only this server; may be repeated. all others: the server for the mail",
      "ignore-quotas": "Store also what exceeds the storage quotas of servers and teams",
      ...quiet,
      ...dataDir,
    },
    summary: "Import an export or a mailbox into the store",
    details: [
      "Writes to the data folder, whose service must be stopped, or to the PostgreSQL database of `RESTANTE_DATABASE_URL`, whose nodes may run. `-` is standard input. Existing messages are skipped and counted, so that an import may be repeated; a message with the same id and other content is an error.",
      "The storage quotas of servers and teams hold: the first message that exceeds one is an error that names it, and the messages before are stored. Daily and hourly limits do not apply, because imported messages keep the instants of their arrival.",
      "API keys, SMTP passwords of servers, and secrets of devices and phone numbers need the `RESTANTE_SECRET_KEY` of the original service. With another one, servers get new SMTP passwords, which the summary lists, and the rest is counted as unusable. See [Move](../guide/move.md).",
    ],
    load: async () => (await import("./storage/import.ts")).importCommand,
  }),
  command("migrate", {
    flags: { citus: "Distribute the tables by server over a Citus cluster", ...dataDir },
    summary: "Migrate the schema of the database to this version",
    details: [
      "Requires only `RESTANTE_DATABASE_URL`. Nodes migrate the schema at start, one at a time; run the command before to choose the moment. Nodes of the previous version keep running, unless the upgrade notes of the changelog ask to stop them.",
    ],
    load: async () => (await import("./service/migrate.ts")).migrate,
  }),
  command("lint", {
    operands: ["FILE"],
    flags: {
      "format NAME": "`text` (default), `json`, `junit` or `sarif`",
      "fail-on SEVERITY": "Lowest severity that makes the exit code 1: `error` (default), `warning`, `info` or `never`",
      "profile NAME": "Also judge the requirements of receivers: `bulk-sender` those of Gmail and Yahoo",
      "links HOW": "`syntax` (default), or `live` to send a request to every link",
      "browser WHICH": "Browser for axe-core: `off` (default), `auto`, or the path of a Chromium",
    },
    summary: "Lint an .eml file",
    details: [
      "Requires no service. `FILE` is a raw mail (`.eml`), `-` standard input. [Lint](lint.md) describes the rules.",
      "Exit codes: 0 without findings of `--fail-on` or above, 1 with such findings, 2 when the file could not be linted or on a usage error. With `--profile`, the verdict of the profile decides, and `--fail-on` only where it is given.",
    ],
    failureCode: exitCodes.usage,
    load: async () => (await import("./lint/lint.ts")).lint,
  }),
  previewCommand,
  testCommand,
  duplicatesCommand,
  ...quarantineCommands,
  command("version", {
    summary: "Print the version",
    load: async () => (await import("./version.ts")).version,
  }),
  command("help", {
    summary: "Show the help of all commands, or of one: `restante help keys`",
    load: async () => (await import("./help.ts")).help,
  }),
];
