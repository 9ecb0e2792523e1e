/** Checks of new messages, and rows that are stored with them, in the same transaction. */
import type { MessageId, ServerId } from "../../core/ids.ts";
import { annotationBytes } from "../../core/server.ts";
import { addReparses, addScans } from "../queues/added-work.ts";
import type { Query } from "../sql/query.ts";
import type { InsertOptions, NewMessage } from "../store.ts";
import type { RecordRows } from "./records.ts";
import type { ServerPosition } from "./server-position.ts";

/** New message of a server whose row is locked. */
export interface PlacedMessage extends Pick<NewMessage, "annotations"> {
  readonly server: ServerId;
  readonly position: ServerPosition;
  /** Number of bytes that count against the quota of its server, without its annotations. */
  readonly bytes: number;
}

/** Throws `quota_exceeded` when a server would exceed its quota, in which its held messages count too. */
export function* requireQuotas(
  { scheduled }: Pick<RecordRows, "scheduled">,
  messages: readonly PlacedMessage[],
): Query<void> {
  for (const [server, own] of Map.groupBy(messages, (message) => message.server)) {
    const bytes = own.reduce((sum, message) => sum + message.bytes + annotationBytes(message.annotations), 0);
    const position = own[0]?.position;
    if (position !== undefined) yield* scheduled.requireQuota(server, position, { messages: own.length, bytes });
  }
}

/**
 * Adds what a call stores with its messages, of which `stored` are new or existed before. Throws `too_many_requests` and
 * `conflict` before anything is written, unless another node was faster.
 */
export function* addCompanions(
  { deliveries, outbox, idempotency }: Pick<RecordRows, "deliveries" | "outbox" | "idempotency">,
  stored: ReadonlySet<MessageId>,
  options: InsertOptions,
): Query<void> {
  const { entries = [], allowance = null, repeatable = null, reparseAt = null, scans = [] } = options;
  const isStored = (message: MessageId | null): boolean => (message === null ? stored.size > 0 : stored.has(message));
  const callbacks = (options.deliveries ?? []).filter(({ message }) => isStored(message));
  const furtherCount = allowance === null ? 0 : yield* deliveries.countNewOutbound(callbacks);
  yield* outbox.add({ entries: entries.filter(({ message }) => isStored(message)), allowance }, furtherCount);
  yield* deliveries.addWithMessages(callbacks);
  if (reparseAt !== null) yield* addReparses([...stored], reparseAt);
  yield* addScans(scans.filter(({ message }) => stored.has(message)));
  if (repeatable !== null && stored.has(repeatable.message)) yield* idempotency.addRequest(repeatable);
}
