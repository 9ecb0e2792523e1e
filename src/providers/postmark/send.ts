import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { emailOf, submitBatch, type DraftedEmail } from "../kit/emails.ts";
import type { OpenCall, OpenHandler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse, type ProviderServices, type ProviderSession } from "../provider.ts";
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
import { testBounceOf } from "./event-webhook.ts";
import { instantText } from "./messages.ts";
import { suppressedAddresses } from "./account.ts";
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

/** Mail of a message, and its accepted response without the id. */
interface PreparedEmail extends DraftedEmail {
  readonly accepted: JsonObject;
}

async function sendOne(call: OpenCall, read: ReadContent): Promise<ProviderResponse> {
  const sender = await openSender(call);
  const [outcome] = await submit([await prepare(readFields(call.request), sender, read)], sender);
  if (outcome instanceof Rejection) throw outcome;
  return jsonResponse(200, outcome);
}

async function sendAll(value: unknown, sender: Sender, read: ReadContent): Promise<ProviderResponse> {
  if (!Array.isArray(value)) throw rejection(403, "The messages must be a JSON array.");
  if (value.length > batchCountMax) throw rejection(410, texts.tooManyMessages);
  const items: (PreparedEmail | Rejection)[] = [];
  let length = 0;
  for (const one of value as readonly unknown[]) {
    const item = await settle(prepareItem(one, sender, read));
    items.push(item);
    if (item instanceof Rejection) continue;
    length += (item.content.text?.length ?? 0) + (item.content.html?.length ?? 0);
    if (length > batchLengthMax) throw new Problem("message_too_large");
  }
  const outcomes = await submit(items, sender);
  return jsonResponse(
    200,
    outcomes.map((one) => (one instanceof Rejection ? errorBody(one) : one)),
  );
}

async function prepareItem(value: unknown, sender: Sender, read: ReadContent): Promise<PreparedEmail> {
  if (!isJsonObject(value)) throw rejection(403, "The message must be a JSON object.");
  return prepare(new Fields(value), sender, read);
}

async function prepare(fields: Fields, sender: Sender, read: ReadContent): Promise<PreparedEmail> {
  const message = readMessage(fields);
  const { content, template } = await read(fields, sender);
  checkSize(message, content);
  const { recipients, text } = activeRecipients(message, sender.suppressed);
  const { tag, metadata, stream, echo, ...draft } = message;
  const streamHeader = stream === defaultStream ? [] : [["X-PM-Message-Stream", stream] as const];
  const keepsId = draft.headers.some(([name, value]) => /^x-pm-keepid$/i.test(name) && /^true$/i.test(value));
  const email = emailOf(
    { ...draft, ...content, headers: [...draft.headers, ...streamHeader] },
    {
      tags: tag === null ? [] : [tag],
      metadata,
      template,
      identify: (uuid) => ({ providerId: uuid, messageId: keepsId ? null : `<${uuid}@mtasv.net>` }),
    },
  );
  const lists = Object.fromEntries(Object.entries(echo).filter(([, list]) => list !== null));
  const accepted = {
    ...lists,
    SubmittedAt: instantText(sender.services.now()),
    MessageID: "",
    ErrorCode: 0,
    Message: text,
  };
  return { ...email, recipients, accepted };
}

const noServer = rejection(300, "No server of this service receives mail for any of the recipients.");

/** Stores messages; with the test token none, and all are accepted. Returns their responses, and the rejections of others. */
async function submit(
  items: readonly (PreparedEmail | Rejection)[],
  { session }: Sender,
): Promise<readonly (JsonObject | Rejection)[]> {
  if (session === null) {
    const tested = { Message: "Test job accepted" };
    return items.map((one) =>
      one instanceof Rejection ? one : { ...one.accepted, MessageID: randomUUID(), ...tested },
    );
  }
  return (await submitBatch(session, items, noServer)).map((one) =>
    one instanceof Rejection ? one : { ...one.email.accepted, MessageID: one.providerId },
  );
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
): { readonly recipients: readonly string[]; readonly text: string } {
  const isInactive = (address: string): boolean =>
    suppressed.has(`${stream} ${address.toLowerCase()}`) || testBounceOf(address)?.Type === "ManuallyDeactivated";
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
