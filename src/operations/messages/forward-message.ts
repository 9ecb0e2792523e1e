import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import type { Forward } from "../../mime/compose/compose-forward.ts";
import type { Recipient } from "../sending/allowed-recipients.ts";
import { domainOf, randomAddress, newStamp } from "../services/sending/compose-stamp.ts";
import { readRecipients } from "./create-email.ts";
import { openMessage as openSent, type OpenedMessage as SentMessage } from "./get-message.ts";
import { composeFromOpened, openMessage } from "../services/sending/open-original.ts";
import { runOnce, scopeOf } from "../services/sending/idempotency.ts";
import { openRecipients, sendMail, type SendingDependencies } from "../sending/send-mail.ts";

/** Fields of a forward. */
export interface ForwardFields {
  /** One plain address; required. */
  readonly to?: string;
  readonly cc?: string;
  /** Inserted before the original. */
  readonly text?: string;
  readonly html?: string;
}

/** Request to forward a message. */
export interface ForwardRequest {
  readonly id: string;
  readonly fields: ForwardFields;
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/** Decodes the recipients; throws a 400 that names every wrong field. */
export function readForwardRecipients(fields: ForwardFields): readonly Recipient[] {
  const errors = new FieldCollector();
  if (fields.to === undefined) {
    errors.add({ field: "to", description: "A forward needs a recipient", code: "required" });
  }
  const recipients = errors.collect(() => readRecipients(fields)) ?? [];
  errors.finish();
  return recipients;
}

/**
 * Forwards a mail with its attachments, from an address of its server. Rejects with `not_found`, with a 400 that names
 * every wrong field, and as `sendMail` and `runOnce` do.
 */
export async function forwardMessage(
  context: SendingDependencies,
  principal: Principal,
  request: ForwardRequest,
): Promise<SentMessage> {
  const opened = await openMessage(context, principal, request.id);
  const { fields, repeatKey } = request;
  const repeat = { scope: scopeOf(principal, "forward"), key: repeatKey, content: [opened.id, fields] };
  const id = await runOnce(context, repeat, async (ticket) => {
    if (opened.message.type !== "Email") throw invalidField("id", "Only mail can be forwarded", "not_email");
    const recipients = await openRecipients(context, principal, {
      server: opened.server,
      recipients: readForwardRecipients(fields),
    });
    const from = randomAddress(context, opened.server);
    const named = (field: string): { address: string }[] =>
      readRecipients(fields).flatMap((one) => (one.field === field ? [{ address: one.address }] : []));
    const mail: Forward = {
      ...newStamp(context, domainOf(context, opened.server)),
      from: { address: from },
      to: named("to"),
      cc: named("cc"),
      text: fields.text ?? null,
      html: fields.html ?? null,
    };
    const raw = await composeFromOpened(context, opened, { principal, composition: { form: "forward", mail } });
    return sendMail(context, { server: opened.server, mailFrom: from, recipients, raw, ticket });
  });
  return openSent(context, principal, id);
}
