/** Recovers a data directory whose database has damaged pages into a new one. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { decodeMessageId, idFromBytes } from "../../../core/ids.ts";
import { defaultReaderDeletion } from "../../../core/server.ts";
import { connectReader, connectWriter } from "../connection/connection.ts";
import { prepareDatabase } from "../connection/database-file.ts";
import { isCorruption } from "../connection/errors.ts";
import { lockDirectory, databaseFileName } from "../connection/store-directory.ts";
import { layoutColumns } from "../content/content-tables.ts";
import { bindReadChunks } from "../content/raw-chunks.ts";
import { keyRoles, keysIn, type StoredKeys } from "../messages/key-roles.ts";
import { requireCurrentSchema } from "../schema/schema.ts";
import { readPart, type StoredContent } from "./check.ts";
import { copyRows, copyTable, type CopiedTable } from "./copy-readable.ts";
import { damagedFolderName } from "./repair.ts";
import { renewUidValidity } from "./restore.ts";

/** Tables that are made again from others: addresses of messages, and the text index. */
const derivedTables: ReadonlySet<string> = new Set(["address", "text_segment", "text_page", "probe"]);

/** Options of {@link recoverFolder}. */
export interface RecoverOptions {
  /** Names of the files that are copied beside the database. */
  readonly names: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Result of {@link recoverFolder}. */
export interface Recovery {
  readonly tables: readonly CopiedTable[];
  /** Messages that the counters of servers include and that were not found, by the id of the server. */
  readonly missing: ReadonlyMap<string, number>;
  /** Raw mails of messages of which nothing else was found, written to {@link damagedFolderName}. */
  readonly mailCount: number;
}

/**
 * Copies everything that can be read from the data directory `from`, which no service may use and which is not changed,
 * into the directory `to`, which must be missing or empty. Messages of which only a part could be read are marked as damaged
 * for a repair (see `FolderRepair`). Throws a plain `Error` for the operator, also when the schema of the database itself
 * cannot be read.
 */
export function recoverFolder(from: string, to: string, { names, now }: RecoverOptions): Recovery {
  const file = path.join(from, databaseFileName);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`There is no database at ${file}`);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (readdirSync(to).length > 0) throw new Error(`${to} is not empty; choose a new folder`);
  const release = lockDirectory(from);
  try {
    for (const name of names) copyIfThere(path.join(from, name), path.join(to, name));
    const target = path.join(to, databaseFileName);
    prepareDatabase({ file: target, durable: true, sizeBytesMax: null });
    using source = openSource(file);
    using database = connectWriter({ file: target, durable: true, sizeBytesMax: null });
    const recovery = recover(source, database, now);
    return { ...recovery, mailCount: saveMails(database, path.join(to, damagedFolderName)) };
  } finally {
    release();
  }
}

function openSource(file: string): DatabaseSync {
  try {
    const source = connectReader(file);
    requireCurrentSchema(source);
    source.prepare("select sql from sqlite_schema").all();
    return source;
  } catch (error) {
    if (!isCorruption(error)) throw error;
    const advice = "so that no tables are found in it; restore a backup";
    throw new Error(`The schema of the database ${file} is damaged (${String(error)}), ${advice}`, { cause: error });
  }
}

function copyIfThere(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
}

function recover(from: DatabaseSync, to: DatabaseSync, now: number): Omit<Recovery, "mailCount"> {
  to.exec("begin immediate; delete from state");
  const names = to
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !derivedTables.has(name));
  const copied = new Map(names.map((name) => [name, copyTable(from, to, name)]));
  copyBetweenGaps({ from, to, copied });
  completeServers(to, now);
  completeMessages(to);
  addAddresses(to);
  shortenJournal(to);
  renewUidValidity(to, Math.floor(now / 1000));
  const missing = to
    .prepare(
      `select id, received_count + sent_count - (select count(*) from message m where m.epoch = server.epoch) as count
       from server`,
    )
    .all();
  to.exec("commit");
  return {
    tables: [...copied.values()],
    missing: new Map(missing.flatMap(({ id, count }) => (Number(count) > 0 ? [[String(id), Number(count)]] : []))),
  };
}

