/** Actions of Amazon SNS. */
import { randomUUID } from "node:crypto";
import { queryHandler, reads, sends, type AwsActions, type AwsCall } from "../formats/aws-actions.ts";
import { objectsAt, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { invalidParameter, namespace, snsErrors } from "./errors.ts";
import { isSenderId, notPublishable, phoneNumberOf, readPublication, smsTypes, type Publication } from "./request.ts";
import { checkTopic, confirmSubscription, listSubscriptions, topicActions } from "./topic-actions.ts";

/** Sender of SMS without a sender id, as in countries where Amazon SNS uses it. */
const senderDefault = "NOTICE";

const attributesKind = "sms-attributes";

/** Names of SMS attributes. */
const attributeNames: ReadonlySet<string> = new Set([
  "MonthlySpendLimit",
  "DeliveryStatusIAMRole",
  "DeliveryStatusSuccessSamplingRate",
  "DefaultSenderID",
  "DefaultSMSType",
  "UsageReportS3Bucket",
]);

/** Values of SMS attributes that were set, by name; they are one object. */
function attributesOf(session: AwsCall["session"]): Collection<Readonly<Record<string, string>>> {
  return new Collection(session, attributesKind);
}

async function getAttributes(session: AwsCall["session"]): Promise<Readonly<Record<string, string>>> {
  return (await attributesOf(session).find(attributesKind)) ?? {};
}

const smsActions: AwsActions = {
  Publish: sends(async (call) => ({ MessageId: await publish(call, readPublication(call.request)) })),
  CheckIfPhoneNumberIsOptedOut: reads(async ({ request, session }) => {
    const number = phoneNumberOf(requiredText(request, "phoneNumber", ""));
    return { isOptedOut: await session.hasOptedOut(number) };
  }),
  GetSMSAttributes: reads(async ({ request, session }) => {
    const names = textsAt(request, "attributes");
    const set = Object.entries(await getAttributes(session));
    const shown = names.length === 0 ? set : set.filter(([name]) => names.includes(name));
    return { attributes: new Map(shown) };
  }),
  SetSMSAttributes: sends(async ({ request, session }) => {
    const pairs = objectsAt(request, "attributes").map(
      (entry) => [requiredText(entry, "key", "attributes"), textAt(entry, "value") ?? ""] as const,
    );
    for (const [name, value] of pairs) checkAttribute(name, value);
    const present = await getAttributes(session);
    await attributesOf(session).put(attributesKind, { ...present, ...Object.fromEntries(pairs) });
    return {};
  }),
  GetSMSSandboxAccountStatus: reads(async () => ({ IsInSandbox: false })),
};

function checkAttribute(name: string, value: string): void {
  const isKnown = attributeNames.has(name);
  const isValid =
    (name !== "DefaultSenderID" || value === "" || isSenderId(value)) &&
    (name !== "DefaultSMSType" || smsTypes.has(value));
  if (!isKnown || !isValid) throw invalidParameter(name.slice(0, 100));
}

/** Stores the SMS of a publication and returns the message id. Numbers that have opted out receive nothing. */
async function publish(call: AwsCall, { target, text, sender, facts: metadata }: Publication): Promise<string> {
  const { session } = call;
  const from = sender ?? ((await getAttributes(session))["DefaultSenderID"] || senderDefault);
  if ("phoneNumber" in target) {
    const { phoneNumber: to } = target;
    const submission = await session.submitSms({ from, to, text, callback: null, metadata });
    if (submission.refusal === undefined) return submission.id;
    if (submission.refusal === "no_server") throw notPublishable(to);
    return randomUUID();
  }
  await checkTopic(session, target.topicArn);
  const messageId = randomUUID();
  for (const { endpoint: to } of await listSubscriptions(session, target.topicArn)) {
    await session.submitSms({ from, to, text, callback: null, metadata, providerIdOf: () => messageId });
  }
  return messageId;
}

/** Responds to an action: `POST /`. `ConfirmSubscription` needs no key, since its token is the secret. */
export const respondToAction: OpenHandler = queryHandler({
  namespace,
  version: "2010-03-31",
  actions: { ...smsActions, ...topicActions },
  openActions: { ConfirmSubscription: confirmSubscription },
  errors: snsErrors,
});
