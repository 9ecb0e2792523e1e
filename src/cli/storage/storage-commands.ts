/** Rows of commands about the store: data folders and databases as a whole, exports and imports. */
import { command, type Command, type Flags } from "../command.ts";
import { dataDir } from "../remote/remote-commands.ts";

const quiet: Flags = { quiet: "Show no progress" };
const transferFormat: Flags = {
  "format NAME":
    "`ndjson`, `mbox` or `maildir`; for an import also `eml` (a file, or a folder of files) or `zip` (an archive of them). Default: that of the names `.mbox`, `.eml` and `.zip`, `maildir` for folders (`eml` for those without a folder `cur`), else `ndjson`",
};

/** Commands about the store, in the order of the help. */
export const storageCommands: readonly Command[] = [
  command("backup", {
    operands: ["FILE"],
    flags: dataDir,
    summary: "Back up a data folder to a new file",
    details: [
      "Works while the service runs. The file contains the database, `api-key`, `secret-key` and the local CA: protect it like the data folder. Restore it with `restante restore`. Back up PostgreSQL with its own tools.",
    ],
    load: async () => (await import("./backup.ts")).backup,
  }),
  command("restore", {
    operands: ["FILE"],
    flags: dataDir,
    summary: "Restore a backup to a new data folder",
    details: [
      "The folder must be missing or empty: nothing is overwritten. Prints the folder and the restored files besides the database. Also accepts a plain copy of the database: restore their `secret-key` yourself, or set `RESTANTE_SECRET_KEY`.",
    ],
    load: async () => (await import("./backup.ts")).restore,
  }),
  command("drill", {
    flags: {
      "backup FILE":
        "Backup to restore, for PostgreSQL a dump of `pg_dump`. Default: a new one, which is removed afterwards",
      "sample N": "Number of newest messages whose contents are compared, at most 100000. Default: 1000",
      "scratch URL":
        "PostgreSQL: database on the server that gets the copy, whose user may create databases. Default: the server of `RESTANTE_DATABASE_URL`",
      "restored URL":
        "PostgreSQL: database that you restored yourself, by point-in-time recovery for example, to check and compare",
      json: "Print a JSON object instead",
      ...dataDir,
    },
    summary: "Back up, restore to a temporary folder or database, check and compare, and print a report",
    details: [
      "Works while the service runs. Every message of the restored folder is checked, and compared with the data folder by id, change number and summary; changes since the backup are counted, and are not faults. The restored store is opened and read, and nothing is sent from it. Set `TMPDIR` to a disk with space for the backup and the restored folder; both are removed at the end. The running service shows the result as the background task `restore_drill`.",
      "With `RESTANTE_DATABASE_URL`, `pg_dump` and `pg_restore` copy the database, which its nodes may use meanwhile, to one that is created for the drill and removed at the end. They must be installed, in the version of the server or newer. A copy given with `--restored` is compared as it is, and stays; give it before it is used and before its UIDVALIDITYs are changed.",
      "Without a database in the data folder, as on another machine, a backup given with `--backup` is restored and checked, and not compared. The report names what was not compared.",
      "Exit codes: 0 when the backup restores whole, 1 when it does not, 2 when the drill could not run, for lack of space for example.",
    ],
    failureCode: 2,
    load: async () => (await import("./drill.ts")).drill,
  }),
  command("recover", {
    operands: ["FOLDER"],
    flags: dataDir,
    summary: "Copy what can be read from a damaged data folder to a new one",
    details: [
      "For a database whose pages are damaged, which `restante check` reports. Stop the service first. The damaged folder is not changed, and the new one, which `--data-dir` names, must be missing or empty. Messages of which only a part was read are rebuilt from their raw mail; the raw mails that belong to no message any more are written to `damaged` in the new folder. Prints what was copied, and how many messages are missing.",
      "Exit code 0: everything was found; 1: something is missing; 2: the recovery failed.",
    ],
    failureCode: 2,
    load: async () => (await import("./backup.ts")).recover,
  }),
  command("check", {
    flags: {
      repair: "Rebuild damaged messages from their raw mail, and move messages that cannot be rebuilt to `damaged`",
      "language NAME":
        "Instead: send one request from a runtime with the variables of this shell, and print whether it arrives here: `node`, `python`, `java`, `php`, `ruby`, `go`, `dotnet`, `rust`, `deno` or `bun`",
      ...dataDir,
    },
    summary: "Check all stored data for damage",
    details: [
      "Reads the data folder, or the PostgreSQL database of `RESTANTE_DATABASE_URL`, while the service runs: pages, checksums, and the counters of servers. `--repair` requires a data folder whose service is stopped; back it up before. A message rebuilt from its detail and raw mail is complete; one rebuilt from the raw mail alone lacks its envelope sender and SMTP session. The remains of other messages are moved to the folder `damaged` in the data folder, and the messages are removed.",
      "Exit codes: 0 when nothing is damaged or all damage was repaired or moved, 1 when damage remains, 2 when the check failed.",
      "`--language` requires a running service and the variables of `restante env`. The request is for `restante.example.com`, which exists nowhere: it reaches nobody, no provider either, when the runtime ignores the variables. It carries no key. Exit codes: 0 when it arrives, else 1.",
    ],
    load: async () => (await import("./check.ts")).check,
  }),
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
    load: async () => (await import("./export.ts")).exportCommand,
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
    load: async () => (await import("./import.ts")).importCommand,
  }),
  command("migrate", {
    flags: { citus: "Distribute the tables by server over a Citus cluster", ...dataDir },
    summary: "Migrate the schema of the database to this version",
    details: [
      "Requires only `RESTANTE_DATABASE_URL`. Nodes migrate the schema at start, one at a time; run the command before to choose the moment. Nodes of the previous version keep running, unless the upgrade notes of the changelog ask to stop them.",
    ],
    load: async () => (await import("../service/migrate.ts")).migrate,
  }),
];
