/** Subscriptions to changes of messages: https://learn.microsoft.com/graph/api/resources/subscription */
import { randomUUID } from "node:crypto";
import type { Direction } from "../../core/message.ts";
import { readForm } from "../../core/read-form.ts";
import { and, occurringTerms, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isUuid, uuidOfHash } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { reasonOf } from "../kit/errors.ts";
import type { Members } from "../kit/members.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import type { ReceiverAnswer } from "../kit/webhooks.ts";
import type { MailboxSubscription, SubscriptionValues } from "../mailbox-subscriptions.ts";
import type { ProviderResponse } from "../provider.ts";
import { changeTypes, lifecycleEvents } from "./change-notifications.ts";
import { invalidRequest, rejection } from "./errors.ts";
import { folderFilter } from "./folder-tags.ts";
import { openFolderName } from "./folders.ts";
import { applicationOf } from "./identity.ts";
import { openMailbox } from "./ids.ts";
import { readFilter } from "./query.ts";
import { readMembers } from "./request.ts";
import { checkCertificate } from "./rich-notifications.ts";
import { apiUrl, collection, empty, json } from "./response.ts";

/** Longest lifetimes of subscriptions to messages, without resource data and with it. */
const [lifetimeMinutesMax, dataLifetimeMinutesMax] = [10_080, 1440];
const urlNames = ["notificationUrl", "lifecycleNotificationUrl"] as const;

/** Subscribes to messages, after the receiver has proved that it expects notifications: `POST /subscriptions`. */
export const createSubscription: Handler = async (call) => {
  const members = readMembers(call.request);
  const resource = required(members, "resource");
  const { user, where, select } = await readResource(call, resource);
  await openMailbox(call, user);
  const changeType = required(members, "changeType");
  required(members, "notificationUrl");
  const data = members.flag("includeResourceData") === true ? resourceDataOf(members, select) : {};
  const urls = urlsOf(members);
  const values: SubscriptionValues = {
    kinds: changeType.split(",").map(kindOf),
    where,
    expiresAt: expiryOf(call, required(members, "expirationDateTime"), data),
    options: {
      resource,
      changeType,
      ...urls,
      latestSupportedTlsVersion: members.text("latestSupportedTlsVersion") ?? "v1_2",
      ...data,
      ...(await audienceOf(call, members)),
    },
    secrets: clientStateOf(members),
  };
  await confirmEach(call, urls);
  return shown(call, 201, await call.session.subscriptions.add(user, values));
};

/** Lists the subscriptions of the caller: `GET /subscriptions`. */
export const listSubscriptions: Handler = async (call) =>
  collection(call, (await call.session.subscriptions.list()).map(resourceOf));

/** Returns a subscription: `GET /subscriptions/:id`. */
export const getSubscription: Handler = async (call) =>
  shown(call, 200, await found(call, call.session.subscriptions.get(idOf(call))));

/** Renews a subscription, or changes its receiver: `PATCH /subscriptions/:id`. */
export const updateSubscription: Handler = async (call) => {
  const { subscriptions } = call.session;
  const members = readMembers(call.request);
  const { options } = await found(call, subscriptions.get(idOf(call)));
  const expiration = members.text("expirationDateTime");
  const urls = urlsOf(members);
  await confirmEach(call, urls);
  const changes = {
    ...(expiration !== null && { expiresAt: expiryOf(call, expiration, options) }),
    ...(Object.keys(urls).length > 0 && { options: { ...options, ...urls } }),
    ...(members.text("clientState") !== null && { secrets: clientStateOf(members) }),
  };
  return shown(call, 200, await found(call, subscriptions.change(idOf(call), changes)));
};

/** Ends a subscription: `DELETE /subscriptions/:id`. */
export const deleteSubscription: Handler = async (call) => {
  await found(call, call.session.subscriptions.remove(idOf(call)));
  return empty(call, 204);
};

/** Accepts that a subscription is authorised again: `POST /subscriptions/:id/reauthorize`. */
export const reauthorize: Handler = async (call) => {
  await found(call, call.session.subscriptions.get(idOf(call)));
  return empty(call, 204);
};

