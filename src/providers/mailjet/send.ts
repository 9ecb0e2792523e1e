/** Endpoints that send messages. */
import type { DraftMailbox, EmailDraft, EmailSession, EmailSubmission, SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { addressesOf } from "../formats/mail-fields.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { invalid, issueWire, texts, type Issue } from "./errors.ts";
import { readSendRequestV3 } from "./request-v3.ts";
import { collectIssues, readSendRequest, type MailjetMessage, type MessageReading } from "./request.ts";
import { messageIdOf } from "./response.ts";
import { renderMessage, type RenderedMessage } from "./templates.ts";

/** Message that can be submitted, or its issues. */
type Prepared =
  | { readonly message: MailjetMessage; readonly email: SubmittedEmail; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly email?: undefined };

/** Sends messages of Send API v3.1; each is stored or has issues of its own. */
export const sendV31: Handler = async (call) => {
  const { issues, messages, isSandbox } = readSendRequest(call.request.body);
  if (issues.length > 0) return jsonResponse(400, { Errors: issues.map(issueWire), Messages: [] });
  const prepared: Prepared[] = [];
  for (const reading of messages) prepared.push(await prepare(reading, call));
  const submissions = isSandbox ? [] : await submit(call.session, prepared);
  const href = `${urlBeforePath(call.request)}/v3/REST/message/`;
  const results = prepared.map((one, at) => resultOf(one, { submission: submissions[at], isSandbox, href }));
  const isFailure = results.every(({ Status: status }) => status === "error");
  return jsonResponse(isFailure ? 400 : 200, { Messages: results });
};

/** Sends messages of Send API v3: all of them or none. */
export const sendV3: Handler = async (call) => {
  const prepared: Prepared[] = [];
  for (const message of readSendRequestV3(call.request.body)) prepared.push(await prepare({ message }, call));
  const issue = prepared.flatMap(({ issues = [] }) => issues)[0];
  if (issue !== undefined) throw invalid(issue.text);
  const submissions = await submit(call.session, prepared);
  const sent = prepared.flatMap(({ email }, at) => {
    const { uuid } = submissions[at] ?? {};
    const addresses = uuid === undefined ? [] : (email?.recipients ?? []);
    return addresses.map((address) => ({ Email: address, MessageID: messageIdOf(uuid ?? ""), MessageUUID: uuid }));
  });
  if (sent.length === 0) throw invalid(texts.noServer);
  return jsonResponse(200, { Sent: sent });
};

async function prepare(reading: MessageReading, call: Call): Promise<Prepared> {
  const { message } = reading;
  if (message === undefined) return reading;
  const { issues, report } = collectIssues();
  const rendered = await renderMessage(message, { ...call, report });
  return issues.length > 0 ? { issues } : { message, email: composeEmail(message, rendered) };
}

/** A submission with its UUID; undefined for messages that are not stored. */
type Submitted = Extract<EmailSubmission, { readonly uuid: string }> | undefined;

/** Submits the messages without issues in one transaction; returns their submissions at the same positions. */
async function submit(session: EmailSession, prepared: readonly Prepared[]): Promise<readonly Submitted[]> {
  const emails = prepared.flatMap(({ email }) => (email === undefined ? [] : [email]));
  const submissions = emails.length === 0 ? [] : await session.submitEmails(emails);
  const byEmail = new Map(emails.map((email, at) => [email, submissions[at]] as const));
  return prepared.map(({ email }) => {
    const submission = email === undefined ? undefined : byEmail.get(email);
    return submission?.refusal === undefined ? submission : undefined;
  });
}

function resultOf(
  one: Prepared,
  context: { readonly submission: Submitted; readonly isSandbox: boolean; readonly href: string },
): JsonObject {
  const { submission, isSandbox, href } = context;
  if (one.issues !== undefined) return failed(one.issues);
  const { message } = one;
  if (submission === undefined && !isSandbox) {
    return failed([{ code: "no-server", text: texts.noServer, relatedTo: ["To"] }]);
  }
  // In sandbox mode there is no message, so that ids are empty.
  const uuid = submission?.uuid ?? "";
  const id = messageIdOf(uuid);
  const recipients = (list: readonly DraftMailbox[]): readonly JsonObject[] =>
    list.map(({ address }) => ({ Email: address, MessageUUID: uuid, MessageID: id, MessageHref: `${href}${id}` }));
  return {
    Status: "success",
    CustomID: message.customId,
    To: recipients(message.to),
    Cc: recipients(message.cc),
    Bcc: recipients(message.bcc),
  };
}

function failed(issues: readonly Issue[]): JsonObject {
  return { Status: "error", Errors: issues.map(issueWire) };
}

/** Sender of messages whose template that is not stored here would determine it. */
const unknownSender = { name: "", address: "sender@mailjet.invalid" };

/** Returns the mail of a message; each recipient is in the envelope once. */
function composeEmail(message: MailjetMessage, rendered: RenderedMessage): SubmittedEmail {
  const { to, cc, bcc, sender, template, variables, campaign, customId, eventPayload } = message;
  const { replyTo, subject, text, html } = rendered;
  const from = rendered.from ?? unknownSender;
  const metadata = { CustomID: customId, EventPayload: eventPayload };
  const headers: EmailDraft["headers"] =
    sender === null ? message.headers : [...message.headers, ["Sender", sender.address]];
  return {
    content: { from, replyTo, to, cc, bcc, subject, text, html, headers, attachments: message.attachments },
    mailFrom: sender?.address ?? from.address,
    recipients: addressesOf([...to, ...cc, ...bcc]),
    facts: {
      tags: campaign === "" ? [] : [campaign],
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== "")),
      template: template === null ? null : { id: template, data: variables },
    },
    sendAt: null,
    identify: (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailjet.com>` }),
  };
}
