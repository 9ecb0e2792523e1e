/** Checksums of rows, and the placeholder for summaries that fail the check. */
import { crc32 } from "node:zlib";
import { decodeMessageId, idFromBytes } from "../../../core/ids.ts";
import { Problem } from "../../../core/errors.ts";
import type { Summary } from "../../../core/message.ts";

/** Called for each damaged row that a read meets. */
export type OnDamage = (problem: Problem) => void;

/** {@link OnDamage} that does nothing. */
export const ignoreDamage: OnDamage = () => undefined;

/** Columns of a `content` row that its checksum covers; frames have checksums of their own. */
export interface ContentIdentity {
  readonly addresses: string;
  readonly detailSize: number | null;
  readonly rawSize: number | null;
  readonly bodySize: number | null;
}

/** Returns the checksum of a `message` row. */
export function summaryChecksum(summary: Uint8Array): number {
  return crc32(summary);
}

/** Returns the checksum of a `content` row that belongs to the message of this id (sixteen bytes). */
export function contentChecksum(id: Uint8Array, row: ContentIdentity): number {
  return crc32(`${row.addresses} ${row.detailSize} ${row.rawSize} ${row.bodySize}`, crc32(id));
}

/** Whether a value matches a stored checksum; rows that earlier versions wrote have none and always match. */
export function matches(stored: number | null, computed: () => number): boolean {
  return stored === null || stored === computed();
}

/** Columns of an aggregate over rows of `id`, `summary` and `checksum`, for {@link joinedSummaries}. */
export const joinedColumns = `cast(group_concat(summary, ',') as blob) as json,
  group_concat(octet_length(summary) || ' ' || coalesce(checksum, '') || ' ' || hex(id), ',') as marks`;

/** Row of {@link joinedColumns}; null where nothing was aggregated. */
export interface JoinedSummaries {
  readonly json: Uint8Array | null;
  readonly marks: string | null;
}

const noBytes = new Uint8Array(0);

/** Returns the summaries of a page, joined by commas; a damaged one is replaced by {@link damagedSummary}. */
export function joinedSummaries({ json, marks }: JoinedSummaries, onDamage: OnDamage): Uint8Array {
  if (json === null || marks === null) return noBytes;
  const rows = marks.split(",").map((mark) => mark.split(" ") as [string, string, string]);
  const parts: Uint8Array[] = [];
  let at = 0;
  let isWhole = true;
  for (const [length, checksum, id] of rows) {
    const summary = json.subarray(at, at + Number(length));
    at += Number(length) + 1;
    const isIntact = checksum === "" ? true : Number(checksum) === summaryChecksum(summary);
    isWhole &&= isIntact;
    parts.push(isIntact ? summary : damagedSummary(Buffer.from(id, "hex"), onDamage));
  }
  return isWhole ? json : joinByCommas(parts);
}

/** Returns the summary where it is intact, else {@link damagedSummary}. */
export function intactSummary(
  row: { readonly id: Uint8Array; readonly summary: Uint8Array; readonly checksum: number | null },
  onDamage: OnDamage,
): Uint8Array {
  const isIntact = matches(row.checksum, () => summaryChecksum(row.summary));
  return isIntact ? row.summary : damagedSummary(row.id, onDamage);
}

/** Joins summaries by commas. */
export function joinByCommas(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length + 1, 0);
  const joined = new Uint8Array(Math.max(0, length - 1));
  let at = 0;
  for (const part of parts) {
    if (at > 0) joined[at - 1] = 0x2c;
    joined.set(part, at);
    at += part.length + 1;
  }
  return joined;
}

/** Returns the error of a damaged message; `cause` says what does not match. */
export function damagedMessage(id: Uint8Array, cause: string): Problem {
  return new Problem("data_damaged", { cause: new Error(`message ${idFromBytes(id)}: ${cause}`) });
}

/** Returns whether an error reports that stored bytes have changed on disk. */
export function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === "data_damaged";
}

/** Reports the damage and returns a placeholder summary as valid JSON, so that the rest of the list stays readable. */
function damagedSummary(bytes: Uint8Array, onDamage: OnDamage): Uint8Array {
  onDamage(damagedMessage(bytes, "the checksum of its summary does not match"));
  const id = idFromBytes(bytes);
  const { server, receivedAt } = decodeMessageId(id);
  const summary: Summary = {
    id,
    type: "Email",
    server,
    subject: "[This stored message is damaged]",
    from: [],
    to: [],
    cc: [],
    bcc: [],
    received: new Date(receivedAt).toISOString(),
    summary: "Its summary has changed on the disk; run `restante check` for details",
    attachments: 0,
  };
  return Buffer.from(JSON.stringify(summary));
}