/** Copies rows between two damaged pages of a table, whose keys another table has. */
function copyBetweenGaps(copy: {
  readonly from: DatabaseSync;
  readonly to: DatabaseSync;
  readonly copied: Map<string, CopiedTable>;
}): void {
  const { from, to, copied } = copy;
  for (const [table, other] of [
    ["message", "subject"],
    ["subject", "message"],
    ["mark", "message"],
  ] as const) {
    const before = copied.get(table);
    if (before === undefined || before.gapCount === 0) continue;
    const keys = to
      .prepare(
        `select epoch, id from ${other} o where not exists (select 1 from ${table} t where t.epoch = o.epoch and t.id = o.id)`,
      )
      .all()
      .map(({ epoch, id }) => [epoch as number, id as Uint8Array]);
    copied.set(table, { ...before, rowCount: before.rowCount + copyRows({ from, to, table }, keys) });
  }
}

/** Adds the row of the state and of servers that could not be read; their names and passwords are lost. */
function completeServers(to: DatabaseSync, now: number): void {
  to.exec("insert or ignore into state (singleton, probe) values (1, 0)");
  const add = to.prepare(
    `insert or ignore into server (id, name, name_folded, password, reader_deletion, created_at, traffic_at, epoch, uid_validity)
     values (?1, ?2, ?3, hex(randomblob(16)), '${defaultReaderDeletion}', ?4, ?4, ?5, 0)`,
  );
  const unknown = to.prepare(
    "select epoch, max(id) as id from message where epoch not in (select epoch from server) and epoch not in (select epoch from purge) group by epoch",
  );
  for (const { epoch, id } of unknown.all()) {
    const { server } = decodeMessageId(idFromBytes(id as Uint8Array));
    add.run(server, `Recovered ${server}`, `recovered ${server}`, now, epoch as number);
  }
  to.exec(`update server set sequence = max(sequence,
      coalesce((select max(sequence) from change where change.server = server.number), 0),
      coalesce((select max(sequence) from message m where m.epoch = server.epoch), 0));
    update state set epoch = max(epoch, (select coalesce(max(epoch), 0) from server),
      (select coalesce(max(epoch), 0) from purge));`);
}

/** Makes a damaged message of each of which only the list or only the search row was found: a repair rebuilds both. */
function completeMessages(to: DatabaseSync): void {
  to.exec(`
    insert into message (epoch, id, sequence, content, summary, checksum)
      select s.epoch, s.id, -row_number() over (order by s.epoch, s.id), s.content, x'', -1 from subject s
      where exists (select 1 from content c where c.number = s.content)
        and not exists (select 1 from message m where m.epoch = s.epoch and m.id = s.id);
    delete from subject where not exists (
      select 1 from message m where m.epoch = subject.epoch and m.id = subject.id);
    update message set checksum = -1 where not exists (
      select 1 from subject s where s.epoch = message.epoch and s.id = message.id);
  `);
}

/** Writes the raw mails that belong to no message; returns their number. */
function saveMails(database: DatabaseSync, folder: string): number {
  const readChunks = bindReadChunks(database);
  const rows = database.prepare(
    `select number, detail, raw, body, raw_chunk_count as rawChunkCount, ${layoutColumns} from content
     where number not in (select content from message)`,
  );
  let count = 0;
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<StoredContent>) {
    const mail = readPart(row.rawChunkCount === 0 ? row : { ...row, raw: readChunks(row.number) }, "raw", []);
    if (mail === null || mail.length === 0) continue;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, `content-${row.number}.eml`), mail, { mode: 0o600, flush: true });
    count += 1;
  }
  return count;
}

function addAddresses(to: DatabaseSync): void {
  const add = to.prepare("insert or ignore into address (epoch, role, address, id) values (?, ?, ?, ?)");
  const rows = to.prepare("select m.epoch, m.id, c.addresses from message m join content c on c.number = m.content");
  for (const { epoch, id, addresses } of rows.iterate()) {
    for (const [role, key] of keysIn(JSON.parse(String(addresses)) as StoredKeys)) {
      add.run(epoch as number, keyRoles[role], key, id as Uint8Array);
    }
  }
}

/** Removes the changes before the last one that is missing: a journal has no gaps. */
function shortenJournal(to: DatabaseSync): void {
  to.exec(`delete from change where sequence <= (
    select max(before) from (
      select c.sequence - 1 as before from change c where c.server = change.server and not exists (
        select 1 from change p where p.server = c.server and p.sequence = c.sequence - 1)
        and c.sequence > (select min(sequence) from change f where f.server = c.server)
      union all
      select sequence from server where number = change.server and not exists (
        select 1 from change l where l.server = number and l.sequence = server.sequence)));`);
}
