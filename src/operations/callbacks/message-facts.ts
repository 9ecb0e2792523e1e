/** Facts of a stored message that callbacks repeat. */
import type { EventMessage } from "../../core/events.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { FoldedCriteria } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { matchesCriteria } from "../services/events/criteria-match.ts";
import { addressKeys } from "../services/reading/email-record.ts";
import { labelKeys } from "../services/reading/label-keys.ts";
import { decodeDetail, decodeExcerpt, type StoredDetail } from "../services/reading/stored-detail.ts";
import { foldText } from "../../core/fold.ts";

/** Stored message that callbacks are about. */
export interface CallbackMessage {
  readonly id: MessageId;
  readonly detail: StoredDetail;
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Returns a message; undefined when it was deleted. */
export async function readCallbackMessage(
  { store }: Pick<Context, "store">,
  id: MessageId,
): Promise<CallbackMessage | undefined> {
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  return { id, detail: decodeDetail(bytes), sizeBytes: decodeExcerpt(bytes).sizeBytes };
}

/** Returns the envelope recipients of a message; without an envelope, those of its header fields. No duplicates. */
export function recipientsOf({ detail: { message } }: CallbackMessage): readonly string[] {
  const { to, cc, bcc, metadata } = message;
  const contacts = metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc];
  const byFolded = new Map<string, string>();
  for (const { email } of contacts) {
    if (email !== null && email !== "" && !byFolded.has(email.toLowerCase())) byFolded.set(email.toLowerCase(), email);
  }
  return [...byFolded.values()];
}

/** Returns whether a message matches criteria, as a search for them does. */
export type MessageMatcher = (criteria: FoldedCriteria) => Promise<boolean>;

/**
 * Creates a matcher of one message for any number of criteria: the mail is read and parsed once, and only for criteria of
 * its body that the other criteria do not decide.
 */
export function createMessageMatcher(
  context: Pick<Context, "store" | "readEmail">,
  message: CallbackMessage,
): MessageMatcher {
  let keys: Omit<EventMessage, "body"> | null = null;
  let body: Promise<string> | null = null;
  return async ({ body: wanted, ...others }) => {
    keys ??= keysOf(message);
    const isMet = matchesCriteria({ ...keys, body: null }, others) !== false;
    if (wanted === undefined || isMet !== (others.match === "ALL")) return isMet;
    body ??= searchBodyOf(context, message);
    return (await body).includes(wanted);
  };
}

function keysOf({ detail: { message, submittedAs } }: CallbackMessage): Omit<EventMessage, "body"> {
  const { from, to, cc, bcc, metadata, subject, provider } = message;
  const envelopeSender = { name: "", email: metadata.mailFrom ?? "", phone: null };
  return {
    from: addressKeys([...from, envelopeSender]),
    to: addressKeys([...to, ...cc, ...bcc, ...metadata.rcptTo]),
    subject: foldText(subject),
    ...labelKeys(provider, submittedAs),
  };
}

async function searchBodyOf(
  { store, readEmail }: Pick<Context, "store" | "readEmail">,
  { id, detail: { message } }: CallbackMessage,
): Promise<string> {
  if (message.type === "SMS") return foldText(message.text?.body ?? "");
  const raw = await store.getRaw(id);
  return raw === undefined ? "" : (await readEmail(raw, decodeMessageId(id).server)).searchBody.join("\n");
}
