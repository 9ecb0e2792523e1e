/** Topics, subscriptions and SMS attributes of the account. */
import { createHash, randomUUID } from "node:crypto";
import type { ProviderObjects } from "../email.ts";
import { accountId } from "./account.ts";
import { invalidParameter, SnsError } from "./errors.ts";

/** Subscription of a phone number to a topic. */
export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  /** E.164. */
  readonly endpoint: string;
}

const listSizeMax = 1000;
const topicKind = "topic";
const subscriptionKind = "subscription";
const attributesKind = "sms-attributes";

/** Names of SMS attributes. */
export const attributeNames: ReadonlySet<string> = new Set([
  "MonthlySpendLimit",
  "DeliveryStatusIAMRole",
  "DeliveryStatusSuccessSamplingRate",
  "DefaultSenderID",
  "DefaultSMSType",
  "UsageReportS3Bucket",
]);

/** Returns the id of an object by its ARN, which may be longer than ids. */
function idOf(arn: string): string {
  return createHash("sha256").update(arn).digest("hex");
}

/** Stores a topic, unless it exists, and returns its ARN; throws `InvalidParameter`. */
export async function createTopic(objects: ProviderObjects, name: string, region: string): Promise<string> {
  if (!/^[\w-]{1,256}$/.test(name)) throw invalidParameter("Topic Name");
  const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
  await objects.put(topicKind, idOf(arn), { value: { arn }, version: 0 });
  return arn;
}

/** Throws `InvalidParameter` for anything but an ARN of a topic, `NotFound` when it does not exist. */
export async function checkTopic(objects: ProviderObjects, arn: string): Promise<void> {
  const elements = arn.split(":");
  if (elements.length < 6) {
    const count = String(elements.length);
    throw invalidParameter(`TopicArn Reason: An ARN must have at least 6 elements, not ${count}`);
  }
  if ((await objects.get(topicKind, idOf(arn))) === undefined) throw new SnsError("NotFound");
}

/** Returns the ARNs of topics in the order of their creation, at most 1000 after skipping `offset`. */
export async function listTopics(objects: ProviderObjects, offset: number): Promise<readonly string[]> {
  return (await objects.list(topicKind, offset)).map(({ value }) => (value as { readonly arn: string }).arn);
}

/** Removes a topic and its subscriptions; succeeds without such a topic. */
export async function deleteTopic(objects: ProviderObjects, arn: string): Promise<void> {
  for (const subscription of await listSubscriptions(objects, arn)) await unsubscribe(objects, subscription.arn);
  await objects.remove(topicKind, idOf(arn));
}

/** Returns the ARN of the subscription of a phone number to a topic, which is stored unless it exists. */
export async function subscribe(objects: ProviderObjects, topicArn: string, endpoint: string): Promise<string> {
  const present = (await listSubscriptions(objects, topicArn)).find((one) => one.endpoint === endpoint);
  if (present !== undefined) return present.arn;
  const arn = `${topicArn}:${randomUUID()}`;
  await objects.put(subscriptionKind, idOf(arn), { value: { arn, topicArn, endpoint }, version: 0 });
  return arn;
}

/** Removes a subscription; succeeds without one. */
export async function unsubscribe(objects: ProviderObjects, arn: string): Promise<void> {
  await objects.remove(subscriptionKind, idOf(arn));
}

/** Returns all subscriptions of a topic, or of all topics for null, in the order of their creation. */
export async function listSubscriptions(
  objects: ProviderObjects,
  topicArn: string | null,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = [];
  for (let offset = 0; ; offset += listSizeMax) {
    const page = await objects.list(subscriptionKind, offset);
    found.push(...page.map(({ value }) => value as Subscription));
    if (page.length < listSizeMax) return topicArn === null ? found : found.filter((one) => one.topicArn === topicArn);
  }
}

/** Returns the SMS attributes that were set. */
export async function getAttributes(objects: ProviderObjects): Promise<Readonly<Record<string, string>>> {
  const found = await objects.get(attributesKind, attributesKind);
  return (found?.value ?? {}) as Readonly<Record<string, string>>;
}

/** Sets SMS attributes; the others keep their values. */
export async function setAttributes(
  objects: ProviderObjects,
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const value = { ...(await getAttributes(objects)), ...changes };
  await objects.put(attributesKind, attributesKind, { value });
}
