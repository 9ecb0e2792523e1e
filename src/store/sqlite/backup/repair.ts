/** Repairs the damage that a check found in a data directory that no service uses. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { decodeMessageId, idToBytes, type ServerId } from "../../../core/ids.ts";
import type { NewMessage } from "../../store.ts";
import { databaseFileName, lockDirectory } from "../connection/store-directory.ts";
import { Journal } from "../messages/changes.ts";
import { checkDatabase, type CheckReport, type DamagedMessage } from "./check.ts";
import { connectReader, connectWriter } from "../connection/connection.ts";
import { corruptionAdvice, isCorruption } from "../connection/errors.ts";
import { idBytesSince } from "../../page-bounds.ts";
import { removeBrokenAnnotations } from "../messages/broken-annotations.ts";
import { MessageWrites } from "../messages/messages.ts";
import { decodeBatch, encodeBatch } from "../messages/message-batch.ts";
import { requireCurrentSchema } from "../schema/schema.ts";
import { recountBytes } from "../content/content-tables.ts";
import { ServerReads } from "../account/servers.ts";

/** Directory within the data directory for the intact parts of messages that could not be repaired. */
export const damagedFolderName = "damaged";

/** Checks the database of a data directory, even while a service uses it. Throws a plain `Error` for the operator. */
export function checkFolder(directory: string, onProgress: (messageCount: number) => void): CheckReport {
  const file = path.join(directory, databaseFileName);
  if (!existsSync(file)) {
    const log = existsSync(`${file}-wal`) ? `, but its write-ahead log ${file}-wal is there` : "";
    throw new Error(`There is no database at ${file}${log}; put the file back, or restore a backup`);
  }
  try {
    using database = connectReader(file);
    requireCurrentSchema(database);
    database.exec("begin");
    const report = checkDatabase(database, onProgress);
    const hasDamagedPages = report.structure.some((line) => line.startsWith("pragma integrity_check"));
    return hasDamagedPages ? { ...report, structure: [...report.structure, adviceOn(file)] } : report;
  } catch (error) {
    if (!isCorruption(error)) throw error;
    throw new Error(`${String(error)}; ${adviceOn(file)}`, { cause: error });
  }
}

function adviceOn(file: string): string {
  return `pages of ${file} are damaged: ${corruptionAdvice}`;
}

/** Exclusive access to a data directory for repairs. */
export class FolderRepair implements Disposable {
  readonly #directory: string;
  readonly #release: () => void;
  readonly #database: DatabaseSync;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#release = lockDirectory(directory);
    try {
      const file = path.join(directory, databaseFileName);
      this.#database = connectWriter({ file, durable: true, sizeBytesMax: null });
      requireCurrentSchema(this.#database);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Opens the directory. Throws a plain `Error` for the operator while a service uses it. */
  static open(directory: string): FolderRepair {
    return new FolderRepair(directory);
  }

  [Symbol.dispose](): void {
    this.#database.close();
    this.#release();
  }

  /** Replaces the damaged rows of a message. */
  replace(damaged: DamagedMessage, message: NewMessage): void {
    this.#transact((messages) => {
      this.#makeRemovable(damaged);
      const [own] = decodeBatch(encodeBatch([message]));
      if (own === undefined || messages.replace(own) === undefined) {
        throw new Error(`message ${message.id} could not be stored`);
      }
    });
  }

  /** Moves the intact parts of a message into {@link damagedFolderName}; returns the file without its extension. */
  setAside(damaged: DamagedMessage): string {
    const folder = path.join(this.#directory, damagedFolderName);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, damaged.id);
    const { detail, raw } = damaged.intact;
    if (detail !== null) writeFileSync(`${file}.json`, detail, { mode: 0o600, flush: true });
    if (raw !== null && raw.length > 0) writeFileSync(`${file}.eml`, raw, { mode: 0o600, flush: true });
    this.#transact((messages) => {
      this.#makeRemovable(damaged);
      messages.delete(damaged.id);
    });
    return file;
  }

  /** Corrects the counts of servers; removes contents that belong to no message, and annotations and marks that cannot be used. */
  tidy(): void {
    this.#transact(() => {
      this.#database.exec("delete from content where number not in (select content from message)");
      removeBrokenAnnotations(this.#database);
      this.#database.exec(
        "delete from mark where not exists (select 1 from message m where m.epoch = mark.epoch and m.id = mark.id)",
      );
      const count = this.#database.prepare(
        "select count(*) as count from message where epoch = (select epoch from server where id = ?) and id between ? and ?",
      );
      const correct = this.#database.prepare("update server set received_count = ?, sent_count = ? where id = ?");
      for (const row of this.#database.prepare("select id from server").all()) {
        const id = row["id"] as ServerId;
        const [received, sent] = (["Received", "Sent"] as const).map((direction) => {
          const { first, last } = idBytesSince(id, direction);
          return Number(count.get(id, first, last)?.["count"]);
        });
        correct.run(received ?? 0, sent ?? 0, id);
      }
      this.#database.exec(recountBytes);
    });
  }

  /** Corrects the keys of a damaged message so that its rows can be deleted. */
  #makeRemovable({ id, addresses }: DamagedMessage): void {
    if (addresses === null) {
      const epoch = new ServerReads(this.#database).position(decodeMessageId(id).server)?.epoch ?? null;
      const bytes = idToBytes(id);
      this.#database.prepare("delete from address where epoch = ? and id = ?").run(epoch, bytes);
      // The content row may belong to another message and must stay; this message gets an empty row of its own.
      const row = this.#database
        .prepare("insert into content (addresses, detail) values ('[[],[]]', x'') returning number")
        .get();
      this.#database
        .prepare("update message set content = ? where epoch = ? and id = ?")
        .run(Number(row?.["number"]), epoch, bytes);
    }
  }

  #transact(body: (messages: MessageWrites) => void): void {
    this.#database.exec("begin immediate");
    try {
      body(new MessageWrites(this.#database, new Journal(this.#database)));
      this.#database.exec("commit");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }
}
