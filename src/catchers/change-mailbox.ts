/** Changes of the received messages of a server by the APIs of other mail catchers. */
import type { MessageId } from "../core/ids.ts";
import { markedMessageCountMax } from "../core/limits.ts";
import type { MarkChange } from "../core/marks.ts";
import { deleteMessage, emptyServer } from "../operations/messages/delete-messages.ts";
import { markMessages } from "../operations/marks/marks.ts";
import type { IdentityPage, MarkedMessage } from "../store/mark-store.ts";
import type { MailboxCall } from "./mailbox.ts";
import type { CatcherCall } from "./catcher.ts";
import { releaseMessage } from "../operations/messages/reply-to-message.ts";
import { orNull, readingContext } from "./received-message.ts";
import { ruleOf, type FaultRule } from "../core/fault.ts";
import { covers } from "../operations/services/security/access.ts";
import { listFaults, replaceFaults } from "../operations/faults/fault-rules.ts";
import type { Delivery } from "../core/delivery.ts";
import { getDelivery } from "../operations/services/reading/get-message.ts";

type RecordedCall = MailboxCall & Pick<CatcherCall, "record">;

/** Number of messages that are deleted at the same time, so that they share commits. */
const deletedAtOnceMax = 50;

/** Calls `action` with parts of a list. */
async function inParts<T>(
  list: readonly T[],
  countMax: number,
  action: (part: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < list.length; from += countMax) await action(list.slice(from, from + countMax));
}

/** Returns the marks of the given messages, without messages that never had any. */
export async function readMarks(
  { context, server }: MailboxCall,
  ids: readonly MessageId[],
): Promise<readonly MarkedMessage[]> {
  const marked: MarkedMessage[] = [];
  await inParts(ids, markedMessageCountMax, async (part) => {
    for (const one of await context.store.marks.readMarks(server, part)) marked.push(one);
  });
  return marked;
}

/** Marks all received messages as read. */
export async function markAllRead(call: MailboxCall): Promise<void> {
  await forAllMessages(call, async (ids) => changeMarks(call, ids, { addFlags: ["seen"] }));
}

/** Changes the marks of messages; ids of no message of the server are ignored. */
export async function changeMarks(
  { context, principal, server }: MailboxCall,
  ids: readonly string[],
  change: MarkChange,
): Promise<void> {
  await inParts(ids, markedMessageCountMax, async (part) => {
    await markMessages(context, principal, { server, ids: part, change });
  });
}

/** Deletes messages, and records each in the audit log; ids of no message of the server are ignored. */
export async function deleteMessages(call: RecordedCall, ids: readonly string[]): Promise<void> {
  const { context, principal } = call;
  await inParts(ids, deletedAtOnceMax, async (part) => {
    const deleteOne = async (id: string): Promise<void> => {
      const isDeleted = await orNull(deleteMessage(context, principal, id).then(() => true));
      if (isDeleted !== null) await call.record("message.delete", { target: id });
    };
    await Promise.all(part.map(deleteOne));
  });
}

/** Relays a mail as it was received, to verified recipients; returns the id of the sent message. Rejects as {@link releaseMessage} does. */
export async function relayMail(call: CatcherCall, id: MessageId, to: readonly string[]): Promise<MessageId> {
  const request = { id, to, repeatKey: null };
  return (await releaseMessage(readingContext(call), call.principal, request)).message.id;
}

/** Deletes all messages of the server, and records it in the audit log. */
export async function emptyMailbox({ context, principal, server, record }: RecordedCall): Promise<void> {
  await emptyServer(context, principal, server);
  await record("server.empty", { target: server });
}

/** Calls `action` with the ids of all received messages, some at a time, oldest first. */
export async function forAllMessages(
  { context, server }: MailboxCall,
  action: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  let after: MessageId | null = null;
  for (let hasMore = true; hasMore;) {
    const page: IdentityPage = await context.store.marks.listIdentities(server, "Received", after);
    const ids = page.identities.map(({ id }) => id);
    await action(ids);
    after = ids.at(-1) ?? null;
    hasMore = page.hasMore && after !== null;
  }
}

/** Marks a message as read; does nothing for a key that may only read. */
export async function markRead({ context, principal, server }: MailboxCall, id: MessageId): Promise<void> {
  if (!covers(principal.scope ?? "full", "manage")) return;
  await markMessages(context, principal, { server, ids: [id], change: { addFlags: ["seen"] } });
}

/** Returns the fault rules of the server with these names. */
export async function readOwnFaults(
  { context, principal, server }: Pick<CatcherCall, "context" | "principal" | "server">,
  names: readonly string[],
): Promise<Awaited<ReturnType<typeof listFaults>>> {
  return (await listFaults(context, principal, server)).filter(({ name }) => names.includes(name));
}

/** Replaces the fault rules of the server with these names, and keeps its other ones with their counts. */
export async function replaceOwnFaults(
  call: Pick<CatcherCall, "context" | "principal" | "server" | "record">,
  names: readonly string[],
  rules: readonly FaultRule[],
): Promise<void> {
  const { context, principal, server } = call;
  const others = (await listFaults(context, principal, server)).filter(({ name }) => !names.includes(name));
  const all = [...others.map(ruleOf), ...rules];
  await replaceFaults(context, principal, { scope: server, read: () => ({ rules: all, keepsCounts: true }) });
  await call.record("faults.replace", { details: { count: all.length } });
}

/** Longest wait for the outcome of a delivery, in milliseconds; the outbox goes on afterwards. */
const waitMsMax = 10_000;
/** Pause between two looks at the outcome, in milliseconds. */
const pauseMs = 50;

/**
 * Resolves with the state of a sent message once it has left or failed, or after ten seconds; undefined when it had only
 * recipients of this service. Rejects when the client disconnects.
 */
export async function awaitDelivery(
  { context, signal }: Pick<CatcherCall, "context" | "signal">,
  id: MessageId,
): Promise<Delivery | undefined> {
  const gone = signal();
  const { clock } = context;
  const endsAt = clock.monotonicMs() + waitMsMax;
  for (;;) {
    const delivery = await getDelivery(context.store, id);
    if (delivery?.status !== "Queued" || clock.monotonicMs() >= endsAt) return delivery;
    gone.throwIfAborted();
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}
