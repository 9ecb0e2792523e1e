/** Sending: one mail, and batches with common members. */
import { parseServerId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SubmittedEmail } from "../email.ts";
import { emailOf, submitBatch, type AcceptedEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { errors, textsOf } from "./errors.ts";
import { numberOfMessage, readNumber } from "./numeric-ids.ts";
import { readBatch, readMailtrapObject, readMailtrapSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Sends a mail, or stores it in the sandbox of the path: `POST /api/send` and `POST /api/send/:inbox`. */
export const sendEmail: Handler = async (call) => {
  const { sandbox, refused } = destinationOf(call);
  const email = await compose(readMailtrapObject(call.request.body), sandbox, call);
  const [outcome = refused] = await submitBatch(call.session, [email], refused);
  if (outcome instanceof Rejection) throw outcome;
  return jsonResponse(200, responseOf(outcome));
};

/** Sends or stores several mails, each with an outcome of its own: `POST /api/batch` and `POST /api/batch/:inbox`. */
export const sendBatch: Handler = async (call) => {
  const { sandbox, refused } = destinationOf(call);
  const items: (SubmittedEmail | Rejection)[] = [];
  for (const one of readBatch(call.request.body)) items.push(await settle(compose(one, sandbox, call)));
  const responses = (await submitBatch(call.session, items, refused)).map(responseOf);
  return jsonResponse(200, { success: true, responses });
};

/**
 * Returns the server of the sandbox of the path, null for those of the recipients, and the error of a mail that none receives;
 * throws the error of a number that no server has.
 */
function destinationOf({ request: { params } }: Call) {
  const { inbox } = params;
  if (inbox === undefined) return { sandbox: null, refused: errors.noServer() };
  const sandbox = parseServerId(readNumber(inbox).toString(36).padStart(8, "0"));
  if (sandbox === undefined) throw errors.notFound();
  return { sandbox, refused: errors.notFound() };
}

/** Returns the outcome of a mail: an id for each recipient, all of which are that of the one message; or its number in a sandbox. */
function responseOf(outcome: AcceptedEmail<SubmittedEmail> | Rejection): JsonObject {
  if (outcome instanceof Rejection) return { success: false, errors: textsOf(outcome) };
  const { email, providerId, uuid } = outcome;
  const isStored = email.server !== undefined;
  const ids = isStored ? [String(numberOfMessage(uuid as MessageId))] : email.recipients.map(() => providerId);
  return { success: true, message_ids: ids };
}

async function compose(mail: JsonObject, sandbox: ServerId | null, call: Call): Promise<SubmittedEmail> {
  const { draft, facts } = readMailtrapSend(mail);
  const content = facts.template === null ? draft : { ...draft, ...(await renderTemplate(facts.template, call)) };
  const identify: SubmittedEmail["identify"] = (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailtrap.io>` });
  const email = emailOf(content, { ...facts, identify });
  return sandbox === null ? email : { ...email, server: sandbox };
}
