import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { OpenCall, OpenHandler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse, type ProviderServices, type ProviderSession } from "../provider.ts";
import { testBounceOf } from "./bounce-types.ts";
import { errorBody, rejection, texts } from "./errors.ts";
import {
  checkSize,
  defaultStream,
  Fields,
  isTestToken,
  readBody,
  readContent,
  readFields,
  readMessage,
} from "./request.ts";
import type { PostmarkContent, PostmarkMessage } from "./request.ts";
import { instantText } from "./response.ts";
import { suppressedAddresses } from "./suppressions.ts";
import { readTemplateReference, renderMessage } from "./templates.ts";

/** Messages of a batch. */
const batchCountMax = 500;
/** Characters of the bodies of a batch; templates may render many large ones from a small request. */
const batchLengthMax = 75 * 1024 * 1024;

/** Caller that sends messages. */
interface Sender {
  /** Null for the test token. */
  readonly session: ProviderSession | null;
  readonly services: ProviderServices;
  /** Suppressed addresses, as entries `stream address`. */
  readonly suppressed: ReadonlySet<string>;
}

/** Authenticates the caller; the test token needs no account. */
async function openSender({ request: { key }, services }: OpenCall): Promise<Sender> {
  if (isTestToken(key)) return { session: null, services, suppressed: new Set() };
  const session = await services.authenticate(key, "send");
  return { session, services, suppressed: await suppressedAddresses({ session }) };
}

/** Reads the subject and the bodies of a message. */
type ReadContent = (fields: Fields, sender: Sender) => Promise<Composed>;

interface Composed {
  readonly content: PostmarkContent;
  readonly template: SubmittedEmail["facts"]["template"];
}

const ownContent: ReadContent = async (fields) => ({ content: readContent(fields), template: null });
const templateContent: ReadContent = async (fields, { session, services }) => {
  const reference = readTemplateReference(fields);
  return session === null
    ? { content: { subject: "", text: "", html: null }, template: null }
    : renderMessage(reference, { session, services });
};

/** Sends a message: `POST /email`. */
export const sendEmail: OpenHandler = async (call) => sendOne(call, ownContent);

/** Sends a message with a template: `POST /email/withTemplate`. */
export const sendWithTemplate: OpenHandler = async (call) => sendOne(call, templateContent);

/** Sends messages: `POST /email/batch`. Each is accepted or rejected by itself. */
export const sendBatch: OpenHandler = async (call) => {
  const sender = await openSender(call);
  return sendAll(readBody(call.request), sender, ownContent);
};

/** Sends messages with templates: `POST /email/batchWithTemplates`. */
export const sendBatchWithTemplates: OpenHandler = async (call) => {
  const sender = await openSender(call);
  return sendAll(readFields(call.request).value("Messages"), sender, templateContent);
};

interface Prepared extends Composed {
  readonly message: PostmarkMessage;
  readonly recipients: readonly string[];
  readonly text: string;
}

async function sendOne(call: OpenCall, read: ReadContent): Promise<ProviderResponse> {
  const sender = await openSender(call);
  const prepared = await prepare(readFields(call.request), sender, read);
  const [body] = await submit([prepared], sender);
  if (body instanceof Rejection) throw body;
  return jsonResponse(200, body);
}

async function sendAll(value: unknown, sender: Sender, read: ReadContent): Promise<ProviderResponse> {
  if (!Array.isArray(value)) throw rejection(403, "The messages must be a JSON array.");
  if (value.length > batchCountMax) throw rejection(410, texts.tooManyMessages);
  const outcomes: (Prepared | Rejection)[] = [];
  let length = 0;
  for (const one of value as readonly unknown[]) {
    const outcome = await settle(prepareItem(one, sender, read));
    outcomes.push(outcome);
    if (outcome instanceof Rejection) continue;
    length += (outcome.content.text?.length ?? 0) + (outcome.content.html?.length ?? 0);
    if (length > batchLengthMax) throw new Problem("message_too_large");
  }
  const prepared = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  const sent = (await submit(prepared, sender)).values();
  const bodies = outcomes.map((one) => {
    const result = one instanceof Rejection ? one : sent.next().value;
    return result instanceof Rejection ? errorBody(result) : result;
  });
  return jsonResponse(200, bodies);
}

async function prepareItem(value: unknown, sender: Sender, read: ReadContent): Promise<Prepared> {
  if (!isJsonObject(value)) throw rejection(403, "The message must be a JSON object.");
  return prepare(new Fields(value), sender, read);
}

async function prepare(fields: Fields, sender: Sender, read: ReadContent): Promise<Prepared> {
  const message = readMessage(fields);
  const composed = await read(fields, sender);
  checkSize(message, composed.content);
  return { ...composed, message, ...activeRecipients(message, sender.suppressed) };
}

/** Stores messages; with the test token none, and all are accepted. */
async function submit(
  prepared: readonly Prepared[],
  { session, services }: Sender,
): Promise<readonly (JsonObject | Rejection)[]> {
  const now = services.now();
  const acceptedBody = ({ echo }: PostmarkMessage, id: string, text: string): JsonObject => {
    const lists = Object.fromEntries(Object.entries(echo).filter(([, list]) => list !== null));
    return { ...lists, SubmittedAt: instantText(now), MessageID: id, ErrorCode: 0, Message: text };
  };
  if (session === null) return prepared.map(({ message }) => acceptedBody(message, randomUUID(), "Test job accepted"));
  const submissions = prepared.length === 0 ? [] : await session.submitEmails(prepared.map(emailOf));
  return prepared.map(({ message, text }, at) => {
    const submission = submissions[at];
    if (submission === undefined) throw new Problem("internal");
    return submission.refusal === undefined
      ? acceptedBody(message, submission.providerId, text)
      : rejection(300, "No server of this service receives mail for any of the recipients.");
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
    identify: (uuid) => ({ providerId: uuid, messageId: keepsId ? null : `<${uuid}@mtasv.net>` }),
  };
}

const explanation =
  "Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.";

/**
 * Returns the active recipients and the text of the response. Throws a rejection with code 406 when all are inactive.
 * `suppressed` has entries `stream address`.
 */
function activeRecipients(
  { to, cc, bcc, stream }: PostmarkMessage,
  suppressed: ReadonlySet<string>,
): Pick<Prepared, "recipients" | "text"> {
  const isInactive = (address: string): boolean =>
    suppressed.has(`${stream} ${address.toLowerCase()}`) || testBounceOf(address)?.type === "ManuallyDeactivated";
  const all = [...to, ...cc, ...bcc].map(({ address }) => address);
  const inactive = all.filter(isInactive);
  if (inactive.length === 0) return { recipients: all, text: "OK" };
  const list = inactive.map((address) => address.toLowerCase()).join(", ");
  const found = `addresses: ${list}. ${explanation}`;
  if (inactive.length === all.length) {
    const text = "You tried to send to recipient(s) that have been marked as inactive.";
    throw rejection(406, `${text} Found inactive ${found}`);
  }
  const recipients = all.filter((address) => !isInactive(address));
  return { recipients, text: `Message OK, but will not deliver to these inactive ${found}` };
}
