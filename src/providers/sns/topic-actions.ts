/** Topics with phone numbers as subscribers; other protocols are not emulated. */
import { requiredText, textAt } from "../formats/aws-members.ts";
import { reads, sends, type AwsActions } from "../formats/aws-actions.ts";
import type { XmlObject } from "../formats/aws-xml.ts";
import { accountId } from "./response.ts";
import { invalidParameter } from "./errors.ts";
import { cancelSubscription } from "./public-actions.ts";
import { phoneNumberOf } from "./request.ts";
import {
  checkTopic,
  createTopic,
  deleteTopic,
  listSubscriptions,
  listTopics,
  subscribe,
  unsubscribe,
  type Subscription,
} from "./stored.ts";

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
