import { build, type ValueOf } from "../../core/schema.ts";
import { enhancedStatus } from "../../core/text-schemas.ts";
import type { Context } from "../context.ts";
/** Simulated replies to an application's mail: bounces, complaints and auto-replies. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import type { Stamp } from "../../mime/compose/compose.ts";
import type { Bounce } from "../../mime/compose/compose-bounce.ts";
import { readAddress } from "../sending/allowed-recipients.ts";
import type { Composition } from "../services/sending/compose-from-original.ts";
import { domainOf, newStamp } from "../services/sending/new-mail.ts";
import type { EventDetails, MailEventType } from "../../providers/callbacks.ts";
import { emitSimulated } from "../callbacks/emit-events.ts";
import { readCallbackMessage } from "../callbacks/event-mail.ts";
import { type OpenedMessage as SentMessage, openMessage as openSent } from "../services/reading/get-message.ts";
import { composeFromOpened, type OpenedMessage, openMessage, ownAddressOf } from "../services/sending/open-original.ts";
import { openRecipients, sendMail } from "../sending/send-mail.ts";

/** Request body that creates a bounce. */
export const bounceFieldsSchema = build.partial({
  action: build.enum(["failed", "delayed"]),
  status: enhancedStatus("Enhanced status code, such as 5.2.2 (RFC 3463)."),
  diagnostic: build.string({ maxLength: 500, description: "SMTP reply with the reason." }),
  returns: build.enum(["full", "headers"]),
});

/**
 * Fields of a bounce. Absent ones are `failed`, 5.1.1 for failed and 4.4.1 for delayed, a reply that fits the status, and `full`,
 * with which the whole original is returned instead of its header section.
 */
type BounceFields = ValueOf<typeof bounceFieldsSchema>;

/** Request body that creates a complaint, `abuse` when its type is absent. */
export const complaintFieldsSchema = build.partial({
  feedbackType: build.enum(["abuse", "fraud", "virus", "not-spam", "other"]),
});

/** Request body that creates an automatic reply. */
export const autoreplyFieldsSchema = build.partial({ text: build.string("Text of the reply.") });

/** Mail to reply to, with the addresses of the reply. */
interface Answered {
  readonly opened: OpenedMessage;
  /** Return path of the original. */
  readonly to: string;
  /** Address of the server that received the original. */
  readonly recipient: string;
  /** Host name of the replying server. */
  readonly domain: string;
  readonly arrivedAt: number;
  readonly stamp: Stamp;
}

const dayMs = 24 * 3_600_000;
const diagnosticLengthMax = 500;

/** Sends a delivery status notification (RFC 3464). Rejects as {@link openOriginal} and `sendMail` do. */
export async function bounceMessage(
  context: Context,
  principal: Principal,
  { id, fields }: { readonly id: string; readonly fields: BounceFields },
): Promise<SentMessage> {
  const { action = "failed", returns = "full" } = fields;
  const report = checkReport(fields);
  const answered = await openOriginal(context, principal, id);
  const { to, recipient, domain, arrivedAt, stamp } = answered;
  const bounce = {
    action,
    returns,
    to,
    recipient,
    arrivedAt,
    ...report,
    ...stamp,
    reportingMta: domain,
  };
  const retriedUntil = action === "delayed" ? { retriedUntil: stamp.date + 4 * dayMs } : {};
  const composition = { form: "bounce", mail: { ...bounce, ...retriedUntil } } as const;
  const code = Number.parseInt(report.diagnostic, 10);
  const details = { reason: report.diagnostic, status: report.status, ...(code >= 400 && code <= 599 && { code }) };
  const event = { type: action === "failed" ? "bounced" : "deferred", details } as const;
  return answer(context, principal, { answered, composition, event });
}

/** Sends a feedback report of the recipient (RFC 5965). Rejects as {@link openOriginal} and `sendMail` do. */
export async function complainAboutMessage(
  context: Context,
  principal: Principal,
  { id, fields }: { readonly id: string; readonly fields: ValueOf<typeof complaintFieldsSchema> },
): Promise<SentMessage> {
  const answered = await openOriginal(context, principal, id);
  const { to, recipient, domain, arrivedAt, stamp, opened } = answered;
  const complaint = {
    ...stamp,
    feedbackType: fields.feedbackType ?? "abuse",
    from: `feedback@${domain}`,
    to,
    recipient,
    mailFrom: to,
    sourceIp: opened.session?.clientAddress ?? null,
    arrivedAt,
  };
  const event = { type: "complained", details: {} } as const;
  return answer(context, principal, { answered, composition: { form: "complaint", mail: complaint }, event });
}