/**
 * Sends a lifecycle notification, which Graph itself decides: `POST /subscriptions/:id/lifecycleEvents`, an endpoint of this
 * service. `subscriptionRemoved` ends the subscription.
 */
export const reportLifecycleEvent: Handler = async (call) => {
  const event = readMembers(call.request).text("lifecycleEvent") ?? "";
  const fact = Object.entries(lifecycleEvents).find(([name]) => name === event)?.[1];
  if (fact === undefined) throw invalidRequest(`lifecycleEvent is one of ${Object.keys(lifecycleEvents).join(", ")}.`);
  await found(call, call.session.subscriptions.report(idOf(call), fact));
  return empty(call, 202);
};

function idOf({ request }: Pick<Call, "request">): string {
  return request.params["id"] ?? "";
}

async function found<Value>(call: Pick<Call, "request">, value: Promise<Value>): Promise<Value> {
  return onProblem("not_found", value, () => rejection("ResourceNotFound", `The object ${idOf(call)} was not found.`));
}

function shown(call: Call, status: number, subscription: MailboxSubscription): ProviderResponse {
  const context = `${apiUrl(call.request)}/$metadata#subscriptions/$entity`;
  return json(call, status, { "@odata.context": context, ...resourceOf(subscription) });
}

function resourceOf({ id, address, options, secrets, expiresAt }: MailboxSubscription): JsonObject {
  return {
    id,
    resource: options["resource"],
    applicationId: options["application"],
    changeType: options["changeType"],
    clientState: secrets["clientState"] ?? null,
    notificationUrl: options["notificationUrl"],
    lifecycleNotificationUrl: options["lifecycleNotificationUrl"] ?? null,
    expirationDateTime: new Date(expiresAt).toISOString(),
    creatorId: uuidOfHash(address),
    includeResourceData: options["certificate"] === undefined ? null : true,
    latestSupportedTlsVersion: options["latestSupportedTlsVersion"],
    encryptionCertificate: options["certificate"] ?? null,
    encryptionCertificateId: options["certificateId"] ?? null,
    notificationQueryOptions: null,
    notificationUrlAppId: options["notificationUrlAppId"] ?? null,
  };
}

/** Paths of messages, of a mailbox or of a folder, with the ids between slashes or in parentheses. */
const messagesPath =
  /^\/?(?:me|users(?:\/(?<user>[^/()]+)|\('(?<named>[^/()]+)'\)))(?:\/mailFolders(?:\/(?<folder>[^/()]+)|\('(?<own>[^/()]+)'\)))?\/messages$/i;

/**
 * Reads the user of a resource, null for that of the key, the conditions on the messages, and `$select`, null without it; rejects
 * for a resource that is not emulated.
 */
async function readResource(call: Call, resource: string) {
  const [path = "", query = ""] = resource.split("?", 2);
  const { groups } = messagesPath.exec(path) ?? {};
  if (groups === undefined) {
    const text = `Resource '${resource.slice(0, 200)}' is not supported`;
    throw invalidRequest(`${text}: subscribe to the messages of a user or folder.`);
  }
  const options = new Map(readForm(query));
  const other = [...options.keys()].find((name) => name !== "$filter" && name !== "$select");
  if (other !== undefined) throw invalidRequest(`The resource has an unsupported option '${other.slice(0, 100)}'.`);
  const folder = groups["folder"] ?? groups["own"];
  const { direction, expression } =
    folder === undefined ? { direction: null, expression: and() } : folderFilter(await openFolderName(call, folder));
  const condition = and(expression, conditionOf(options.get("$filter")));
  const within = (own: Direction): SearchExpression => (direction === null || direction === own ? condition : or());
  return {
    user: groups["user"] ?? groups["named"] ?? null,
    where: { Received: within("Received"), Sent: within("Sent") },
    select: options.get("$select") ?? null,
  };
}

function conditionOf(filter: string | undefined): SearchExpression {
  const expression = filter === undefined ? and() : readFilter(filter);
  if (!occurringTerms(expression).some(({ term }) => term.kind === "text" && term.field === "body")) return expression;
  throw invalidRequest("Filters of subscriptions on the body are not emulated.");
}

function required(members: Members, name: string): string {
  const text = members.text(name) || null;
  if (text === null) throw invalidRequest(`${name} is a required property for subscription creation.`);
  return text;
}

