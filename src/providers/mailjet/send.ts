/** Endpoints that send messages. */
import type { DraftMailbox, EmailSession, EmailSubmission, SubmittedEmail } from "../email.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import { composeEmail } from "./compose.ts";
import { invalid, issueWire, texts, type Issue } from "./errors.ts";
import { collectIssues, readSendRequest, type MailjetMessage, type MessageReading } from "./request.ts";
import { readSendRequestV3 } from "./request-v3.ts";
import { messageIdOf } from "./response.ts";
import { openTemplates, renderMessage, type TemplateStore } from "./templates.ts";

/** Message that can be submitted, or its issues. */
type Prepared =
  | { readonly message: MailjetMessage; readonly email: SubmittedEmail; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly email?: undefined };

type Wire = Readonly<Record<string, unknown>>;

/** Sends messages of Send API v3.1; each is stored or has issues of its own. */
export async function sendV31(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  const { issues, messages, isSandbox } = readSendRequest(request.body);
  if (issues.length > 0) return jsonResponse(400, { Errors: issues.map(issueWire), Messages: [] });
  const store = openTemplates(session);
  const prepared: Prepared[] = [];
  for (const reading of messages) prepared.push(await prepare(reading, store, services));
  const submissions = isSandbox ? [] : await submit(session, prepared);
  const href = `${urlBeforePath(request)}/v3/REST/message/`;
  const results = prepared.map((one, at) => resultOf(one, { submission: submissions[at], isSandbox, href }));
  const isFailure = results.every(({ Status: status }) => status === "error");
  return jsonResponse(isFailure ? 400 : 200, { Messages: results });
}

/** Sends messages of Send API v3: all of them or none. */
export async function sendV3(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  const store = openTemplates(session);
  const prepared: Prepared[] = [];
  for (const message of readSendRequestV3(request.body)) prepared.push(await prepare({ message }, store, services));
  const issue = prepared.flatMap(({ issues = [] }) => issues)[0];
  if (issue !== undefined) throw invalid(issue.text);
  const submissions = await submit(session, prepared);
  const sent = prepared.flatMap(({ email }, at) => {
    const { uuid } = submissions[at] ?? {};
    const addresses = uuid === undefined ? [] : (email?.recipients ?? []);
    return addresses.map((address) => ({ Email: address, MessageID: messageIdOf(uuid ?? ""), MessageUUID: uuid }));
  });
  if (sent.length === 0) throw invalid(texts.noServer);
  return jsonResponse(200, { Sent: sent });
}

async function prepare(reading: MessageReading, store: TemplateStore, services: ProviderServices): Promise<Prepared> {
  const { message } = reading;
  if (message === undefined) return reading;
  const { issues, report } = collectIssues();
  const rendered = await renderMessage(message, { store, services, report });
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
  {
    submission,
    isSandbox,
    href,
  }: { readonly submission: Submitted; readonly isSandbox: boolean; readonly href: string },
): Wire {
  if (one.issues !== undefined) return failed(one.issues);
  const { message } = one;
  if (submission === undefined && !isSandbox) {
    return failed([{ code: "no-server", text: texts.noServer, relatedTo: ["To"] }]);
  }
  // In sandbox mode there is no message, so that ids are empty.
  const uuid = submission?.uuid ?? "";
  const id = messageIdOf(uuid);
  const recipients = (list: readonly DraftMailbox[]): readonly Wire[] =>
    list.map(({ address }) => ({ Email: address, MessageUUID: uuid, MessageID: id, MessageHref: `${href}${id}` }));
  return {
    Status: "success",
    CustomID: message.customId,
    To: recipients(message.to),
    Cc: recipients(message.cc),
    Bcc: recipients(message.bcc),
  };
}

function failed(issues: readonly Issue[]): Wire {
  return { Status: "error", Errors: issues.map(issueWire) };
}
