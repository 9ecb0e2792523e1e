import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import { isJsonObject } from "../formats/json-body.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { errorBody, PostmarkRejection, rejectionResponse, texts, withRejections } from "./errors.ts";
import { Fields, readBody, readFields } from "./fields.ts";
import { activeRecipients } from "./inactive.ts";
import {
  checkSize,
  defaultStream,
  readContent,
  readMessage,
  type PostmarkContent,
  type PostmarkMessage,
} from "./request.ts";
import { acceptedBody, messageIdField } from "./response.ts";
import { readTemplateReference, renderMessage } from "./render.ts";
import { openSender, type Sender } from "./sender.ts";

/** Messages of a batch. */
const batchCountMax = 500;
/** Characters of the bodies of a batch; templates may render many large ones from a small request. */
const batchLengthMax = 75 * 1024 * 1024;

/** Reads the subject and the bodies of a message. */
type ReadContent = (fields: Fields, sender: Sender) => Promise<Composed>;

interface Composed {
  readonly content: PostmarkContent;
  readonly template: SubmittedEmail["facts"]["template"];
}

const ownContent: ReadContent = async (fields) => ({ content: readContent(fields), template: null });
const templateContent: ReadContent = async (fields, sender) => {
  const reference = readTemplateReference(fields);
  return sender.session === null
    ? { content: { subject: "", text: "", html: null }, template: null }
    : renderMessage(reference, { session: sender.session, services: sender.services });
};

/** Sends a message: `POST /email`. */
export async function sendEmail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return sendOne(request, services, ownContent);
}

/** Sends a message with a template: `POST /email/withTemplate`. */
export async function sendWithTemplate(
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  return sendOne(request, services, templateContent);
}

/** Sends messages: `POST /email/batch`. Each is accepted or rejected by itself. */
export async function sendBatch(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return withRejections(async () => {
    const sender = await openSender(request, services);
    return sendAll(readBody(request), sender, ownContent);
  });
}

/** Sends messages with templates: `POST /email/batchWithTemplates`. */
export async function sendBatchWithTemplates(
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  return withRejections(async () => {
    const sender = await openSender(request, services);
    return sendAll(readFields(request).value("Messages"), sender, templateContent);
  });
}

interface Prepared extends Composed {
  readonly message: PostmarkMessage;
  readonly recipients: readonly string[];
  readonly text: string;
}

async function sendOne(
  request: ProviderRequest,
  services: ProviderServices,
  read: ReadContent,
): Promise<ProviderResponse> {
  return withRejections(async () => {
    const sender = await openSender(request, services);
    const prepared = await prepare(readFields(request), sender, read);
    const [body] = await submit([prepared], sender);
    return body instanceof PostmarkRejection ? rejectionResponse(body) : jsonResponse(200, body);
  });
}

async function sendAll(value: unknown, sender: Sender, read: ReadContent): Promise<ProviderResponse> {
  if (!Array.isArray(value)) throw new PostmarkRejection(403, "The messages must be a JSON array.");
  if (value.length > batchCountMax) throw new PostmarkRejection(410, texts.tooManyMessages);
  const outcomes: (Prepared | PostmarkRejection)[] = [];
  let length = 0;
  for (const one of value as readonly unknown[]) {
    const outcome = await prepareItem(one, sender, read);
    outcomes.push(outcome);
    if (outcome instanceof PostmarkRejection) continue;
    length += (outcome.content.text?.length ?? 0) + (outcome.content.html?.length ?? 0);
    if (length > batchLengthMax) throw new Problem("message_too_large");
  }
  const prepared = outcomes.flatMap((one) => (one instanceof PostmarkRejection ? [] : [one]));
  const sent = (await submit(prepared, sender)).values();
  const bodies = outcomes.map((one) => {
    const result = one instanceof PostmarkRejection ? one : sent.next().value;
    return result instanceof PostmarkRejection ? errorBody(result) : result;
  });
  return jsonResponse(200, bodies);
}

async function prepareItem(value: unknown, sender: Sender, read: ReadContent): Promise<Prepared | PostmarkRejection> {
  try {
    if (!isJsonObject(value)) throw new PostmarkRejection(403, "The message must be a JSON object.");
    return await prepare(new Fields(value), sender, read);
  } catch (error) {
    if (error instanceof PostmarkRejection) return error;
    throw error;
  }
}

async function prepare(fields: Fields, sender: Sender, read: ReadContent): Promise<Prepared> {
  const message = readMessage(fields);
  const composed = await read(fields, sender);
  checkSize(message, composed.content);
  return { ...composed, message, ...activeRecipients(message, sender.suppressed) };
}

type Body = Readonly<Record<string, unknown>>;

/** Stores messages; with the test token none, and all are accepted. */
async function submit(
  prepared: readonly Prepared[],
  { session, services }: Sender,
): Promise<readonly (Body | PostmarkRejection)[]> {
  const now = services.now();
  if (session === null) {
    const message = "Test job accepted";
    return prepared.map((one) => acceptedBody(one.message, { messageId: randomUUID(), message, now }));
  }
  const submissions = prepared.length === 0 ? [] : await session.submitEmails(prepared.map(emailOf));
  return prepared.map(({ message, text }, at) => {
    const submission = submissions[at];
    if (submission === undefined) throw new Problem("internal");
    return submission.refusal === undefined
      ? acceptedBody(message, { messageId: submission.providerId, message: text, now })
      : new PostmarkRejection(300, "No server of this service receives mail for any of the recipients.");
  });
}

function emailOf({ message, content, template, recipients }: Prepared): SubmittedEmail {
  const { from, to, cc, bcc, replyTo, headers, attachments, tag, metadata, stream } = message;
  const streamHeader = stream === defaultStream ? [] : [["X-PM-Message-Stream", stream] as const];
  const keepsId = headers.some(([name, value]) => /^x-pm-keepid$/i.test(name) && /^true$/i.test(value));
  return {
    content: { from, to, cc, bcc, replyTo, attachments, ...content, headers: [...headers, ...streamHeader] },
    mailFrom: from.address,
    recipients,
    facts: { tags: tag === null ? [] : [tag], metadata, template },
    sendAt: null,
    identify: (uuid) => ({ providerId: uuid, messageId: keepsId ? null : messageIdField(uuid) }),
  };
}
