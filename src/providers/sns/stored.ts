/** Topics, subscriptions and SMS attributes of the account. */
import { createHash, randomUUID } from "node:crypto";
import type { ProviderObjects } from "../email.ts";
import { Collection } from "../kit/objects.ts";
import { invalidParameter, rejection } from "./errors.ts";
import { accountId } from "./response.ts";

/** Subscription of a phone number to a topic. */
export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  /** E.164. */
  readonly endpoint: string;
}

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

function openTopics(objects: ProviderObjects): Collection<{ readonly arn: string }> {
  return new Collection({ objects }, "topic");
}

function openSubscriptions(objects: ProviderObjects): Collection<Subscription> {
  return new Collection({ objects }, "subscription");
}

/** Returns the id of an object by its ARN, which may be longer than ids. */
function idOf(arn: string): string {
  return createHash("sha256").update(arn).digest("hex");
}

/** Stores a topic, unless it exists, and returns its ARN; throws `InvalidParameter`. */
export async function createTopic(objects: ProviderObjects, name: string, region: string): Promise<string> {
  if (!/^[\w-]{1,256}$/.test(name)) throw invalidParameter("Topic Name");
  const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
  await openTopics(objects).create(idOf(arn), { arn });
  return arn;
}

/** Throws `InvalidParameter` for anything but an ARN of a topic, `NotFound` when it does not exist. */
export async function checkTopic(objects: ProviderObjects, arn: string): Promise<void> {
  const elements = arn.split(":");
  if (elements.length < 6) {
    const count = String(elements.length);
    throw invalidParameter(`TopicArn Reason: An ARN must have at least 6 elements, not ${count}`);
  }
  if ((await openTopics(objects).find(idOf(arn))) === undefined) throw rejection("notFound");
}

/** Returns the ARNs of topics in the order of their creation, at most 1000 after skipping `offset`. */
export async function listTopics(objects: ProviderObjects, offset: number): Promise<readonly string[]> {
  return (await openTopics(objects).page(offset)).map(({ value }) => value.arn);
}

/** Removes a topic and its subscriptions; succeeds without such a topic. */
export async function deleteTopic(objects: ProviderObjects, arn: string): Promise<void> {
  for (const subscription of await listSubscriptions(objects, arn)) await unsubscribe(objects, subscription.arn);
  await openTopics(objects).remove(idOf(arn));
}

/** Returns the ARN of the subscription of a phone number to a topic, which is stored unless it exists. */
export async function subscribe(objects: ProviderObjects, topicArn: string, endpoint: string): Promise<string> {
  const present = (await listSubscriptions(objects, topicArn)).find((one) => one.endpoint === endpoint);
  if (present !== undefined) return present.arn;
  const arn = `${topicArn}:${randomUUID()}`;
  await openSubscriptions(objects).create(idOf(arn), { arn, topicArn, endpoint });
  return arn;
}

/** Removes a subscription; succeeds without one. */
export async function unsubscribe(objects: ProviderObjects, arn: string): Promise<void> {
  await openSubscriptions(objects).remove(idOf(arn));
}

/** Returns all subscriptions of a topic, or of all topics for null, in the order of their creation. */
export async function listSubscriptions(
  objects: ProviderObjects,
  topicArn: string | null,
): Promise<readonly Subscription[]> {
  const all = await openSubscriptions(objects).all();
  return topicArn === null ? all : all.filter((one) => one.topicArn === topicArn);
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
