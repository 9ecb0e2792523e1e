/**
 * Topics with phone numbers as subscribers (other protocols are not emulated), and the requests without credentials that
 * receivers of notifications make: confirmation with the token, cancellation, and the certificate of signatures.
 */
import { createHash, randomUUID } from "node:crypto";
import type { EmailSession } from "../email.ts";
import { reads, sends, type AwsActions } from "../formats/aws-actions.ts";
import { requiredText, textAt } from "../formats/aws-members.ts";
import { queryResponse, type XmlObject } from "../formats/aws-xml.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { OpenCall, OpenHandler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { invalidParameter, namespace, rejection } from "./errors.ts";
import { accountId, certificateName, subscriptionArnOf, targetOfCertificateName } from "./notifications.ts";
import { phoneNumberOf } from "./request.ts";

const httpIsElsewhere =
  "Protocol Reason: HTTP endpoints are set as the event webhook of a server, PUT /api/servers/:id/event-webhooks/ses";

/** Values of a page of topics or subscriptions. */
const pageSize = 100;

type Session = Pick<EmailSession, "objects">;

/** Subscription of a phone number to a topic. */
interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  /** E.164. */
  readonly endpoint: string;
}

function topicsOf(session: Session): Collection<{ readonly arn: string }> {
  return new Collection(session, "topic");
}

function subscriptionsOf(session: Session): Collection<Subscription> {
  return new Collection(session, "subscription");
}

/** Returns the id of an object by its ARN, which may be longer than ids. */
function idOf(arn: string): string {
  return createHash("sha256").update(arn).digest("hex");
}

/** Actions with topics. */
export const topicActions: AwsActions = {
  CreateTopic: sends(async ({ request, session, region }) => {
    const name = requiredText(request, "Name", "");
    if (!/^[\w-]{1,256}$/.test(name)) throw invalidParameter("Topic Name");
    const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
    // Succeeds also when the topic exists.
    await topicsOf(session).create(idOf(arn), { arn });
    return { TopicArn: arn };
  }),
  DeleteTopic: sends(async ({ request, session }) => {
    // Succeeds also without such a topic.
    const topicArn = requiredText(request, "TopicArn", "");
    for (const { arn } of await listSubscriptions(session, topicArn)) await subscriptionsOf(session).remove(idOf(arn));
    await topicsOf(session).remove(idOf(topicArn));
    return null;
  }),
  ListTopics: reads(async ({ request, session }) => {
    const offset = offsetOf(request);
    const topics = await topicsOf(session).page(offset);
    const { shown, NextToken } = pageAt(offset, topics);
    return { Topics: shown.map(({ value }) => ({ TopicArn: value.arn })), NextToken };
  }),
  GetTopicAttributes: reads(async ({ request, session }) => {
    const arn = requiredText(request, "TopicArn", "");
    await checkTopic(session, arn);
    const attributes = {
      TopicArn: arn,
      Owner: accountId,
      SubscriptionsConfirmed: (await listSubscriptions(session, arn)).length,
      SubscriptionsPending: 0,
      SubscriptionsDeleted: 0,
    };
    return { Attributes: new Map(Object.entries(attributes)) };
  }),
  Subscribe: sends(async ({ request, session }) => {
    const topicArn = requiredText(request, "TopicArn", "");
    const protocol = requiredText(request, "Protocol", "");
    if (/^https?$/.test(protocol)) throw invalidParameter(httpIsElsewhere);
    if (protocol !== "sms") {
      throw invalidParameter(`Amazon SNS does not support this protocol string: ${protocol.slice(0, 100)}`);
    }
    const endpoint = phoneNumberOf(requiredText(request, "Endpoint", ""));
    await checkTopic(session, topicArn);
    const present = (await listSubscriptions(session, topicArn)).find((one) => one.endpoint === endpoint);
    if (present !== undefined) return { SubscriptionArn: present.arn };
    const arn = `${topicArn}:${randomUUID()}`;
    await subscriptionsOf(session).create(idOf(arn), { arn, topicArn, endpoint });
    return { SubscriptionArn: arn };
  }),
  Unsubscribe: sends(async ({ request, session, services }) => {
    // Succeeds also without such a subscription.
    const arn = requiredText(request, "SubscriptionArn", "");
    await subscriptionsOf(session).remove(idOf(arn));
    await cancelSubscription(arn, services);
    return null;
  }),
  ListSubscriptions: reads(async ({ request, session }) =>
    subscriptionPage(await listSubscriptions(session, null), request),
  ),
  ListSubscriptionsByTopic: reads(async ({ request, session }) => {
    const arn = requiredText(request, "TopicArn", "");
    await checkTopic(session, arn);
    return subscriptionPage(await listSubscriptions(session, arn), request);
  }),
};

