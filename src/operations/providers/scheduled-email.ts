/** Scheduled mails of a caller: reading, rescheduling, cancelling. */
import { notFound, Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { StoredEmail } from "../../providers/email.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import type { GetMessageContext } from "../messages/get-message.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf } from "../services/security/caller-of.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { decodeDetail, showBodies, showMessage } from "../services/reading/stored-detail.ts";
import { scheduledContent, type ScheduledMail } from "../scheduled/scheduled-content.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import { findStoredEmail } from "./stored-emails.ts";
import { requestWaitMsMax } from "../services/limits/mail-admission.ts";

/** Dependencies of reading a mail. */
export type EmailReadingContext = GetMessageContext & Pick<Context, "clock" | "readEmail" | "admission">;

/** Implements `getEmail` of the contract of providers. */
export async function getEmail(
  context: EmailReadingContext,
  caller: ProviderCaller,
  uuid: string,
): Promise<StoredEmail> {
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
  context: EmailReadingContext,
  caller: ProviderCaller,
  { uuid, sendAt }: { readonly uuid: string; readonly sendAt: number },
): Promise<void> {
  await change(context, caller, {
    uuid,
    apply: async (id) => context.store.scheduledMessages.rescheduleMessage(id, sendAt),
  });
}

/** Implements `cancelEmail` of the contract of providers. */
export async function cancelEmail(context: EmailReadingContext, caller: ProviderCaller, uuid: string): Promise<void> {
  await change(context, caller, {
    uuid,
    apply: async (id) => context.store.scheduledMessages.cancelScheduledMessage(id),
  });
}

async function change(
  context: EmailReadingContext,
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
  { store }: Pick<Context, "store">,
  { principal, provider }: ProviderCaller,
  uuid: string,
): Promise<FoundEmail | undefined> {
  const email = await store.scheduledMessages.getScheduledMessage(openMessageId(principal, uuid));
  if (email === undefined) return undefined;
  const content = scheduledContent(email);
  if ("sms" in content || content.origin?.name !== provider) return undefined;
  return { email, content, origin: content.origin };
}

async function showScheduled(
  context: EmailReadingContext,
  caller: ProviderCaller,
  uuid: string,
): Promise<StoredEmail | undefined> {
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
  context: EmailReadingContext,
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
