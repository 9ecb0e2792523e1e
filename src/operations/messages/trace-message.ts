import type { Principal } from "../../core/api-key.ts";
import type { MessageId } from "../../core/ids.ts";
import type { SmtpSession } from "../../core/smtp-session.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import { inspectStored, type InspectStoredContext } from "../services/inspection/inspect-stored.ts";
import type { PartOutline } from "../services/reading/part-outline.ts";
import { decodeDetail, decodeExcerpt } from "../services/reading/stored-detail.ts";

/** How a message came and how it is built. */
export interface Trace {
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
  /** The connection that brought it; null where none did. */
  readonly session: SmtpSession | null;
  /** The part tree; null where the message is no mail. */
  readonly root: PartOutline | null;
}

/** Returns the trace of one message. Rejects with `not_found`, and as the inspector does where the mail is large. */
export async function traceMessage(
  context: InspectStoredContext & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<Trace> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const { session } = decodeDetail(bytes);
  const sizeBytes = decodeExcerpt(bytes)?.sizeBytes ?? (await sizeOf(context, id));
  if (sizeBytes === 0) return { sizeBytes, session, root: null };
  const caller = callerOf(principal, context);
  return {
    sizeBytes,
    session,
    root: await inspectStored(context, { id, sizeBytes, inspection: { kind: "outline" } }, caller),
  };
}

/** Details that older versions stored do not tell the size. */
async function sizeOf({ store }: InspectStoredContext, id: MessageId): Promise<number> {
  return orNotFound(await store.openRaw(id), "Message").sizeBytes;
}
