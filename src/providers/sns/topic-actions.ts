/** Topics with phone numbers as subscribers; other protocols are not emulated. */
import { createHash, randomUUID } from "node:crypto";
import type { ProviderObjects } from "../email.ts";
import { reads, sends, type AwsActions } from "../formats/aws-actions.ts";
import { requiredText, textAt } from "../formats/aws-members.ts";
import type { XmlObject } from "../formats/aws-xml.ts";
import { Collection } from "../kit/objects.ts";
import { invalidParameter, rejection } from "./errors.ts";
import { cancelSubscription } from "./public-actions.ts";
import { phoneNumberOf } from "./request.ts";
import { accountId } from "./response.ts";

const httpIsElsewhere =
  "Protocol Reason: HTTP endpoints are set as the event webhook of a server, PUT /api/servers/:id/event-webhooks/ses";

/** Values of a page of topics or subscriptions. */
const pageSize = 100;

/** Actions with topics. */
export const topicActions: AwsActions = {
  CreateTopic: sends(async ({ request, session, region }) => ({
    TopicArn: await createTopic(session.objects, requiredText(request, "Name", ""), region),
  })),
  DeleteTopic: sends(async ({ request, session }) => {
    await deleteTopic(session.objects, requiredText(request, "TopicArn", ""));
    return null;
  }),
  ListTopics: reads(async ({ request, session }) => {
    const offset = offsetOf(textAt(request, "NextToken"));
    const arns = await listTopics(session.objects, offset);
    const topics = arns.slice(0, pageSize).map((arn) => ({ TopicArn: arn }));
    return { Topics: topics, NextToken: nextToken(offset, arns.length) };
  }),
  GetTopicAttributes: reads(async ({ request, session }) => {
    const arn = requiredText(request, "TopicArn", "");
    await checkTopic(session.objects, arn);
    const attributes = {
      TopicArn: arn,
      Owner: accountId,
      SubscriptionsConfirmed: (await listSubscriptions(session.objects, arn)).length,
      SubscriptionsPending: 0,
      SubscriptionsDeleted: 0,
    };
    return { Attributes: new Map(Object.entries(attributes)) };
  }),
  Subscribe: sends(async ({ request, session }) => {
    const topicArn = requiredText(request, "TopicArn", "");
    const protocol = requiredText(request, "Protocol", "");
    if (protocol !== "sms") {
      if (/^https?$/.test(protocol)) throw invalidParameter(httpIsElsewhere);
      throw invalidParameter(`Amazon SNS does not support this protocol string: ${protocol.slice(0, 100)}`);
    }
    const endpoint = phoneNumberOf(requiredText(request, "Endpoint", ""));
    await checkTopic(session.objects, topicArn);
    return { SubscriptionArn: await subscribe(session.objects, topicArn, endpoint) };
  }),
  Unsubscribe: sends(async ({ request, session, services }) => {
    const arn = requiredText(request, "SubscriptionArn", "");
    await unsubscribe(session.objects, arn);
    await cancelSubscription(arn, services);
    return null;
  }),
  ListSubscriptions: reads(async ({ request, session }) =>
    subscriptionPage(await listSubscriptions(session.objects, null), textAt(request, "NextToken")),
  ),
  ListSubscriptionsByTopic: reads(async ({ request, session }) => {
    const arn = requiredText(request, "TopicArn", "");
    await checkTopic(session.objects, arn);
    return subscriptionPage(await listSubscriptions(session.objects, arn), textAt(request, "NextToken"));
  }),
};

function subscriptionPage(subscriptions: readonly Subscription[], token: string | null): XmlObject {
  const offset = offsetOf(token);
  const rest = subscriptions.slice(offset);
  const members = rest.slice(0, pageSize).map(({ arn, topicArn, endpoint }) => ({
    SubscriptionArn: arn,
    Owner: accountId,
    Protocol: "sms",
    Endpoint: endpoint,
    TopicArn: topicArn,
  }));
  return { Subscriptions: members, NextToken: nextToken(offset, rest.length) };
}

/** Returns the number of values before a page, which is its token; throws `InvalidParameter`. */
function offsetOf(token: string | null): number {
  if (token === null || token === "") return 0;
  if (!/^\d{1,7}$/.test(token)) throw invalidParameter("NextToken");
  return Number(token);
}

function nextToken(offset: number, count: number): number | null {
  return count > pageSize ? offset + pageSize : null;
}

/** Subscription of a phone number to a topic. */
interface Subscription {
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
async function createTopic(objects: ProviderObjects, name: string, region: string): Promise<string> {
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
async function listTopics(objects: ProviderObjects, offset: number): Promise<readonly string[]> {
  return (await openTopics(objects).page(offset)).map(({ value }) => value.arn);
}

/** Removes a topic and its subscriptions; succeeds without such a topic. */
async function deleteTopic(objects: ProviderObjects, arn: string): Promise<void> {
  for (const subscription of await listSubscriptions(objects, arn)) await unsubscribe(objects, subscription.arn);
  await openTopics(objects).remove(idOf(arn));
}

/** Returns the ARN of the subscription of a phone number to a topic, which is stored unless it exists. */
async function subscribe(objects: ProviderObjects, topicArn: string, endpoint: string): Promise<string> {
  const present = (await listSubscriptions(objects, topicArn)).find((one) => one.endpoint === endpoint);
  if (present !== undefined) return present.arn;
  const arn = `${topicArn}:${randomUUID()}`;
  await openSubscriptions(objects).create(idOf(arn), { arn, topicArn, endpoint });
  return arn;
}

/** Removes a subscription; succeeds without one. */
async function unsubscribe(objects: ProviderObjects, arn: string): Promise<void> {
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
