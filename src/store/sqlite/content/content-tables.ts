/** Tables of content, checksums of rows, and the placeholder for summaries that fail the check. */
import { damagedMessage, layoutOf, type ContentLayout } from "../../content/layout.ts";
import type { ContentChecks } from "../../content/content-store.ts";
import { idToBytes, decodeMessageId, idFromBytes } from "../../../core/ids.ts";
import type { ContentTables } from "../../records/content-rows.ts";
import { crc32 } from "node:zlib";
import type { Problem } from "../../../core/errors.ts";
import type { Summary } from "../../../core/message.ts";

/** Expressions over the `content` table for the members of a layout. */
export const layoutColumns: string = layoutOf("", "body_size");

/** Tables of content; larger columns are read on the reader thread. */
export const contentTables: ContentTables = {
  from: "message m left join content c on c.number = m.content",
  alias: "c",
  bodySize: "c.body_size",
  detailChunkCount: "0",
  checked: `c.number, c.addresses, c.checksum as "contentChecksum", m.checksum as "summaryChecksum", `,
  columnBytesMax: 128 * 1024,
  // The message is looked up with each chunk: the numbers of deleted content are used again.
  chunk: `select r.bytes from message m cross join raw_chunk r on r.number = m.content * 65536 + $4
    where m.epoch = (select epoch from server where id = $1) and m.id = unhex($2, '-')`,
};

/** Row with the columns of {@link contentTables} that are checked. */
interface CheckedRow extends ContentLayout {
  /** Null where the row is missing. */
  readonly number: number | null;
  readonly addresses: string;
  readonly contentChecksum: number;
  readonly summaryChecksum: number;
}

/** Checks of rows of {@link contentTables}. */
export const contentChecks: ContentChecks = {
  content: (id, row) => {
    const checked = row as CheckedRow;
    if (checked.number === null) throw damagedMessage(id, "its content row is missing");
    if (checked.contentChecksum !== contentChecksum(idToBytes(id), checked)) {
      throw damagedMessage(id, "the checksum of its content row does not match");
    }
  },
  summary: (id, row) => {
    const { summaryChecksum: checksum } = row as Pick<CheckedRow, "summaryChecksum"> & typeof row;
    if (checksum !== summaryChecksum(row.summary as Uint8Array)) {
      throw damagedMessage(id, "the checksum of its summary does not match");
    }
  },
};

/** Called for each damaged row that a read meets. */
export type OnDamage = (problem: Problem) => void;

/** {@link OnDamage} that does nothing. */
export const ignoreDamage: OnDamage = () => undefined;

/** Columns of a `content` row that its checksum covers; frames have checksums of their own. */
export interface ContentIdentity extends Omit<ContentLayout, "isTogether"> {
  readonly addresses: string;
}

/** Returns the checksum of a `message` row. */
export function summaryChecksum(summary: Uint8Array): number {
  return crc32(summary);
}

/** Returns the checksum of a `content` row that belongs to the message of this id (sixteen bytes). */
export function contentChecksum(id: Uint8Array, row: ContentIdentity): number {
  return crc32(`${row.addresses} ${row.detailSize} ${row.rawSize} ${row.bodySize}`, crc32(id));
}

/** Columns of an aggregate over rows of `id`, `summary` and `checksum`, for {@link joinedSummaries}. */
export const joinedColumns = `cast(group_concat(summary, ',') as blob) as json,
  json_group_array(octet_length(summary)) as lengths, json_group_array(checksum) as checksums,
  cast(group_concat(id, '') as blob) as ids`;

/** Row of {@link joinedColumns}; `json` and `ids` are null where nothing was aggregated. */
export interface JoinedSummaries {
  /** Summaries, joined by commas. */
  readonly json: Uint8Array | null;
  /** JSON array of the length of each summary in bytes. */
  readonly lengths: string;
  /** JSON array of the checksum of each summary, or null. */
  readonly checksums: string;
  /** Ids of sixteen bytes each. */
  readonly ids: Uint8Array | null;
}

const idBytes = 16;

const noBytes = new Uint8Array(0);

/** Returns the summaries of a page, joined by commas; a damaged one is replaced by {@link damagedSummary}. */
export function joinedSummaries({ json, lengths, checksums, ids }: JoinedSummaries, onDamage: OnDamage): Uint8Array {
  if (json === null || ids === null) return noBytes;
  const stored = JSON.parse(checksums) as number[];
  let end = -1;
  const summaries = (JSON.parse(lengths) as number[]).map((length) => {
    const start = end + 1;
    end = start + length;
    return json.subarray(start, end);
  });
  const damaged = summaries.filter((summary, index) => !isIntact(summary, stored[index] ?? 0));
  if (damaged.length === 0) return json;
  const idOf = (index: number): Uint8Array => ids.subarray(index * idBytes, (index + 1) * idBytes);
  return joinByCommas(
    summaries.map((summary, index) => (damaged.includes(summary) ? damagedSummary(idOf(index), onDamage) : summary)),
  );
}

/** Whether a summary matches its checksum. */
function isIntact(summary: Uint8Array, checksum: number): boolean {
  return checksum === summaryChecksum(summary);
}

/** Returns the summary where it is intact, else {@link damagedSummary}. */
export function intactSummary(
  row: { readonly id: Uint8Array; readonly summary: Uint8Array; readonly checksum: number },
  onDamage: OnDamage,
): Uint8Array {
  return isIntact(row.summary, row.checksum) ? row.summary : damagedSummary(row.id, onDamage);
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

/** Reports the damage and returns a placeholder summary as valid JSON, so that the rest of the list stays readable. */
function damagedSummary(bytes: Uint8Array, onDamage: OnDamage): Uint8Array {
  const id = idFromBytes(bytes);
  onDamage(damagedMessage(id, "the checksum of its summary does not match"));
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

/** SQL expression over a row `c` of `content`: the size that `storedBytes` returns. */
export const contentBytes: string = "(coalesce(c.detail_size, 0) + coalesce(c.raw_size, 0))";

/** Statement that recounts the bytes of every server. */
export const recountBytes: string = `update server set byte_count = coalesce((select sum(${contentBytes})
  from message m join content c on c.number = m.content where m.epoch = server.epoch), 0)
  + coalesce((select sum(a.size) from annotation a join message m on m.epoch = a.epoch and m.id = a.id
    where a.epoch = server.epoch), 0);`;
