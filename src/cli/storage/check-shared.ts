import type { Config } from "../../app/settings/config.ts";
import type { Page } from "../../core/criteria.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { Server } from "../../core/server.ts";
import type { Store } from "../../store/store.ts";
import { openTarget } from "./transfer-stores.ts";

const itemsPerPage = 1000;

/** Result of checking a PostgreSQL database. */
export interface SharedReport {
  readonly messageCount: number;
  readonly findings: readonly string[];
}

/** Reads every message of a PostgreSQL database while its nodes run; PostgreSQL itself checks its pages. */
export async function checkShared(config: Config): Promise<SharedReport> {
  const store = await openTarget(config);
  const findings: string[] = [];
  let messageCount = 0;
  try {
    for (const server of await store.listServers()) {
      for await (const id of idsOf(store, server)) {
        messageCount += 1;
        findings.push(...(await findingsOf(store, id)));
      }
    }
    return { messageCount, findings };
  } finally {
    await store.close();
  }
}

async function* idsOf(store: Store, server: Server): AsyncGenerator<MessageId> {
  for (const direction of ["Received", "Sent"] as const) yield* idsIn(store, server, direction);
}

async function* idsIn(store: Store, server: Server, direction: Direction): AsyncGenerator<MessageId> {
  for (let page = 0, hasMore = true; hasMore; page += 1) {
    const result = await listIds(store, server.id, { page, itemsPerPage, direction });
    yield* result.ids;
    ({ hasMore } = result);
  }
}

/** Returns the ids of a page of the messages of a server, newest first. */
export async function listIds(
  store: Pick<Store, "listMessages">,
  server: ServerId,
  page: Pick<Page, "page" | "itemsPerPage" | "direction">,
): Promise<{ readonly ids: readonly MessageId[]; readonly hasMore: boolean }> {
  const { json, hasMore } = await store.listMessages(server, { ...page, receivedAfter: null, afterSequence: null });
  const summaries = JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as { readonly id: MessageId }[];
  return { ids: summaries.map(({ id }) => id), hasMore };
}

async function findingsOf(store: Store, id: MessageId): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const [part, read] of [
    ["detail", () => store.getDetail(id)],
    ["raw", () => store.getRaw(id)],
  ] as const) {
    try {
      if ((await read()) === undefined && (await isStored(store, id))) {
        findings.push(`message ${id}: a chunk of its ${part} is missing`);
      }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "data_damaged") throw error;
      findings.push(`message ${id}: checksum mismatch in its ${part}`);
    }
  }
  return findings;
}

/** Whether the message still exists; it may have been deleted during the check. */
async function isStored(store: Store, id: MessageId): Promise<boolean> {
  const [sizeBytes = 0] = await store.measureMessages(decodeMessageId(id).server, [id]);
  return sizeBytes > 0;
}
