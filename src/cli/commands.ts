/** Table of commands: the source of dispatch, help and the reference page. */
import { flagOf } from "../app/settings/setting.ts";
import { settings } from "../app/settings/table.ts";
import { callbackCommands } from "./remote/callback-commands.ts";
import { faultCommands, quarantineCommands, usageCommands } from "./remote/operator-commands.ts";
import {
  bundleCommand,
  dataDir,
  duplicatesCommand,
  mcpCommand,
  openCommand,
  recordCommand,
  reportCommand,
  searchCommands,
} from "./remote/remote-commands.ts";
import { peopleCommands } from "./remote/people-commands.ts";
import { storageCommands } from "./storage/storage-commands.ts";
import { command, type Command, exitCodes, type Flags } from "./command.ts";

const apiKeyNote =
  "Uses the API of the service while it runs, with the key in `RESTANTE_API_KEY` or the generated one in the data folder; otherwise accesses the store directly.";
const browserFlag: Flags = {
  "browser WHICH": "Browser of previews: `auto` (default), `off`, or the absolute path of a Chromium",
};
const enginesNote =
  "Renders MJML, React Email, Handlebars, Liquid, Nunjucks, Mustache, EJS, Pug and HTML with the engines that the project has installed, and sample data from files beside the templates. [Templates](../guide/templates.md) describes names, data and `restante.config.json`.";

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
    load: async () => (await import("./remote/keys.ts")).createKeyCommand,
  }),
  command("keys list", {
    flags: { json: "Print a JSON array instead, with all members of the API", ...dataDir },
    summary: "List the API keys: id, server, creation, name, scope, expiry, last use, owner",
    details: [apiKeyNote],
    load: async () => (await import("./remote/keys.ts")).listKeysCommand,
  }),
  command("keys rotate", {
    operands: ["ID"],
    flags: {
      "grace SECONDS": "Time for which the current key stays valid. Default: a day",
      ...dataDir,
    },
    summary: "Rotate an API key and print the new one, once",
    details: [apiKeyNote],
    load: async () => (await import("./remote/keys.ts")).rotateKeyCommand,
  }),
  command("keys revoke", {
    operands: ["ID"],
    flags: dataDir,
    summary: "Revoke an API key",
    details: [apiKeyNote],
    load: async () => (await import("./remote/keys.ts")).revokeKeyCommand,
  }),
  command("verify", {
    operands: ["ADDRESS"],
    flags: dataDir,
    summary: "Mark an address as verified without sending a confirmation",
    details: [apiKeyNote, "`RESTANTE_VERIFIED` verifies whole domains."],
    load: async () => (await import("./remote/keys.ts")).verifyCommand,
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
  command("preview", {
    operands: ["FOLDER"],
    flags: {
      watch: "Render again, and update the page, when a file of the folder changes",
      "port PORT": "HTTP port of the web UI. Default: any free port",
      "no-open": "Print the link instead of opening a browser",
      ...browserFlag,
    },
    summary: "Show the e-mail templates of a folder in the web UI",
    details: [enginesNote, "Starts a service of its own, whose data ends with it."],
    load: async () => (await import("./templates/preview.ts")).preview,
  }),
  command("test", {
    operands: ["FOLDER"],
    flags: {
      update: "Write changed snapshots, and delete obsolete ones",
      "filter TEXT": "Only templates whose name contains the text",
      "junit FILE": "Write JUnit XML to a file too",
      "sarif FILE": "Write SARIF to a file too",
      ...browserFlag,
    },
    summary: "Test the e-mail templates of a folder: snapshots, screenshots, budgets, translations",
    details: [
      enginesNote,
      "Snapshots and screenshots are files in `__snapshots__` of the folder; missing ones are written, and fail when `CI` is set. On GitHub, failures are annotations of the change.",
      "Exit codes: 0 when all templates pass, 1 when one does not, 2 when the folder or its configuration cannot be read, or on a usage error.",
    ],
    failureCode: exitCodes.usage,
    load: async () => (await import("./templates/test-templates.ts")).testTemplates,
  }),
  duplicatesCommand,
  ...quarantineCommands,
  command("version", {
    summary: "Print the version",
    load: async () => (await import("./help.ts")).version,
  }),
  command("help", {
    summary: "Show the help of all commands, or of one: `restante help keys`",
    load: async () => (await import("./help.ts")).help,
  }),
];
