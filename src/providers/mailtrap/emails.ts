/** Sending: one mail, and batches with common members. */
import type { SubmittedEmail } from "../email.ts";
import { emailOf, submitBatch, type AcceptedEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { noServer, textsOf } from "./errors.ts";
import { readBatch, readMailtrapObject, readMailtrapSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Sends a mail: `POST /api/send`. */
export const sendEmail: Handler = async (call) => {
  const email = await compose(readMailtrapObject(call.request.body), call);
  const [outcome = noServer] = await submitBatch(call.session, [email], noServer);
  if (outcome instanceof Rejection) throw outcome;
  return jsonResponse(200, responseOf(outcome));
};

/** Sends several mails, each with an outcome of its own: `POST /api/batch`. */
export const sendBatch: Handler = async (call) => {
  const items: (SubmittedEmail | Rejection)[] = [];
  for (const one of readBatch(call.request.body)) items.push(await settle(compose(one, call)));
  const responses = (await submitBatch(call.session, items, noServer)).map(responseOf);
  return jsonResponse(200, { success: true, responses });
};

/** Returns the outcome of a mail. It has an id for each recipient, all of which are that of the one message. */
function responseOf(outcome: AcceptedEmail<SubmittedEmail> | Rejection): JsonObject {
  if (outcome instanceof Rejection) return { success: false, errors: textsOf(outcome) };
  return { success: true, message_ids: outcome.email.recipients.map(() => outcome.providerId) };
}

async function compose(mail: JsonObject, call: Call): Promise<SubmittedEmail> {
  const { draft, template, category, variables } = readMailtrapSend(mail);
  const content = template === null ? draft : { ...draft, ...(await renderTemplate(template, call)) };
  const facts = { tags: category === null ? [] : [category], metadata: variables, template };
  return emailOf(content, { ...facts, identify: (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailtrap.io>` }) });
}
