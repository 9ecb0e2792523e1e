/** Changes of mails, as lists of changes and subscriptions to mailboxes see them. */
import type { Change } from "../../../core/events.ts";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import { markedMessageCountMax } from "../../../core/limits.ts";
import type { MailboxChange } from "../../../providers/mailbox.ts";
import type { ProviderObjectKey } from "../../../store/provider-object-store.ts";
import type { Context } from "../../context.ts";
import { decodeDetail } from "./stored-detail.ts";

const kinds: Readonly<Partial<Record<Change["kind"], MailboxChange["kind"]>>> = {
  received: "added",
  sent: "added",
  deleted: "deleted",
  marked: "marked",
};

/** Returns the changes of single messages in a change of a server; none when the server was emptied. */
export async function mailboxChangesOf(
  { store }: Pick<Context, "store">,
  server: ServerId,
  { kind: given, sequence, id }: Change,
): Promise<readonly MailboxChange[]> {
  const kind = kinds[given];
  if (kind === undefined) return [];
  if (id !== null) return [{ sequence, kind, id }];
  // Several messages; those that were marked again since have a later change.
  const marked = await store.marks.listMarks(server, sequence - 1, markedMessageCountMax);
  return marked.flatMap((one) => (one.sequence === sequence ? [{ sequence, kind, id: one.id }] : []));
}

/**
 * Returns whether a change is about a mail that came through a provider. Of a mail that is deleted, only
 * {@link noteRemoval} leaves this known.
 */
export async function isOfProvider(
  { store, clock }: Pick<Context, "store" | "clock">,
  { id, kind }: MailboxChange,
  provider: string,
): Promise<boolean> {
  if (kind === "deleted") {
    return (await store.providerObjects.getObject(removalOf(provider, id), clock.now())) !== undefined;
  }
  const bytes = await store.getDetail(id);
  return bytes !== undefined && decodeDetail(bytes).message.provider?.name === provider;
}

/** Time for which removals are remembered, and the number of them in a server at one provider. */
const removalMsMax = 24 * 3_600_000;
const removalCountMax = 10_000;

/** Notes that a mail which came through a provider is removed, so that callers who may read only such mail see it. */
export async function noteRemoval(
  { store, clock }: Pick<Context, "store" | "clock">,
  provider: string,
  id: MessageId,
): Promise<void> {
  const now = clock.now();
  const change = { json: "null", expiresAt: now + removalMsMax, version: null, now, countMax: removalCountMax };
  try {
    await store.providerObjects.putObject({ ...removalOf(provider, id), ...change });
  } catch (error) {
    // Beyond the limit, the mail is removed all the same, and lists of changes lack it.
    if (!(error instanceof Problem && error.code === "limit_reached")) throw error;
  }
}

function removalOf(provider: string, id: MessageId): ProviderObjectKey {
  return { provider, server: decodeMessageId(id).server, kind: "removed mail", id };
}
