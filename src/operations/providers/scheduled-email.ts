/** Scheduled mails of a caller: reading, rescheduling, cancelling. */
import { notFound, Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import type { StoredEmail } from "../../providers/email.ts";
import type { NewScheduledMessage, ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { scheduledContent, type ScheduledMail, scheduleLimits } from "../inbound/arriving-records.ts";
import { requestWaitMsMax } from "../services/limits/mail-admission.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { decodeDetail, showBodies, showMessage } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId } from "../services/security/access.ts";
import { composeEmail } from "./compose-email.ts";
import type { FaultedEmail } from "./submit-emails.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { findStoredEmail } from "./stored-emails.ts";

/** Implements `getEmail` of the contract of providers. */
export async function getEmail(context: Context, caller: ProviderCaller, uuid: string): Promise<StoredEmail> {
  const stored = await findStoredEmail(context, caller, uuid);
  if (stored !== undefined) return stored;
  const shown = await showScheduled(context, caller, uuid);
  // Between the two look-ups a mail may have arrived.
  const found = shown ?? (await findStoredEmail(context, caller, uuid));
  if (found === undefined) throw notFound("Message");
  return found;
}

/** Implements `rescheduleEmail` of the contract of providers. */
export async function rescheduleEmail(
  context: Context,
  caller: ProviderCaller,
  { uuid, sendAt }: { readonly uuid: string; readonly sendAt: number },
): Promise<void> {
  await change(context, caller, {
    uuid,
    apply: async (id) => context.store.scheduledMessages.rescheduleMessage(id, sendAt),
  });
}

/** Implements `cancelEmail` of the contract of providers. */
export async function cancelEmail(context: Context, caller: ProviderCaller, uuid: string): Promise<void> {
  await change(context, caller, {
    uuid,
    apply: async (id) => context.store.scheduledMessages.cancelScheduledMessage(id),
  });
}

async function change(
  context: Context,
  caller: ProviderCaller,
  { uuid, apply }: { readonly uuid: string; readonly apply: (id: MessageId) => Promise<boolean> },
): Promise<void> {
  const scheduled = await findScheduled(context, caller, uuid);
  if (scheduled !== undefined && (await apply(scheduled.email.id))) return;
  const hasArrived = scheduled?.email.messages !== null && scheduled !== undefined;
  if (!hasArrived && (await findStoredEmail(context, caller, uuid)) === undefined) {
    // Its arrival may have begun after it was found.
    const now = await findScheduled(context, caller, uuid);
    if (now === undefined) throw notFound("Message");
  }
  throw new Problem("conflict", { text: "The message has been sent already" });
}

interface FoundEmail {
  readonly email: ScheduledMessage;
  readonly content: ScheduledMail;
  readonly origin: ProviderOrigin;
}

async function findScheduled(
  { store }: Context,
  { principal, provider }: ProviderCaller,
  uuid: string,
): Promise<FoundEmail | undefined> {
  const email = await store.scheduledMessages.getScheduledMessage(openMessageId(principal, uuid));
  if (email === undefined) return undefined;
  const content = scheduledContent(email);
  if ("sms" in content || content.origin?.name !== provider) return undefined;
  return { email, content, origin: content.origin };
}

async function showScheduled(context: Context, caller: ProviderCaller, uuid: string): Promise<StoredEmail | undefined> {
  const found = await findScheduled(context, caller, uuid);
  if (found === undefined) return undefined;
  const { id, rawBytes } = found.email;
  const release = await context.admission.admit(rawBytes, decodeMessageId(id).server, requestWaitMsMax);
  try {
    const raw = await context.store.scheduledMessages.getScheduledRaw(id);
    return raw === undefined ? undefined : await show(context, caller, { ...found, raw });
  } finally {
    release?.();
  }
}

async function show(
  context: Context,
  { principal }: ProviderCaller,
  { email, content, origin, raw }: FoundEmail & { readonly raw: Uint8Array },
): Promise<StoredEmail> {
  const { mailFrom, copies } = content;
  const envelope = { mailFrom, rcptTo: copies.flatMap(({ recipients }) => recipients) };
  const mail = { raw, envelope, session: null, provider: origin };
  const { detailJson } = recordEmail(email.id, mail, await context.readEmail(raw, copies[0]?.server));
  const detail = decodeDetail(detailJson);
  const bodies = await showBodies(detail, raw, { bodies: context.bodies, caller: callerOf(principal, context) });
  const { tags, metadata, template } = origin;
  return {
    providerId: origin.id,
    id: null,
    // A held mail was sent, as far as its sender knows.
    status: email.acceptedAt === null ? "scheduled" : "delivered",
    createdAt: decodeMessageId(email.id).receivedAt,
    sendAt: email.acceptedAt === null ? email.sendAt : null,
    facts: { tags, metadata, template },
    message: showMessage(detail, bodies, context.settings.publicUrl()),
  };
}

// Mails that applications submit through the API of a provider and that arrive later.

/** Ids of a scheduled mail. */
interface ScheduledSubmission {
  readonly uuid: MessageId;
  readonly providerId: string;
}

/**
 * Stores mails until they arrive, all or none. Rejects with `message_too_large`, and with `limit_reached` when a server
 * would have more than 10,000 scheduled mails or 2 GiB of them.
 */
export async function scheduleEmails(
  context: Context,
  { provider }: ProviderCaller,
  emails: readonly FaultedEmail[],
): Promise<readonly ScheduledSubmission[]> {
  for (;;) {
    const prepared: { readonly submission: ScheduledSubmission; readonly scheduled: NewScheduledMessage }[] = [];
    for (const one of emails) prepared.push(await prepare(context, provider, one));
    const isStored = await context.store.scheduledMessages.addScheduledMessages(
      prepared.map(({ scheduled }) => scheduled),
      scheduleLimits,
    );
    if (isStored) return prepared.map(({ submission }) => submission);
  }
}

async function prepare(
  context: Context,
  provider: string,
  { email, copies, faults, encodeTranscript }: FaultedEmail,
): Promise<{ readonly submission: ScheduledSubmission; readonly scheduled: NewScheduledMessage }> {
  const [first] = copies;
  if (first === undefined) throw new Error("a mail without recipients was not refused");
  const { id } = context.ids.next(first.server, "Received");
  const sendAt = (email.sendAt ?? context.clock.now()) + lateMs({ copies, faults });
  const identity = { uuid: id, server: first.server, provider, date: sendAt, scheduledAt: sendAt };
  const { raw, origin } = await composeEmail(context, email, identity);
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
  const isComposed = !(email.content instanceof Uint8Array);
  const stored = { origin, mailFrom: email.mailFrom, copies, isComposed, faults: faults.hits };
  const transcript = encodeTranscript();
  const content: ScheduledMail = transcript === undefined ? stored : { ...stored, transcript };
  return {
    submission: { uuid: id, providerId: origin.id },
    scheduled: { id, sendAt, acceptedAt: null, json: JSON.stringify(content), raw },
  };
}

/** Returns the delay of a mail that is delivered late to all of its servers: the shortest one; 0 for other mails. */
function lateMs({ copies, faults: { late } }: Pick<FaultedEmail, "copies" | "faults">): number {
  const delays = copies.map(({ server }) => late.get(server) ?? 0);
  return Math.min(...delays);
}