/** Sends an automatic response (RFC 3834). Rejects as {@link openOriginal} and `sendMail` do. */
export async function autoreplyToMessage(
  context: Context,
  principal: Principal,
  { id, fields }: { readonly id: string; readonly fields: ValueOf<typeof autoreplyFieldsSchema> },
): Promise<SentMessage> {
  const answered = await openOriginal(context, principal, id);
  const { to, recipient, stamp } = answered;
  const text = fields.text ?? "I am out of the office and will answer when I am back.";
  const autoreply = { ...stamp, from: { address: recipient }, to, text };
  return answer(context, principal, { answered, composition: { form: "autoreply", mail: autoreply } });
}

/**
 * Opens the mail and its return path. Rejects with `not_found`; with a 400 on `id` for an SMS, for a sent mail, and for one
 * whose envelope sender is null or unknown, to which nothing is sent (RFC 5321 §6.1).
 */
async function openOriginal(context: Context, principal: Principal, id: string): Promise<Answered> {
  const opened = await openMessage(context, principal, id);
  const { type, metadata } = opened.message;
  const { direction, receivedAt: arrivedAt } = decodeMessageId(opened.id);
  if (type !== "Email" || direction === "Sent") throw invalidField("id", "Only received mail can be replied to");
  const mailFrom = metadata.mailFrom ?? "";
  if (mailFrom === "") throw invalidField("id", "The mail has no return path to send to", "no_return_path");
  const domain = domainOf(context, opened.server);
  const recipient = envelopeRecipient(opened) ?? ownAddressOf(context, opened);
  const stamp = newStamp(context, domain);
  return { opened, to: readAddress("to", mailFrom), recipient, domain, arrivedAt, stamp };
}

/** Returns the first envelope recipient, even if the catch-all server received the mail for it. */
function envelopeRecipient({ message }: OpenedMessage): string | undefined {
  return parseSingleAddress(message.metadata.rcptTo[0]?.email ?? "").address;
}

/** Reply to send, and the event by which the provider of the original reports it. */
interface Reply {
  readonly answered: Answered;
  readonly composition: Composition;
  readonly event?: { readonly type: MailEventType; readonly details: EventDetails };
}

/** Emits the event of the provider through which the original came. */
async function reportToProvider(
  context: Context,
  { opened, recipient }: Answered,
  event: NonNullable<Reply["event"]>,
): Promise<void> {
  const message = await readCallbackMessage(context, opened.id);
  if (message !== undefined) await emitSimulated(context, message, { ...event, recipient });
}

/** Sends the reply with the null reverse-path, so that it is not replied to; then emits the event. */
async function answer(
  context: Context,
  principal: Principal,
  { answered, composition, event }: Reply,
): Promise<SentMessage> {
  const { server } = answered.opened;
  const sentTo = { server, recipients: [{ field: "to", address: answered.to }] };
  const recipients = await openRecipients(context, principal, sentTo);
  const raw = await composeFromOpened(context, answered.opened, { principal, composition });
  const sent = await sendMail(context, { server, mailFrom: "", recipients, raw, ticket: null });
  if (event !== undefined) await reportToProvider(context, answered, event);
  return openSent(context, principal, sent);
}

/** Returns status and diagnostic of a bounce; throws a 400 that names every wrong field. */
export function checkReport(fields: BounceFields): Pick<Bounce, "status" | "diagnostic"> {
  const { action = "failed" } = fields;
  const usual =
    action === "failed"
      ? { status: "5.1.1", diagnostic: "550 5.1.1 No such user" }
      : { status: "4.4.1", diagnostic: "451 4.4.1 No answer from host" };
  const {
    status = usual.status,
    diagnostic = fields.status === undefined ? usual.diagnostic : statusText(fields.status),
  } = fields;
  const shape = action === "failed" ? /^5\.\d{1,3}\.\d{1,3}$/ : /^4\.\d{1,3}\.\d{1,3}$/;
  const errors = new FieldCollector();
  if (!shape.test(status)) {
    const description = "Must be an enhanced status: 5.x.x for failed, 4.x.x for delayed";
    errors.add({ field: "status", description, code: "invalid_status" });
  }
  if (diagnostic.length > diagnosticLengthMax) {
    const description = `At most ${String(diagnosticLengthMax)} characters`;
    errors.add({ field: "diagnostic", description, code: "too_long" });
  }
  errors.finish();
  return { status, diagnostic };
}

function statusText(status: string): string {
  return `${status.startsWith("4") ? "451" : "550"} ${status} As the test wants it`;
}
