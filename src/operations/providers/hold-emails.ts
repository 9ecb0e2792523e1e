/** Mails that applications submit through the API of a provider and that are delivered later by a fault rule or a scanner. */
import type { MessageId, ServerId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { type HoldDelays, unlessTooMany } from "../scanner/scan-before-arrival.ts";
import { type HeldContent, holdMessage, passOverUnknown } from "../inbound/hold-messages.ts";
import type { ServerRecipients } from "../inbound/arriving-records.ts";
import { composeEmail, type IdentifiedEmail, type RoutedEmail } from "./compose-email.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import type { MessageFaults } from "./request-faults.ts";

/** Mail with its servers and its faults. */
export interface FaultedEmail extends RoutedEmail {
  readonly faults: MessageFaults;
  /** Returns the encoded transcript of the request; undefined without one. */
  readonly encodeTranscript: () => string | undefined;
  /** Delays of fault rules and scanners. */
  readonly hold: HoldDelays;
}

/** Mail that was composed already, with the UUID of its submission. */
export interface ComposedEmail extends IdentifiedEmail {
  readonly uuid: MessageId;
}

/** Mail of which some copies are held. */
export interface HeldEmail {
  /** Null when none of the servers exists. */
  readonly composed: ComposedEmail | null;
  readonly held: readonly MessageId[];
  /** Copies that are stored at once. */
  readonly copies: readonly ServerRecipients[];
}

/** Whether copies of a mail are delivered later. */
export function isHeld({ copies, hold }: FaultedEmail): boolean {
  return copies.some(({ server }) => hold.delays.has(server));
}

/**
 * Holds the copies of a mail that are delivered later. The first one has the UUID of the submission, so the provider's API
 * finds the mail at once. Rejects as {@link holdMessage}; then none is held.
 */
export async function holdEmail(
  context: Context,
  { provider }: ProviderCaller,
  { email, copies, faults: { hits }, hold, encodeTranscript }: FaultedEmail,
): Promise<HeldEmail> {
  const now = context.clock.now();
  const held: MessageId[] = [];
  const unheld = new Set<ServerId>();
  let composed: ComposedEmail | null = null;
  const composeAs = async (uuid: MessageId, copy: ServerRecipients): Promise<HeldContent> => {
    const identity = { uuid, server: copy.server, provider, date: now, scheduledAt: null };
    const own = held.length > 0 && composed !== null ? composed : await composeEmail(context, email, identity);
    if (own.raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
    if (held.length === 0) composed = { ...own, uuid };
    const { origin, raw } = own;
    const stored = { origin, mailFrom: email.mailFrom, copies: [copy], isComposed: false, faults: hits };
    const transcript = encodeTranscript();
    return { content: { ...stored, ...(transcript !== undefined && { transcript }) }, raw };
  };
  try {
    for (const copy of copies) {
      const { server } = copy;
      const delayMs = hold.delays.get(server);
      if (delayMs === undefined) continue;
      const message = { server, until: now + delayMs, compose: (uuid: MessageId) => composeAs(uuid, copy) };
      const id = await unlessTooMany(holdMessage(context, message).catch(passOverUnknown), hold, server);
      if (id === null) unheld.add(server);
      else if (id !== undefined) held.push(id);
    }
  } catch (error) {
    await context.store.scheduledMessages.withdrawHeldMessages(held);
    throw error;
  }
  return {
    composed: held.length > 0 ? composed : null,
    held,
    copies: copies.filter(({ server }) => !hold.delays.has(server) || unheld.has(server)),
  };
}
