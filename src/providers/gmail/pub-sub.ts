/**
 * Push notifications: https://developers.google.com/workspace/gmail/api/guides/push. Watches of mailboxes, and push subscriptions
 * of Cloud Pub/Sub, which lead from the topic of a watch to the application:
 * https://cloud.google.com/pubsub/docs/reference/rest/v1/projects.subscriptions, and their requests:
 * https://cloud.google.com/pubsub/docs/push
 */
import type { Direction } from "../../core/message.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { uuidToDecimal, uuidOfHash } from "../formats/uuid.ts";
import { jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { collectionOf } from "../kit/objects.ts";
import type { MailboxNotifications, MailboxSubscription } from "../mailbox-subscriptions.ts";
import { jsonResponse } from "../provider.ts";
import { alreadyExists, invalidArgument, missingResource } from "./errors.ts";
import { readBody, textsOf } from "./request.ts";
import { forUser, knownLabels, type User } from "./user.ts";

/** Names of topics. */
const topicPattern = /^projects\/[\w.:-]{1,100}\/topics\/[A-Za-z][\w.~+%-]{2,254}$/;

/** Lifetime of a watch: seven days. */
const lifetimeMs = 7 * 24 * 3_600_000;

/** Watches a mailbox, in place of an earlier watch: `POST /watch`. */
export const watch: Handler = forUser(async (user) => {
  const { subscriptions } = user.session;
  const members = readBody(user.request.body);
  const topic = members.text("topicName") ?? "";
  if (!topicPattern.test(topic)) throw invalidArgument(`Invalid topicName does not match ${topicPattern.source}`);
  const labels = knownLabels(user, textsOf(members, "labelIds"));
  const behavior = members.text("labelFilterBehavior") ?? members.text("labelFilterAction") ?? "include";
  const conditionIn = (direction: Direction): SearchExpression => {
    const any = or(...labels.map((label) => user.labels.condition(label, direction)));
    return labels.length === 0 ? and() : behavior.toLowerCase() === "exclude" ? not(any) : any;
  };
  const values = {
    kinds: ["added", "marked", "deleted"],
    where: { Received: conditionIn("Received"), Sent: conditionIn("Sent") },
    options: { topic },
    secrets: {},
    expiresAt: user.services.now() + lifetimeMs,
  } as const;
  const [present] = await watchesOf(user);
  const named = user.request.params["user"] ?? "me";
  const { id, expiresAt } =
    present === undefined
      ? await subscriptions.add(named === "me" ? null : named, values)
      : await subscriptions.change(present.id, values);
  await subscriptions.report(id, "started");
  const { cursor } = await user.mailbox.list({ expression: and(), direction: null, top: 1 });
  return { historyId: String(cursor), expiration: String(expiresAt) };
});

/** Ends the watch of a mailbox, if there is one: `POST /stop`. */
export const stop: Handler = forUser(async (user) => {
  for (const { id } of await watchesOf(user)) await user.session.subscriptions.remove(id);
});

async function watchesOf({ session, mailbox }: User): Promise<readonly MailboxSubscription[]> {
  return (await session.subscriptions.list()).filter((one) => one.address === mailbox.address);
}

/** Kind of the objects that are push subscriptions. */
const kind = "push subscription";
const namePattern = /^[A-Za-z][\w.~+%-]{2,254}$/;
const urlLengthMax = 2000;

/** Push subscription of Pub/Sub. Its id is its full name. */
interface PushSubscription {
  readonly topic: string;
  readonly pushEndpoint: string;
}

const pushSubscriptions = collectionOf<PushSubscription>(kind);

/** Creates a push subscription: `PUT /v1/projects/:project/subscriptions/:subscription`. */
export const createPushSubscription: Handler = async (call) => {
  const name = nameOf(call);
  const members = readBody(call.request.body);
  const topic = members.text("topic") ?? "";
  if (!topicPattern.test(topic)) throw invalidArgument(`Invalid [subscriptions] topic: ${topic.slice(0, 300)}`);
  const value = { topic, pushEndpoint: endpointOf(call, members) };
  if (!(await pushSubscriptions(call).create(name, value))) throw alreadyExists(`Subscription ${name} already exists.`);
  return jsonResponse(200, resourceOf(name, value));
};

/** Changes the endpoint: `POST /v1/projects/:project/subscriptions/:subscription:modifyPushConfig`. */
export const modifyPushConfig: Handler = async (call) => {
  const given = nameOf(call);
  const name = given.replace(/:modifyPushConfig$/, "");
  if (name === given) throw missingResource("Path not found.");
  const pushEndpoint = endpointOf(call, readBody(call.request.body));
  const changed = await pushSubscriptions(call).change(name, (present) => ({ ...present, pushEndpoint }));
  if (changed === undefined) throw missing(name);
  return jsonResponse(200, {});
};

/** Returns a push subscription: `GET /v1/projects/:project/subscriptions/:subscription`. */
export const getPushSubscription: Handler = async (call) => {
  const name = nameOf(call);
  return jsonResponse(200, resourceOf(name, await pushSubscriptions(call).open(name, () => missing(name))));
};

/** Lists the push subscriptions of a project: `GET /v1/projects/:project/subscriptions`. */
export const listPushSubscriptions: Handler = async (call) => {
  const prefix = `projects/${call.request.params["project"] ?? ""}/subscriptions/`;
  const own = (await pushSubscriptions(call).objects()).filter(({ id }) => id.startsWith(prefix));
  return jsonResponse(200, { subscriptions: own.map(({ id, value }) => resourceOf(id, value)) });
};

/** Removes a push subscription: `DELETE /v1/projects/:project/subscriptions/:subscription`. */
export const deletePushSubscription: Handler = async (call) => {
  const name = nameOf(call);
  if (!(await pushSubscriptions(call).remove(name))) throw missing(name);
  return jsonResponse(200, {});
};

function nameOf({ request: { params } }: Pick<Call, "request">): string {
  const { project = "", subscription = "" } = params;
  const isValid = /^[\w.-]{1,60}$/.test(project) && namePattern.test(subscription.replace(/:\w+$/, ""));
  const name = `projects/${project}/subscriptions/${subscription}`;
  if (!isValid || name.length > 200)
    throw invalidArgument(`Invalid [subscriptions] name: (name=${name.slice(0, 300)})`);
  return name;
}

function missing(name: string): Error {
  return missingResource(`Resource not found (resource=${name.slice(name.lastIndexOf("/") + 1)}).`);
}

/** Returns the endpoint of a push configuration; throws for one that callbacks may not be sent to. */
function endpointOf({ session }: Pick<Call, "session">, members: Members): string {
  const url = members.inside("pushConfig").text("pushEndpoint") ?? "";
  if (url === "") throw invalidArgument("Only push subscriptions are emulated: give pushConfig.pushEndpoint.");
  if (url.length > urlLengthMax) throw invalidArgument("Invalid push endpoint: it is too long.");
  session.subscriptions.checkUrl(url);
  return url;
}

function resourceOf(name: string, { topic, pushEndpoint }: PushSubscription): JsonObject {
  return { name, topic, pushConfig: { pushEndpoint }, ackDeadlineSeconds: 10, state: "ACTIVE" };
}

/** Notifications about the history of a mailbox, as Pub/Sub pushes them. Without a push subscription there are none. */
export const gmailNotifications: MailboxNotifications = {
  batchCountMax: 1,
  receiverOf: async (event, { options }, objects) => {
    if (event === "expiring" || event === "removed") return null;
    const all = (await objects(kind)).map(({ id, value }) => ({ id, ...(value as PushSubscription) }));
    const own = all.find(({ topic }) => topic === options["topic"]);
    return own === undefined ? null : { url: own.pushEndpoint, name: own.id };
  },
  render: ([notification], { id, address }, { receiver: { name } }) => {
    if (notification === undefined) throw new RangeError("No notification to render");
    const { sequence, at, kind: event } = notification;
    const data = Buffer.from(JSON.stringify({ emailAddress: address, historyId: sequence })).toString("base64");
    const messageId = uuidToDecimal(uuidOfHash(`${id} ${event} ${String(sequence)} ${String(at)}`)).slice(0, 16);
    const publishTime = new Date(at).toISOString();
    const message = { data, messageId, message_id: messageId, publishTime, publish_time: publishTime };
    const body = jsonBody({ message, subscription: name });
    return { headers: {}, contentType: "application/json", body };
  },
};
