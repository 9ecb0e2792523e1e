/** Endpoints that send messages. */
import type { DraftMailbox, EmailDraft } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { withoutRepetitions } from "../formats/mail-fields.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import { emailOf, submitAll, submitBatch, type AcceptedEmail, type DraftedEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { collectIssues, failedWire, invalid, issuesWire, rejection, texts } from "./errors.ts";
import { messageIdOf } from "./messages.ts";
import { readSendRequestV3 } from "./request-v3.ts";
import { readMessage, readSendRequest, type MailjetMessage } from "./request.ts";
import { renderMessage } from "./templates.ts";

const noServer = rejection([{ code: "no-server", text: texts.noServer, relatedTo: ["To"] }]);

/** Sends messages of Send API v3.1; each is stored or has issues of its own. */
export const sendV31: Handler = async (call) => {
  const { issues, messages, globals, isSandbox } = readSendRequest(call.request.body);
  if (issues.length > 0) return jsonResponse(400, { Errors: issuesWire(issues), Messages: [] });
  const items: (DraftedEmail | Rejection)[] = [];
  for (const one of messages) {
    const composing = async (): Promise<DraftedEmail> => composeEmail(readMessage(one, globals), call);
    items.push(await settle(composing()));
  }
  // In sandbox mode there is no message, so that ids are empty.
  const outcomes = isSandbox
    ? items.map((one) => (one instanceof Rejection ? one : { email: one, uuid: "" }))
    : await submitBatch(call.session, items, noServer);
  const href = `${urlBeforePath(call.request)}/v3/REST/message/`;
  const results = outcomes.map((one) => (one instanceof Rejection ? failedWire(one) : sentWire(one, href)));
  return jsonResponse(outcomes.every((one) => one instanceof Rejection) ? 400 : 200, { Messages: results });
};

/** Sends messages of Send API v3: all of them or none. */
export const sendV3: Handler = async (call) => {
  const emails: DraftedEmail[] = [];
  for (const message of readSendRequestV3(call.request.body)) emails.push(await composeEmail(message, call));
  const accepted = await submitAll(call.session, emails, invalid(texts.noServer));
  const sent = accepted.flatMap(({ email, uuid }) =>
    email.recipients.map((address) => ({ Email: address, MessageID: messageIdOf(uuid), MessageUUID: uuid })),
  );
  return jsonResponse(200, { Sent: sent });
};

function sentWire({ email, uuid }: Pick<AcceptedEmail<DraftedEmail>, "email" | "uuid">, href: string): JsonObject {
  const id = messageIdOf(uuid);
  const recipients = (list: readonly DraftMailbox[]): readonly JsonObject[] =>
    list.map(({ address }) => ({ Email: address, MessageUUID: uuid, MessageID: id, MessageHref: `${href}${id}` }));
  const { to, cc, bcc } = email.content;
  return {
    Status: "success",
    CustomID: email.facts.metadata["CustomID"] ?? "",
    To: recipients(to),
    Cc: recipients(cc),
    Bcc: recipients(bcc),
  };
}

/** Sender of messages whose template that is not stored here would determine it. */
const unknownSender = { name: "", address: "sender@mailjet.invalid" };

/** Returns the mail of a message; each recipient is in the envelope once. Rejects with the issues of its template. */
async function composeEmail(message: MailjetMessage, call: Call): Promise<DraftedEmail> {
  const { report, check } = collectIssues();
  const rendered = await renderMessage(message, call, report);
  check();
  const { to, cc, bcc, sender, template, variables, campaign, customId, eventPayload, attachments } = message;
  const from = rendered.from ?? unknownSender;
  const metadata = { CustomID: customId, EventPayload: eventPayload };
  const headers: EmailDraft["headers"] =
    sender === null ? message.headers : [...message.headers, ["Sender", sender.address]];
  return emailOf(
    { ...rendered, from, to, cc, bcc, headers, attachments },
    {
      tags: campaign === "" ? [] : [campaign],
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== "")),
      template: template === null ? null : { id: template, data: variables },
      mailFrom: sender?.address ?? from.address,
      recipients: withoutRepetitions([...to, ...cc, ...bcc]),
      identify: (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailjet.com>` }),
    },
  );
}
