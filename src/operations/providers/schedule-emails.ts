/** Mails that applications submit through the API of a provider and that arrive later. */
import type { MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import type { NewScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { scheduleLimits, type ScheduledMail } from "../scheduled/scheduled-content.ts";
import { composeEmail } from "./compose-email.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import type { RoutedEmail } from "./route-email.ts";

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
  emails: readonly RoutedEmail[],
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
  { email, copies }: RoutedEmail,
): Promise<{ readonly submission: ScheduledSubmission; readonly scheduled: NewScheduledMessage }> {
  const [first] = copies;
  if (first === undefined) throw new Error("a mail without recipients was not refused");
  const { id } = context.ids.next(first.server, "Received");
  const sendAt = email.sendAt ?? context.clock.now();
  const identity = { uuid: id, server: first.server, provider, date: sendAt, scheduledAt: sendAt };
  const { raw, origin } = await composeEmail(context, email, identity);
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
  const isComposed = !(email.content instanceof Uint8Array);
  const content: ScheduledMail = { origin, mailFrom: email.mailFrom, copies, isComposed };
  return {
    submission: { uuid: id, providerId: origin.id },
    scheduled: { id, sendAt, acceptedAt: null, json: JSON.stringify(content), raw },
  };
}
