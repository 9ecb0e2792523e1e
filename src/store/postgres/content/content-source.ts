import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { ContentSource, OutsideContent } from "../../content/content-store.ts";
import { partNumbers, type ReadPart } from "../../records/content-rows.ts";
import { createRecordCalls, type ExecuteRecord } from "../../records/records.ts";
import { queryOf } from "../../sql/calls.ts";
import { recordRows } from "../account/records.ts";
import type { Database, Session } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";
import { serverNumberOf, slotOf } from "../messages/id-slots.ts";
import { inOrder } from "../messages/pages.ts";
import { chunkBytes } from "./content.ts";
import type { ExternalContent } from "./external-content.ts";

/** Returns the content of all messages. `external` is null without external storage. */
export function openContent(database: Database, external: ExternalContent | null): ContentSource {
  const outside = openOutside(database, external);
  return sourceOf(outside, async (kind, method, parameters) => {
    const query = queryOf(recordRows[kind], method, parameters);
    if (method !== "readWhole") return await runOn(database, query);
    return await database.read(inOrder, async (session) => await runOn(session, query));
  });
}

/** As {@link openContent}, as a transaction sees it. */
export function contentIn(session: Session, external: ExternalContent | null): ContentSource {
  return sourceOf(openOutside(session, external), async (kind, method, parameters) =>
    runOn(session, queryOf(recordRows[kind], method, parameters)),
  );
}

function sourceOf(outside: OutsideContent, read: ExecuteRecord): ContentSource {
  return { calls: createRecordCalls(recordRows, { read, change: read }), outside, checks: null };
}

/**
 * Returns the content of messages that is outside of the database. Its reads reject with `unavailable` on a node without
 * external storage.
 */
function openOutside(session: Session, external: ExternalContent | null): OutsideContent {
  const locate = async (id: MessageId, part: ReadPart) => {
    const server = serverNumberOf(decodeMessageId(id).server);
    const [row] = await session.query<{ name: string }>(
      `select name from outside where server_id = $1 and epoch = (select epoch from server where server_id = $1)
       and slot = $2 and part = $3`,
      [server, slotOf(id), partNumbers[part]],
    );
    if (row === undefined) return undefined;
    if (external !== null) return { server, name: row.name, external };
    const cause = new Error("the content is stored in an S3 bucket; set RESTANTE_BLOB_URL on this node");
    throw new Problem("unavailable", { cause });
  };
  return {
    read: async (id, part) => {
      const found = await locate(id, part);
      return await found?.external.read(found.server, found.name);
    },
    readChunk: async (id, part, at) => {
      const found = await locate(id, part);
      return await found?.external.readRange(found.server, found.name, { start: at * chunkBytes, length: chunkBytes });
    },
  };
}
