import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { type MaskedValue, snapshotOptionsSchema } from "../../core/snapshot.ts";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { decodeDetail, decodeExcerpt, type StoredMessageDetail } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";

/** Recipients whose addresses are masked; a mail for more is no mail of a test. */
const maskedRecipientCountMax = 50;

/**
 * Returns the snapshot of a message as `snapshotMessage` writes it; the recipients and the id of the server are masked too.
 * `body` has the options. Rejects with `not_found`, with a 400 that names every wrong option, and as the inspector does.
 */
export async function getSnapshot(
  context: Context,
  principal: Principal,
  { id: idText, body }: { readonly id: string; readonly body: unknown },
): Promise<string> {
  const options = decodeStrictly(snapshotOptionsSchema, body ?? {});
  const id = openMessageId(principal, idText);
  const stored = orNotFound(await context.store.getDetail(id), "Message");
  const { message } = decodeDetail(stored);
  const { sizeBytes } = decodeExcerpt(stored);
  const known = valuesOf(message, id);
  const inspection = { kind: "snapshot", source: { message, known }, options } as const;
  return inspectStored(context, { id, sizeBytes, inspection }, callerOf(principal, context));
}

/** Returns the values that the service knows to differ: recipients and server. Rejects with `not_found`. */
export async function knownValues(
  { store }: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<readonly MaskedValue[]> {
  const id = openMessageId(principal, idText);
  return valuesOf(decodeDetail(orNotFound(await store.getDetail(id), "Message")).message, id);
}

function valuesOf(message: StoredMessageDetail, id: MessageId): readonly MaskedValue[] {
  return [...recipientsOf(message), { name: "server", value: decodeMessageId(id).server }];
}

function recipientsOf({ to, cc, bcc, metadata }: StoredMessageDetail): readonly MaskedValue[] {
  const contacts = [...metadata.rcptTo, ...to, ...cc, ...bcc].map(({ email, phone }) => email ?? phone ?? "");
  const distinct = [...new Set(contacts)].filter((value) => value !== "").slice(0, maskedRecipientCountMax);
  return distinct.map((value) => ({ name: "recipient", value }));
}
