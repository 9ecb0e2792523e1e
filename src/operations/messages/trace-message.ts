import type { Principal } from "../../core/api-key.ts";
import type { SmtpSession } from "../../core/smtp-session.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import { inspectStored, type InspectStoredContext } from "../services/inspection/inspect-stored.ts";
import type { PartOutline } from "../services/reading/part-outline.ts";
import { showTranscript } from "./get-transcript.ts";
import { decodeDetail, decodeExcerpt } from "../services/reading/stored-detail.ts";

/** Origin and structure of a message. */
export interface Trace {
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
  /** SMTP session; null without one. */
  readonly session: SmtpSession | null;
  /** MIME part tree; null for SMS. */
  readonly root: PartOutline | null;
  /** Whether the session or request was recorded. */
  readonly hasTranscript: boolean;
  /** Whether the link scanner has reported on the message. */
  readonly hasScan: boolean;
}

/** Returns the trace of one message. Rejects with `not_found`, and as the inspector does when the mail is large. */
export async function traceMessage(
  context: InspectStoredContext & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<Trace> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const detail = decodeDetail(bytes);
  const hasScan = (await context.store.annotations.getAnnotation(id, "scan")) !== undefined;
  const recorded = { session: detail.session, hasTranscript: showTranscript(detail) !== null, hasScan };
  const { sizeBytes } = decodeExcerpt(bytes);
  if (sizeBytes === 0) return { ...recorded, sizeBytes, root: null };
  const caller = callerOf(principal, context);
  return {
    ...recorded,
    sizeBytes,
    root: await inspectStored(context, { id, sizeBytes, inspection: { kind: "outline" } }, caller),
  };
}