function subscriptionPage(subscriptions: readonly Subscription[], request: JsonObject): XmlObject {
  const offset = offsetOf(request);
  const { shown, NextToken } = pageAt(offset, subscriptions.slice(offset));
  const members = shown.map(({ arn, topicArn, endpoint }) => ({
    SubscriptionArn: arn,
    Owner: accountId,
    Protocol: "sms",
    Endpoint: endpoint,
    TopicArn: topicArn,
  }));
  return { Subscriptions: members, NextToken };
}

/** Returns the number of values before a page, which is its token; throws `InvalidParameter`. */
function offsetOf(request: JsonObject): number {
  const token = textAt(request, "NextToken") || "0";
  if (!/^\d{1,7}$/.test(token)) throw invalidParameter("NextToken");
  return Number(token);
}

/** Returns the first values of the rest of a list, and the token of the next page; null for none. */
function pageAt<Value>(
  offset: number,
  rest: readonly Value[],
): { readonly shown: readonly Value[]; readonly NextToken: number | null } {
  return { shown: rest.slice(0, pageSize), NextToken: rest.length > pageSize ? offset + pageSize : null };
}

/** Throws `InvalidParameter` for anything but an ARN of a topic, `NotFound` when it does not exist. */
export async function checkTopic(session: Session, arn: string): Promise<void> {
  const { length } = arn.split(":");
  if (length < 6) {
    throw invalidParameter(`TopicArn Reason: An ARN must have at least 6 elements, not ${String(length)}`);
  }
  if ((await topicsOf(session).find(idOf(arn))) === undefined) throw rejection("notFound");
}

/** Returns all subscriptions of a topic, or of all topics for null, in the order of their creation. */
export async function listSubscriptions(session: Session, topicArn: string | null): Promise<readonly Subscription[]> {
  const all = await subscriptionsOf(session).all();
  return topicArn === null ? all : all.filter((one) => one.topicArn === topicArn);
}

const pemType = "application/x-pem-file";

/** Responds to the URLs in notifications: `GET /?Action=ConfirmSubscription` and `GET /?Action=Unsubscribe`. */
export const respondToLink: OpenHandler = async ({ request, services }) => {
  const action = fieldOf(request.fields, "Action") ?? "";
  const parameters = Object.fromEntries(request.fields);
  if (action === "ConfirmSubscription") {
    return queryResponse(namespace, action, await confirmSubscription(parameters, { services }));
  }
  if (action !== "Unsubscribe") throw rejection("missingToken");
  const arn = textAt(parameters, "SubscriptionArn") ?? "";
  if (!(await cancelSubscription(arn, services))) throw rejection("notFound", "Subscription does not exist");
  return queryResponse(namespace, action, null);
};

/** Confirms a subscription by its token, without credentials; throws `invalid` for an unknown token. */
export async function confirmSubscription(
  parameters: JsonObject,
  { services: { subscriptions } }: Pick<OpenCall, "services">,
): Promise<{ readonly SubscriptionArn: string }> {
  const confirmed = await subscriptions.confirm(textAt(parameters, "Token") ?? "");
  if (confirmed === null) throw invalidParameter("Token");
  return { SubscriptionArn: subscriptionArnOf(confirmed.target, confirmed.options) };
}

/** Disables the target of a subscription; false for an ARN of another subscription. */
async function cancelSubscription(arn: string, { subscriptions }: OpenCall["services"]): Promise<boolean> {
  const target = /^arn:[^\s]{1,500}:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(arn)?.[1];
  return target !== undefined && subscriptions.unsubscribe(target);
}

/** Responds with the certificate of a target: `GET /SimpleNotificationService-….pem`. */
export const getCertificate: OpenHandler = async ({ request: { params }, services: { subscriptions } }) => {
  const { file = "" } = params;
  const target = targetOfCertificateName(file);
  const certificate = target === undefined ? null : await subscriptions.publicKeyOf(target);
  if (target === undefined || certificate === null || certificateName(target, certificate) !== file) {
    // As the storage of AWS responds.
    throw rejection("accessDenied", "Access Denied");
  }
  return { status: 200, body: { contentType: pemType, text: certificate } };
};
