/** Import of an NDJSON export into a store. */
import { isUtf8 } from "node:buffer";
import { decodeMessageId, type ServerId } from "../core/ids.ts";
import type { EmailReader } from "../operations/services/reading/email-bodies.ts";
import type { SecretBox } from "../operations/services/security/secret-box.ts";
import { restoreMessage } from "../operations/services/reading/restore-message.ts";
import type { Store } from "../store/store.ts";
import { LineTally } from "./export-file.ts";
import { formatName, formatVersion, headerShape, readBodyLine } from "./export-lines.ts";
import type { BodyLine, LineOf } from "./export-lines.ts";
import { type IntakeOptions, MessageIntake } from "./message-intake.ts";
import { ContentConflict, type PlacedLine, placeLine } from "./place-line.ts";
import { emptyTransfer, type Progress, type TransferResult } from "./progress.ts";
import { type Line, readLines } from "./read-lines.ts";
import { refuse, ShapeError } from "./shape.ts";
import { checkStored } from "./stored-shapes.ts";

/** Target and options of an import. */
export interface ImportTarget extends IntakeOptions {
  readonly store: Store;
  readonly readEmail: EmailReader;
  /** Encrypts and compares passwords of servers; null when the target has no secret key yet. */
  readonly secrets: SecretBox | null;
  /** Instant of the import, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Servers to import, without the account; null for all servers and the account. */
  readonly servers: readonly ServerId[] | null;
  readonly progress: Progress;
}

/**
 * Imports an export into a store. Existing messages are counted and skipped, so that an import may be repeated. Rejects with an
 * `Error` that names the first invalid line: all lines before it are stored then, nothing of that line.
 */
export async function importExport(chunks: AsyncIterable<Uint8Array>, target: ImportTarget): Promise<TransferResult> {
  const importing = new Importing(target);
  let last = 0;
  for await (const lines of readLines(chunks, lineBytesMax)) {
    for (const line of lines) {
      if (!line.isWhole) await importing.endEarly(line.number);
      await importing.take(line);
      last = line.number;
    }
  }
  if (!importing.isWhole) await importing.endEarly(last + 1);
  importing.requireWanted();
  return importing.result();
}

class Importing {
  isWhole = false;
  readonly #target: ImportTarget;
  readonly #intake: MessageIntake;
  readonly #tally = new LineTally();
  /** Servers whose lines have been read. */
  readonly #servers = new Set<ServerId>();
  readonly #passwordResets: ServerId[] = [];
  #serverCount = 0;

  constructor(target: ImportTarget) {
    this.#target = target;
    this.#intake = new MessageIntake(target.store, target.progress, target);
  }

  async take({ number, bytes }: Line): Promise<void> {
    try {
      const value = parseLine(bytes);
      if (this.isWhole) refuse("", "follows the last line");
      if (number === 1) readHeader(value);
      else await this.#takeBody(readBodyLine(value), number);
    } catch (error) {
      // Errors of earlier messages are reported first.
      await this.#intake.flush();
      throw error instanceof ShapeError || error instanceof ContentConflict ? atLine(number, error) : error;
    }
    this.#tally.add(bytes);
    this.#target.progress.advance({ done: bytes.length + 1 });
  }

  async endEarly(number: number): Promise<never> {
    await this.#intake.flush();
    throw new Error(
      `line ${number}: the export is truncated: its last line is missing; the lines before were imported, and importing the complete file continues from there`,
    );
  }

  /** Throws when a requested server is not in the export. */
  requireWanted(): void {
    const missing = this.#target.servers?.find((id) => !this.#servers.has(id));
    if (missing !== undefined) throw new Error(`There is no server ${missing} in the export`);
  }

  result(): TransferResult {
    const { storedCount, existingCount } = this.#intake;
    const passwordResets = this.#passwordResets;
    return {
      ...emptyTransfer,
      servers: this.#serverCount,
      messages: storedCount,
      existing: existingCount,
      passwordResets,
    };
  }

  async #takeBody(line: BodyLine, number: number): Promise<void> {
    if (line.kind === "message") {
      await this.#takeMessage(line, number);
      return;
    }
    await this.#intake.flush();
    if (line.kind === "end") {
      this.#checkEnd(line, number);
      this.isWhole = true;
      return;
    }
    if (!this.#isWanted(line)) return;
    const { store, secrets, now, servers } = this.#target;
    const placed = line.kind === "server" && servers !== null ? { ...line, team: null } : line;
    await placeLine({ store, secrets, now, onPasswordReset: (id) => this.#passwordResets.push(id) }, placed);
    if (line.kind === "server") this.#serverCount += 1;
  }

  async #takeMessage(line: LineOf<"message">, number: number): Promise<void> {
    const { id, summary, detail, raw: base64, delivery, annotations, marks } = line;
    this.#tally.messages += 1;
    const { server, direction } = decodeMessageId(id);
    this.#requireServer("id", server);
    const raw = Buffer.from(base64, "base64");
    const stored = { id, summary, detail, raw };
    checkStored(stored);
    if (delivery !== undefined && direction === "Received") refuse("delivery", "is not allowed for received messages");
    if (this.#target.servers?.includes(server) === false) return;
    const restored = await restoreMessage(stored, this.#target.readEmail);
    const message = { ...restored, ...(annotations && { annotations }), ...(marks && { marks }) };
    await this.#intake.add({ message, delivery, place: `line ${number}` });
  }

  #isWanted(line: PlacedLine): boolean {
    const { servers } = this.#target;
    if (line.kind === "server") {
      this.#servers.add(line.id);
      return servers?.includes(line.id) ?? true;
    }
    // Owners are not part of an import of some servers.
    if (line.kind === "key" && servers !== null && (line.owner ?? null) !== null) return false;
    const owner = "server" in line ? line.server : null;
    if (owner === null) return servers === null;
    this.#requireServer("server", owner);
    return servers?.includes(owner) ?? true;
  }

  #requireServer(at: string, server: ServerId): void {
    if (!this.#servers.has(server)) refuse(at, `refers to the server ${server}, which has no earlier line`);
  }

  #checkEnd({ lines, messages, sha256 }: LineOf<"end">, number: number): void {
    const isSame = lines === number - 1 && messages === this.#tally.messages && sha256 === this.#tally.sha256();
    if (!isSame) refuse("", "does not match the lines before it: they were changed, or some are missing");
  }
}

function atLine(number: number, error: Error): Error {
  return new Error(`line ${number}: ${error.message}`, { cause: error });
}

function parseLine(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) refuse("", "is not UTF-8");
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    // Reported as a refusal of the line.
    return refuse("", "is not JSON");
  }
}

function readHeader(value: unknown): void {
  const { format, version, writtenBy } = (value ?? {}) as { readonly [name: string]: unknown };
  if (format !== formatName) refuse("", `is not the first line of an export: format must be ${formatName}`);
  if (typeof version === "number" && version > formatVersion) {
    const by = typeof writtenBy === "string" ? writtenBy.slice(0, 100) : "a newer release";
    refuse(
      "",
      `has version ${version} of the format, written by ${by}, but this release reads version ${formatVersion}: import it with a newer release`,
    );
  }
  headerShape(value, "");
  if (version !== formatVersion) refuse("version", `must be ${formatVersion}`);
}

/** Longest line of an export in bytes: enough for a mail of 50 MB, and just below the longest string of V8. */
export const lineBytesMax: number = 480 * 1024 * 1024;