function kindOf(changeType: string): SubscriptionValues["kinds"][number] {
  const kind = Object.entries(changeTypes).find(([name]) => name === changeType.trim().toLowerCase())?.[1];
  if (kind === undefined) throw invalidRequest(`Invalid 'changeType' attribute: '${changeType.slice(0, 100)}'.`);
  return kind;
}

/** Returns the instant at which a subscription with these options ends. */
function expiryOf({ services }: Call, text: string, options: SubscriptionValues["options"]): number {
  const minutesMax = options["certificate"] === undefined ? lifetimeMinutesMax : dataLifetimeMinutesMax;
  const expiresAt = readIsoInstant(text);
  if (expiresAt === undefined) throw invalidRequest(`Invalid 'expirationDateTime': '${text.slice(0, 100)}'.`);
  const now = services.now();
  if (expiresAt <= now) throw invalidRequest("Subscription expiration must be in the future.");
  if (expiresAt <= now + minutesMax * 60_000) return expiresAt;
  throw rejection("ExtensionError", `Subscription expiration can only be ${minutesMax} minutes in the future.`);
}

/** Returns the options of notifications with resource data, which needs a selection and a certificate. */
function resourceDataOf(members: Members, select: string | null): SubscriptionValues["options"] {
  if (select === null) throw invalidRequest("Resource data of messages needs $select in the resource.");
  const certificate = required(members, "encryptionCertificate");
  const certificateId = required(members, "encryptionCertificateId");
  checkCertificate(certificate);
  checkLength("encryptionCertificateId", certificateId);
  return { select, certificate, certificateId };
}

/** Returns the options that name the application and its tenant, for tokens. */
async function audienceOf({ session }: Call, members: Members): Promise<SubscriptionValues["options"]> {
  const { id: application, tenant } = await applicationOf(session);
  const notificationUrlAppId = members.text("notificationUrlAppId");
  if (notificationUrlAppId !== null && !isUuid(notificationUrlAppId.toLowerCase())) {
    throw invalidRequest("notificationUrlAppId must be a UUID.");
  }
  const given = notificationUrlAppId === null ? {} : { notificationUrlAppId };
  return { application, ...given, ...(tenant !== null && { tenant }) };
}

function clientStateOf(members: Members): SubscriptionValues["secrets"] {
  const clientState = members.text("clientState");
  if (clientState === null) return {};
  checkLength("clientState", clientState);
  return { clientState };
}

function checkLength(name: string, text: string): void {
  if (text.length > 128) throw invalidRequest(`${name} has at most 128 characters.`);
}

/** Returns the URLs of receivers that a request names. */
function urlsOf(members: Members): Readonly<Record<string, string>> {
  const urls = urlNames.map((name) => [name, members.text(name) ?? ""] as const);
  return Object.fromEntries(urls.filter(([, url]) => url !== ""));
}

async function confirmEach(call: Call, urls: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, url] of Object.entries(urls)) await confirm(call, name, url);
}

/** Sends the validation token to a receiver, which has to repeat it; throws unless it does. */
async function confirm({ session }: Call, name: string, url: string): Promise<void> {
  const { subscriptions } = session;
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const target = `${url}${url.includes("?") ? "&" : "?"}validationToken=${encodeURIComponent(token)}`;
  const request = { headers: {}, contentType: "text/plain; charset=utf-8", body: new Uint8Array() };
  const answer = await onProblem("invalid_request", subscriptions.send(target, request), (problem) =>
    invalidRequest(`Invalid '${name}': ${detailOf(problem)}`),
  );
  const failure = failureOf(answer, token);
  if (failure !== null) throw rejection("ValidationError", `Subscription validation request failed. ${failure}`);
}

function failureOf(answer: ReceiverAnswer, token: string): string | null {
  if ("refusal" in answer) return `${answer.refusal}.`;
  if (answer.status !== 200) {
    const status = reasonOf(answer.status).replaceAll(/[^A-Za-z]/g, "");
    return `HTTP status code is '${status}'. Notification endpoint must respond with 200 OK to validation request.`;
  }
  if (Buffer.from(answer.body).toString("utf8").trim() === token) return null;
  return "Response must exactly match validationToken query parameter.";
}
