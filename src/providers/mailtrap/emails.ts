/** Sending: one mail, and batches with common members. */
import { parseServerId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SubmittedEmail } from "../email.ts";
import { emailOf, submitBatch, type AcceptedEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { noServer, notFound, textsOf } from "./errors.ts";
import { numberOfMessage, readNumber } from "./numeric-ids.ts";
import { readBatch, readMailtrapObject, readMailtrapSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Sends a mail: `POST /api/send`. */
export const sendEmail: Handler = async (call) => sendOne(call, null);

/** Stores a mail in a sandbox: `POST /api/send/:inbox`. */
export const sendToSandbox: Handler = async (call) => sendOne(call, readSandbox(call));

/** Sends several mails, each with an outcome of its own: `POST /api/batch`. */
export const sendBatch: Handler = async (call) => sendAll(call, null);

/** Stores several mails in a sandbox: `POST /api/batch/:inbox`. */
export const sendBatchToSandbox: Handler = async (call) => sendAll(call, readSandbox(call));

/** Returns the server of the sandbox of the path; throws the error of a number that no server has. */
function readSandbox({ request }: Call): ServerId {
  const id = parseServerId(readNumber(request.params["inbox"]).toString(36).padStart(8, "0"));
  if (id === undefined) throw notFound();
  return id;
}

async function sendOne(call: Call, sandbox: ServerId | null): Promise<ProviderResponse> {
  const email = await compose(readMailtrapObject(call.request.body), sandbox, call);
  const refused = sandbox === null ? noServer : notFound();
  const [outcome = refused] = await submitBatch(call.session, [email], refused);
  if (outcome instanceof Rejection) throw outcome;
  return jsonResponse(200, responseOf(outcome));
}

async function sendAll(call: Call, sandbox: ServerId | null): Promise<ProviderResponse> {
  const items: (SubmittedEmail | Rejection)[] = [];
  for (const one of readBatch(call.request.body)) items.push(await settle(compose(one, sandbox, call)));
  const responses = (await submitBatch(call.session, items, sandbox === null ? noServer : notFound())).map(responseOf);
  return jsonResponse(200, { success: true, responses });
}

/** Returns the outcome of a mail: an id for each recipient, all of which are that of the one message; or its number in a sandbox. */
function responseOf(outcome: AcceptedEmail<SubmittedEmail> | Rejection): JsonObject {
  if (outcome instanceof Rejection) return { success: false, errors: textsOf(outcome) };
  const { email, providerId, uuid } = outcome;
  if (email.server !== undefined) {
    return { success: true, message_ids: [String(numberOfMessage(uuid as MessageId))] };
  }
  return { success: true, message_ids: email.recipients.map(() => providerId) };
}

async function compose(mail: JsonObject, sandbox: ServerId | null, call: Call): Promise<SubmittedEmail> {
  const { draft, template, category, variables } = readMailtrapSend(mail);
  const content = template === null ? draft : { ...draft, ...(await renderTemplate(template, call)) };
  const facts = { tags: category === null ? [] : [category], metadata: variables, template };
  const identify: SubmittedEmail["identify"] = (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailtrap.io>` });
  const email = emailOf(content, { ...facts, identify });
  return sandbox === null ? email : { ...email, server: sandbox };
}
