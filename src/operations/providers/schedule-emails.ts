/** Mails that applications submit through the API of a provider and that arrive later. */
import type { MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import type { NewScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { scheduleLimits, type ScheduledMail } from "../scheduled/scheduled-content.ts";
import { composeEmail } from "./compose-email.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import type { FaultedEmail } from "./hold-emails.ts";

/** Ids of a scheduled mail. */
export interface ScheduledSubmission {
  readonly uuid: MessageId;
  readonly providerId: string;
}

type Dependencies = Pick<Context, "store" | "clock" | "ids" | "limits" | "settings">;

/**
 * Stores mails until they arrive, all or none. Rejects with `message_too_large`, and with `limit_reached` when a server
 * would have more than 10,000 scheduled mails or 2 GiB of them.
 */
export async function scheduleEmails(
  context: Dependencies,
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
  context: Dependencies,
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
