/** Compares a restored data directory with the one that was backed up, even while a service uses that. */
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { idFromBytes, type ServerId } from "../../../core/ids.ts";
import {
  type ComparedCounts,
  namedCountMax,
  samplePerServer,
  type ServerComparison,
  uncompared,
} from "../../server-comparison.ts";
import { connectReader } from "../connection/connection.ts";
import { requireCurrentSchema } from "../schema/schema.ts";
import { databaseFileName } from "../connection/store-directory.ts";

/** Directories and backup to compare. */
export interface ComparedCopies {
  readonly source: string;
  readonly restored: string;
  /** File from which `restored` was restored. */
  readonly backup: string;
  /** Number of messages, over all servers, whose contents are compared; one for each server at least. */
  readonly sampleCount: number;
}

interface ServerPair {
  readonly server: ServerId;
  readonly restoredCount: number;
  readonly sourceCount: number;
  readonly restoredEpoch: number | null;
  readonly sourceEpoch: number | null;
  /** Number of the last change in the backup. */
  readonly sequence: number;
  readonly isSame: number;
}

/**
 * Compares all messages by id, change number and summary, in one snapshot of the source, and the stored contents of the newest
 * ones; in order of server ids. Change numbers tell what the source has changed since the backup, so that it may go on
 * meanwhile. Throws a plain `Error` for the operator when the source has another schema.
 */
export function compareCopies(copies: ComparedCopies): readonly ServerComparison[] {
  const sourceFile = path.join(copies.source, databaseFileName);
  {
    using source = connectReader(sourceFile);
    requireCurrentSchema(source);
  }
  using database = connectReader(path.join(copies.restored, databaseFileName));
  database.prepare("attach ? as source").run(sourceFile);
  database.prepare("attach ? as backup").run(copies.backup);
  database.exec("begin");
  const pairs = database.prepare(pairsSql).all() as unknown as readonly ServerPair[];
  const perServer = samplePerServer(copies.sampleCount, pairs.length);
  return pairs.map((pair) => compareServer(database, pair, perServer));
}

// The UIDVALIDITY of a server changes only when it is created, and when its directory is restored.
const pairsSql = `
select coalesce(r.id, s.id) as server, r.epoch as restoredEpoch, s.epoch as sourceEpoch, r.sequence,
  coalesce(r.received_count + r.sent_count, 0) as restoredCount,
  coalesce(s.received_count + s.sent_count, 0) as sourceCount,
  coalesce(b.uid_validity = s.uid_validity and s.sequence >= r.sequence, 0) as isSame
from main.server r full join source.server s on s.id = r.id left join backup.server b on b.id = r.id
order by 1`;

const matched = `
with matched as (
  select m.id, m.sequence > $sequence as isNewer, r.id is not null as isRestored,
    r.sequence is m.sequence and r.checksum is m.checksum and r.summary is m.summary as isEqual
  from source.message m left join main.message r on r.epoch = $restoredEpoch and r.id = m.id
  where m.epoch = $sourceEpoch)`;

const countsSql = `${matched}
select coalesce(sum(isNewer and not isRestored), 0) as arrivedCount,
  coalesce(sum(isNewer and isRestored), 0) as changedCount,
  (select count(*) from main.message where epoch = $restoredEpoch) - coalesce(sum(isRestored), 0) as removedCount,
  coalesce(sum(not isNewer and not isRestored), 0) as missingCount,
  coalesce(sum(not isNewer and isRestored and not isEqual), 0) as differingCount
from matched`;

const namedSql = `${matched}
select id from matched where not isNewer and not isEqual limit $limit + 0`;

const sampleSql = `
select r.id, a.checksum is b.checksum and a.addresses = b.addresses and a.detail = b.detail and a.body is b.body
  and a.raw is b.raw and a.raw_chunk_count = b.raw_chunk_count and not exists (
    select 1 from main.raw_chunk c left join source.raw_chunk d on d.number = c.number + (b.number - a.number) * 65536
    where a.raw_chunk_count > 0 and c.number between a.number * 65536 and a.number * 65536 + 65535
      and d.bytes is not c.bytes) as isEqual
from main.message r
join source.message s on s.epoch = $sourceEpoch and s.id = r.id and s.sequence = r.sequence
join main.content a on a.number = r.content
join source.content b on b.number = s.content
where r.epoch = $restoredEpoch and r.sequence <= $sequence
order by r.sequence desc limit $limit + 0`;

type Counts = Omit<ComparedCounts, "sampledCount" | "sampleDifferingCount" | "named">;

function compareServer(database: DatabaseSync, pair: ServerPair, sampleCount: number): ServerComparison {
  const { server, restoredCount, sourceCount, restoredEpoch, sourceEpoch, sequence } = pair;
  const counted = { server, restoredCount, sourceCount };
  const state = stateOf(pair);
  if (state !== "compared") return { ...counted, ...uncompared, state };
  const place = { restoredEpoch, sourceEpoch, sequence };
  const counts = { ...(database.prepare(countsSql).get(place) as unknown as Counts) };
  const sample = database.prepare(sampleSql).all({ ...place, limit: sampleCount });
  const unequal = sample.filter(({ isEqual }) => isEqual === 0);
  const rows = [...database.prepare(namedSql).all({ ...place, limit: namedCountMax }), ...unequal];
  return {
    ...counted,
    state,
    ...counts,
    sampledCount: sample.length,
    sampleDifferingCount: unequal.length,
    named: [...new Set(rows.map(({ id }) => idFromBytes(id as Uint8Array)))].slice(0, namedCountMax),
  };
}

function stateOf({ restoredEpoch, sourceEpoch, isSame }: ServerPair): ServerComparison["state"] {
  if (restoredEpoch === null) return "new";
  if (sourceEpoch === null) return "removed";
  return isSame === 1 ? "compared" : "other";
}
