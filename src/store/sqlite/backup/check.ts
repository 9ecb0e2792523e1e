/** Reads a whole database and reports damage. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, type MessageId, type ServerId } from "../../../core/ids.ts";
import { isDamage, columnOf, readContent, type ContentLayout, type ContentPart } from "../../content/layout.ts";
import { contentChecksum, summaryChecksum, layoutColumns } from "../content/content-tables.ts";
import { sqliteResult } from "../connection/errors.ts";
import { describeBroken, findBrokenAnnotations } from "../messages/broken-annotations.ts";
import { bindReadChunks } from "../content/raw-chunks.ts";

/** Message with damaged parts. */
export interface DamagedMessage {
  readonly id: MessageId;
  /** Description of the damage. */
  readonly problems: readonly string[];
  /** Intact parts; the bytes belong to the caller. */
  readonly intact: { readonly detail: Uint8Array | null; readonly raw: Uint8Array | null };
  /** Whether the content row belongs to the message; otherwise nothing in it is reliable. */
  readonly addresses: readonly [from: readonly string[], to: readonly string[]] | null;
}

/** Result of a check. */
export interface CheckReport {
  readonly messageCount: number;
  /** Damage of the structure of the database, and of everything except messages. */
  readonly structure: readonly string[];
  readonly messages: readonly DamagedMessage[];
}

/** Largest number of damaged messages in one report. */
export const damagedCountMax = 1000;
const structureCountMax = 100;

interface MessageRow {
  readonly id: Uint8Array;
  readonly summary: Uint8Array;
  readonly checksum: number;
  readonly content: number;
}

/** Columns of content. */
export interface StoredContent extends ContentLayout, Readonly<Record<ContentPart, Uint8Array | null>> {
  readonly number: number;
  readonly rawChunkCount: number;
}

interface ContentRow extends StoredContent {
  readonly addresses: string;
  readonly checksum: number;
}

interface ServerRow {
  readonly id: ServerId;
  readonly epoch: number;
  readonly received: number;
  readonly sent: number;
}

/**
 * Reads everything in one snapshot: pages, foreign keys, checksums, frames, and the counts of servers. Calls `onProgress`
 * with the number of messages so far. Ends early after {@link damagedCountMax} damaged messages.
 */
export function checkDatabase(database: DatabaseSync, onProgress: (messageCount: number) => void): CheckReport {
  const structure = [
    ...pragmaFindings(database, `integrity_check(${structureCountMax})`, (row) => row["integrity_check"] !== "ok"),
    ...pragmaFindings(database, "foreign_key_check", () => true),
  ];
  const check = new MessageCheck(database);
  const messages: DamagedMessage[] = [];
  let messageCount = 0;
  for (const server of check.servers()) {
    for (const damaged of check.damagedOf(server, structure)) {
      if (damaged !== null) messages.push(damaged);
      messageCount += 1;
      onProgress(messageCount);
      if (messages.length >= damagedCountMax) return { messageCount, structure, messages };
    }
  }
  structure.push(
    ...findings("content rows", () => {
      const orphanCount = check.orphanCount();
      return orphanCount > 0 ? [`${orphanCount} content rows belong to no message`] : [];
    }),
    ...findings("the annotations of messages", () =>
      findBrokenAnnotations(database, structureCountMax).map(describeBroken),
    ),
  );
  return { messageCount, structure, messages };
}

/** Returns what a read finds, or that it failed. */
function findings(subject: string, read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch (error) {
    if (sqliteResult(error) === undefined) throw error;
    return [`reading ${subject} failed (${String(error)})`];
  }
}

/** Returns the rows of a pragma that `isFinding` selects, one line each. */
function pragmaFindings(
  database: DatabaseSync,
  pragma: string,
  isFinding: (row: Readonly<Record<string, unknown>>) => boolean,
): string[] {
  try {
    const rows = database.prepare(`pragma ${pragma}`).all().filter(isFinding).slice(0, structureCountMax);
    return rows.map((row) => `pragma ${pragma.replace(/\(.*/, "")}: ${Object.values(row).join(", ")}`);
  } catch (error) {
    if (sqliteResult(error) === undefined) throw error;
    return [`pragma ${pragma}: ${String(error)}`];
  }
}

class MessageCheck {
  readonly #servers: StatementSync;
  readonly #messages: StatementSync;
  readonly #content: StatementSync;
  readonly #orphans: StatementSync;
  readonly #readChunks: ReturnType<typeof bindReadChunks>;

