import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { checkAll, FieldCollector } from "../../core/field-collector.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Reply } from "../../mime/compose/compose-reply.ts";
import type { Mailbox } from "../../mime/compose/address-field.ts";
import { readAddress, type Recipient } from "../sending/allowed-recipients.ts";
import { domainOf, newStamp } from "../services/sending/compose-stamp.ts";
import { readRecipients } from "./create-email.ts";
import { openMessage as openSent, type OpenedMessage as SentMessage } from "./get-message.ts";
import { readAttachments } from "../services/sending/new-attachments.ts";
import {
  composeFromOpened,
  findReplyRecipients,
  openMessage,
  ownAddressOf,
  type OpenedMessage,
} from "../services/sending/open-original.ts";
import { replyBySms } from "../sms/reply-by-sms.ts";
import type { ReplyFields } from "../services/sending/reply-fields.ts";
import { runOnce, scopeOf, type IdempotencyTicket } from "../services/sending/idempotency.ts";
import { openRecipients, sendMail, type SendingDependencies } from "../sending/send-mail.ts";

/** Request to reply to a message. */
export interface ReplyRequest {
  readonly id: string;
  readonly fields: ReplyFields;
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/**
 * Replies to a message: to an SMS as `replyBySms` does, to a mail at its Reply-To or From, from the address it was sent to.
 * Rejects with `not_found`, with a 400 that names every wrong field (`to` when mail may not go to the sender), and as `sendMail` and `runOnce` do.
 */
export async function replyToMessage(
  context: SendingDependencies,
  principal: Principal,
  request: ReplyRequest,
): Promise<SentMessage> {
  const opened = await openMessage(context, principal, request.id);
  const { fields, repeatKey } = request;
  const repeat = { scope: scopeOf(principal, "reply"), key: repeatKey, content: [opened.id, fields] };
  const id = await runOnce(context, repeat, async (ticket) =>
    opened.message.type === "SMS"
      ? replyBySms(context, opened, { fields, ticket })
      : replyByMail(context, opened, { principal, fields, ticket }),
  );
  return openSent(context, principal, id);
}

async function replyByMail(
  context: SendingDependencies,
  opened: OpenedMessage,
  { principal, fields, ticket }: { principal: Principal; fields: ReplyFields; ticket: IdempotencyTicket | null },
): Promise<MessageId> {
  const senders = await findReplyRecipients(context, opened, principal);
  const { answered, copied, attachments } = readParts(context, fields, senders);
  const recipients = await openRecipients(context, principal, {
    server: opened.server,
    recipients: [...answered, ...copied],
  });
  const from = ownAddressOf(context, opened);
  const mail: Reply = {
    ...newStamp(context, domainOf(context, opened.server)),
    from: { address: from },
    cc: copied.map(({ address }) => ({ address })),
    text: fields.text ?? null,
    html: fields.html ?? null,
    attachments,
  };
  const raw = await composeFromOpened(context, opened, { principal, composition: { form: "reply", mail } });
  return sendMail(context, { server: opened.server, mailFrom: from, recipients, raw, ticket });
}

/** Decoded fields of a reply that can be wrong. */
interface ReplyParts {
  readonly answered: readonly Recipient[];
  readonly copied: readonly Recipient[];
  readonly attachments: ReturnType<typeof readAttachments>;
}

/** Throws a 400 that names every wrong field. */
export function checkReplyFields(context: Pick<SendingDependencies, "limits">, fields: ReplyFields): void {
  checkAll(
    () => readRecipients({ ...(fields.cc !== undefined && { cc: fields.cc }) }),
    () => readAttachments(fields.attachments ?? [], context.limits),
  );
}

/** Decodes recipients and attachments; throws a 400 that names every wrong field. */
function readParts(
  context: Pick<SendingDependencies, "limits">,
  fields: ReplyFields,
  senders: readonly Mailbox[],
): ReplyParts {
  const errors = new FieldCollector();
  const answered = errors.collect(() => readSenders(senders)) ?? [];
  const copied = errors.collect(() => readRecipients({ ...(fields.cc !== undefined && { cc: fields.cc }) })) ?? [];
  const attachments = errors.collect(() => readAttachments(fields.attachments ?? [], context.limits)) ?? [];
  errors.finish();
  return { answered, copied, attachments };
}

function readSenders(senders: readonly Mailbox[]): readonly Recipient[] {
  if (senders.length === 0) throw invalidField("to", "The original names no address to reply to", "required");
  return senders.map(({ address }) => ({ field: "to", address: readAddress("to", address) }));
}
