import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { readAddress, type Recipient } from "../sending/allowed-recipients.ts";
import { randomAddress } from "../services/sending/compose-stamp.ts";
import { runOnce, scopeOf } from "../services/sending/idempotency.ts";
import { openRecipients, sendMail, type SendingDependencies } from "../sending/send-mail.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { openMessage as openSent, type OpenedMessage as SentMessage } from "./get-message.ts";

/** Recipients of a release. */
export const releaseRecipientCountMax = 20;

/** Request to release a mail. */
export interface ReleaseRequest {
  readonly id: string;
  /** Plain addresses; at least one. */
  readonly to: readonly string[];
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/** Returns the recipients of a release; throws a 400 on `to`. */
export function readReleaseRecipients({ to = [] }: { readonly to?: readonly string[] }): readonly Recipient[] {
  if (to.length === 0) throw invalidField("to", "Give at least one address", "required");
  if (to.length > releaseRecipientCountMax) {
    throw invalidField("to", `Must have at most ${releaseRecipientCountMax} elements`, "out_of_range");
  }
  return to.map((address) => ({ field: "to", address: readAddress("to", address) }));
}

/**
 * Sends a mail as it was received, with all its header fields, from an address of its server to verified recipients; returns
 * the sent message. Rejects with `not_found`, with a 400 on `to` or `id`, and as `sendMail` and `runOnce` do.
 */
export async function releaseMessage(
  context: SendingDependencies,
  principal: Principal,
  { id: idText, to, repeatKey }: ReleaseRequest,
): Promise<SentMessage> {
  const original = openMessageId(principal, idText);
  const raw = orNotFound(await context.store.getRaw(original), "Message");
  if (raw.byteLength === 0) throw invalidField("id", "Only mail can be released", "not_email");
  const { server } = decodeMessageId(original);
  const repeat = { scope: scopeOf(principal, "release"), key: repeatKey, content: [original, to] };
  const id = await runOnce(context, repeat, async (ticket) => {
    const recipients = await openRecipients(context, principal, { server, recipients: readReleaseRecipients({ to }) });
    const mailFrom = randomAddress(context, server);
    return sendMail(context, { server, mailFrom, recipients, raw, ticket });
  });
  return openSent(context, principal, id);
}
