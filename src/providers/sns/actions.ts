/** Actions of Amazon SNS. */
import { randomUUID } from "node:crypto";
import { objectsAt, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import { readQuery, reads, sends, type QueryAction } from "../formats/aws-query.ts";
import { mapEntries, queryResponse } from "../formats/aws-xml.ts";
import { accessKeyOf, regionOf } from "../formats/aws-access-key.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, OpenCall, OpenHandler } from "../kit/endpoints.ts";
import type { ProviderResponse } from "../provider.ts";
import { invalidParameter, rejection, throwAsRejection } from "./errors.ts";
import { isSenderId, notPublishable, phoneNumberOf, readPublication, smsTypes, type Publication } from "./request.ts";
import { confirmSubscription } from "./public-actions.ts";
import { newQueryContext } from "./response.ts";
import { attributeNames, checkTopic, getAttributes, listSubscriptions, setAttributes } from "./stored.ts";
import { topicActions } from "./topic-actions.ts";

/** Request to an action. */
export interface SnsCall extends Pick<Call, "session" | "services"> {
  readonly request: JsonObject;
  readonly region: string;
}

/** Actions by name. */
export type SnsActions = Readonly<Record<string, QueryAction<SnsCall>>>;

/** Sender of SMS without a sender id, as in countries where Amazon SNS uses it. */
const senderDefault = "NOTICE";

const smsActions: SnsActions = {
  Publish: sends(async (call) => [["MessageId", await publish(call, readPublication(call.request))]]),
  CheckIfPhoneNumberIsOptedOut: reads(async ({ request, session }) => {
    const number = phoneNumberOf(requiredText(request, "phoneNumber", ""));
    return [["isOptedOut", String(await session.hasOptedOut(number))]];
  }),
  GetSMSAttributes: reads(async ({ request, session }) => {
    const names = textsAt(request, "attributes");
    const set = Object.entries(await getAttributes(session.objects));
    const shown = names.length === 0 ? set : set.filter(([name]) => names.includes(name));
    return [["attributes", mapEntries(shown)]];
  }),
  SetSMSAttributes: sends(async ({ request, session }) => {
    const pairs = objectsAt(request, "attributes").map(
      (entry) => [requiredText(entry, "key", "attributes"), textAt(entry, "value") ?? ""] as const,
    );
    for (const [name, value] of pairs) checkAttribute(name, value);
    await setAttributes(session.objects, Object.fromEntries(pairs));
    return [];
  }),
  GetSMSSandboxAccountStatus: reads(async () => [["IsInSandbox", "false"]]),
};

const actions: ReadonlyMap<string, QueryAction<SnsCall>> = new Map(
  Object.entries<QueryAction<SnsCall>>({ ...smsActions, ...topicActions }),
);

function checkAttribute(name: string, value: string): void {
  const isKnown = attributeNames.has(name);
  const isValid =
    (name !== "DefaultSenderID" || value === "" || isSenderId(value)) &&
    (name !== "DefaultSMSType" || smsTypes.has(value));
  if (!isKnown || !isValid) throw invalidParameter(name.slice(0, 100));
}

/** Stores the SMS of a publication and returns the message id. Numbers that have opted out receive nothing. */
async function publish(call: SnsCall, { target, text, sender, facts: metadata }: Publication): Promise<string> {
  const { session } = call;
  const from = sender ?? ((await getAttributes(session.objects))["DefaultSenderID"] || senderDefault);
  if ("phoneNumber" in target) {
    const { phoneNumber: to } = target;
    const submission = await session.submitSms({ from, to, text, callback: null, metadata });
    if (submission.refusal === undefined) return submission.id;
    if (submission.refusal === "no_server") throw notPublishable(to);
    return randomUUID();
  }
  await checkTopic(session.objects, target.topicArn);
  const messageId = randomUUID();
  for (const { endpoint: to } of await listSubscriptions(session.objects, target.topicArn)) {
    await session.submitSms({ from, to, text, callback: null, metadata, providerIdOf: () => messageId });
  }
  return messageId;
}

/** Responds to an action: `POST /`. `ConfirmSubscription` needs no key, since its token is the secret. */
export const respondToAction: OpenHandler = async (call) => respond(call).catch(throwAsRejection);

async function respond({ request, services }: OpenCall): Promise<ProviderResponse> {
  const parameters = await readQuery(request.body);
  const name = parameters === undefined ? "" : (textAt(parameters, "Action") ?? "");
  if (parameters !== undefined && name === "ConfirmSubscription") return confirmSubscription(parameters, services);
  const key = accessKeyOf(request);
  if (key === null) throw rejection("MissingAuthenticationToken");
  if (parameters === undefined) throw rejection("MalformedQueryString");
  const action = actions.get(name);
  const session = await services.authenticate(key, action?.need ?? "read");
  if (action === undefined) {
    throw rejection("InvalidAction", `Could not find operation ${name} for version 2010-03-31`);
  }
  const result = await action.act({ request: parameters, session, region: regionOf(request), services });
  return queryResponse(newQueryContext(), name, result);
}