  constructor(database: DatabaseSync) {
    this.#readChunks = bindReadChunks(database);
    this.#servers = database.prepare(
      "select id, epoch, received_count as received, sent_count as sent from server order by id",
    );
    this.#messages = database.prepare("select id, summary, checksum, content from message where epoch = ?");
    this.#content = database.prepare(
      `select number, addresses, checksum, detail, raw, body, raw_chunk_count as rawChunkCount, ${layoutColumns}
       from content where number = ?`,
    );
    // Content that a purge has yet to reclaim still belongs to messages, of an epoch of no server.
    this.#orphans = database.prepare(
      "select count(*) as count from content where number not in (select content from message)",
    );
  }

  servers(): readonly ServerRow[] {
    return this.#servers.all() as unknown as readonly ServerRow[];
  }

  /** Yields the damage of each message of a server, or null; adds damage of the server itself to `structure`. */
  *damagedOf({ id, epoch, received, sent }: ServerRow, structure: string[]): Generator<DamagedMessage | null, void> {
    const counts = { Received: 0, Sent: 0 };
    try {
      for (const row of this.#messages.iterate(epoch)) {
        const message = row as unknown as MessageRow;
        counts[decodeMessageId(idFromBytes(message.id)).direction] += 1;
        yield this.#damageOf(message) ?? null;
      }
    } catch (error) {
      if (sqliteResult(error) === undefined) throw error;
      structure.push(`server ${id}: reading its messages failed (${String(error)})`);
      return;
    }
    if (counts.Received === received && counts.Sent === sent) return;
    structure.push(
      `server ${id}: its counters are ${received} received and ${sent} sent messages, but it has ${counts.Received} and ${counts.Sent}`,
    );
  }

  orphanCount(): number {
    return Number(this.#orphans.get()?.["count"]);
  }

  #damageOf({ id, summary, checksum, content }: MessageRow): DamagedMessage | undefined {
    const problems: string[] = [];
    const isIntact = checksum === summaryChecksum(summary) && isJson(summary);
    if (!isIntact) problems.push("its summary has changed");
    const row = this.#readContent(content, problems);
    const isOwn = row !== undefined && row.checksum === contentChecksum(id, row);
    if (row !== undefined && !isOwn) problems.push("its content belongs to another message, or has changed");
    const intact = isOwn ? this.#readParts(row, problems) : { detail: null, raw: null };
    if (problems.length === 0) return undefined;
    return { id: idFromBytes(id), problems, intact, addresses: isOwn ? addressesOf(row.addresses) : null };
  }

  #readParts(row: ContentRow, problems: string[]): DamagedMessage["intact"] {
    const detail = readPart(row, "detail", problems);
    const raw = readPart(this.#withChunks(row), "raw", problems);
    readPart(row, "body", problems);
    if (detail === null || isJson(detail)) return { detail, raw };
    problems.push("its detail is not JSON");
    return { detail: null, raw };
  }

  #withChunks(row: ContentRow): ContentRow {
    return row.rawChunkCount === 0 ? row : { ...row, raw: this.#readChunks(row.number) };
  }

  #readContent(content: number, problems: string[]): ContentRow | undefined {
    try {
      const row = this.#content.get(content) as unknown as ContentRow | undefined;
      if (row === undefined) problems.push("its content is missing");
      return row;
    } catch (error) {
      if (sqliteResult(error) === undefined) throw error;
      problems.push(`its content cannot be read (${String(error)})`);
      return undefined;
    }
  }
}

/** Returns a part of content; null where there is none, and, with a problem, where it is damaged. */
export function readPart(row: StoredContent, part: ContentPart, problems: string[]): Uint8Array | null {
  const column = row[columnOf(part, row)];
  try {
    return column === null ? null : readContent(column, part, row);
  } catch (error) {
    if (!isDamage(error)) throw error;
    problems.push(`its ${part} has changed`);
    return null;
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
    return true;
  } catch {
    // A syntax error is the result, not a failure.
    return false;
  }
}

function addressesOf(text: string): DamagedMessage["addresses"] {
  try {
    return JSON.parse(text) as DamagedMessage["addresses"];
  } catch {
    // Rows without a checksum may hold anything; the addresses are unknown then.
    return null;
  }
}
