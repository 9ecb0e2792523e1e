/** The table of commands: what the tool dispatches by, what help shows, and what the reference page repeats. */
import { flagOf } from "../app/setting.ts";
import { settings } from "../app/settings.ts";
import type { Command, Flag } from "./command.ts";

const dataDir: Flag = {
  name: "data-dir",
  value: "DIR",
  meaning: "Folder of the service that is meant; default `RESTANTE_DATA_DIR` or `./restante-data`",
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
    name: "keys create",
    operands: [],
    flags: [
      { name: "name", value: "TEXT", meaning: "What to call the key" },
      { name: "server", value: "ID", meaning: "The only server that the key opens; without it, all" },
      dataDir,
    ],
    summary: "Make an API key and print it, once",
    details: [apiKeyNote],
    load: async () => (await import("./keys-create.ts")).createKeyCommand,
  },
  {
    name: "keys list",
    operands: [],
    flags: [dataDir],
    summary: "List the API keys: id, server, time of making, name",
    details: [apiKeyNote],
    load: async () => (await import("./keys-list.ts")).listKeysCommand,
  },
  {
    name: "keys revoke",
    operands: ["ID"],
    flags: [dataDir],
    summary: "End an API key at once, by its id",
    details: [apiKeyNote],
    load: async () => (await import("./keys-revoke.ts")).revokeKeyCommand,
  },
  {
    name: "verify",
    operands: ["ADDRESS"],
    flags: [dataDir],
    summary: "Let mail go to an address without asking its owner",
    details: [apiKeyNote, "Whole domains are verified with `RESTANTE_VERIFIED`."],
    load: async () => (await import("./verify.ts")).verifyCommand,
  },
  {
    name: "backup",
    operands: ["FILE"],
    flags: [dataDir],
    summary: "Write a consistent copy of the database to a new file",
    details: [
      "Works while the service runs. To restore, stop the service, put the copy in the place of `restante.db` in the data folder (removing `restante.db-wal` and `restante.db-shm`), and start again.",
    ],
    load: async () => (await import("./backup.ts")).backup,
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
