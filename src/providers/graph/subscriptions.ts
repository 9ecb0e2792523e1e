/** Subscriptions to changes of messages: https://learn.microsoft.com/graph/api/resources/subscription */
import { randomUUID } from "node:crypto";
import { readIsoInstant } from "../formats/iso-instant.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isUuid, uuidOfHash } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { reasonOf } from "../kit/errors.ts";
import type { Members } from "../kit/members.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import type { MailboxSubscription, SubscriptionValues } from "../mailbox-subscriptions.ts";
import type { ProviderResponse } from "../provider.ts";
import { applicationOf } from "./applications.ts";
import { changeTypes, lifecycleEvents } from "./change-notifications.ts";
import { invalidRequest, rejection } from "./errors.ts";
import { openMailbox } from "./ids.ts";
import { readMembers } from "./request.ts";
import { checkCertificate } from "./encrypted-content.ts";
import { apiUrl, collection, empty, json } from "./response.ts";
import { readResource } from "./subscribed-resource.ts";

/** Longest lifetimes of subscriptions to messages, without resource data and with it. */
const [lifetimeMinutesMax, dataLifetimeMinutesMax] = [10_080, 1440];
const clientStateLengthMax = 128;
const certificateIdLengthMax = 128;
const urlNames = ["notificationUrl", "lifecycleNotificationUrl"] as const;

/** Subscribes to messages, after the receiver has proved that it expects notifications: `POST /subscriptions`. */
export const createSubscription: Handler = async (call) => {
  const members = readMembers(call.request);
  const resource = required(members, "resource");
  const { user, where, select } = await readResource(call, resource);
  await openMailbox({ ...call, request: { ...call.request, params: user === null ? {} : { user } } });
  const changeType = required(members, "changeType");
  required(members, "notificationUrl");
  const data = members.flag("includeResourceData") === true ? resourceDataOf(members, select) : null;
  const lifetimeMinutes = data === null ? lifetimeMinutesMax : dataLifetimeMinutesMax;
  const values: SubscriptionValues = {
    kinds: kindsOf(changeType),
    where,
    expiresAt: expiryOf(call, required(members, "expirationDateTime"), lifetimeMinutes),
    options: {
      resource,
      changeType,
      ...urlsOf(members),
      latestSupportedTlsVersion: members.text("latestSupportedTlsVersion") ?? "v1_2",
      ...data,
      ...(await audienceOf(call, members)),
    },
    secrets: clientStateOf(members),
  };
  await confirmEach(call, values.options);
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
  const minutes = options["certificate"] === undefined ? lifetimeMinutesMax : dataLifetimeMinutesMax;
  await confirmEach(call, urls);
  const changes = {
    ...(expiration !== null && { expiresAt: expiryOf(call, expiration, minutes) }),
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

function required(members: Members, name: string): string {
  const text = members.text(name);
  if (text !== null && text !== "") return text;
  throw invalidRequest(`${name} is a required property for subscription creation.`);
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

function kindsOf(changeType: string): SubscriptionValues["kinds"] {
  return changeType.split(",").map((name) => {
    const kind = Object.entries(changeTypes).find(([known]) => known === name.trim().toLowerCase())?.[1];
    if (kind !== undefined) return kind;
    throw invalidRequest(`Invalid 'changeType' attribute: '${name.slice(0, 100)}'.`);
  });
}

function expiryOf({ services }: Pick<Call, "services">, text: string, lifetimeMinutes: number): number {
  const expiresAt = readIsoInstant(text);
  if (expiresAt === undefined) throw invalidRequest(`Invalid 'expirationDateTime': '${text.slice(0, 100)}'.`);
  const now = services.now();
  if (expiresAt <= now) throw invalidRequest("Subscription expiration must be in the future.");
  if (expiresAt <= now + lifetimeMinutes * 60_000) return expiresAt;
  const furthest = `${String(lifetimeMinutes)} minutes in the future`;
  throw rejection("ExtensionError", `Subscription expiration can only be ${furthest}.`);
}

/** Returns the options of notifications with resource data, which needs a selection and a certificate. */
function resourceDataOf(members: Members, select: string | null): SubscriptionValues["options"] {
  if (select === null) throw invalidRequest("Resource data of messages needs $select in the resource.");
  const certificate = required(members, "encryptionCertificate");
  const certificateId = required(members, "encryptionCertificateId");
  checkCertificate(certificate);
  if (certificateId.length > certificateIdLengthMax) {
    throw invalidRequest("encryptionCertificateId has at most 128 characters.");
  }
  return { select, certificate, certificateId };
}

/** Returns the options that name the application and its tenant, for tokens. */
async function audienceOf({ session }: Call, members: Members): Promise<SubscriptionValues["options"]> {
  const { id, tenant } = await applicationOf(session);
  const given = members.text("notificationUrlAppId");
  if (given !== null && !isUuid(given.toLowerCase())) throw invalidRequest("notificationUrlAppId must be a UUID.");
  return {
    application: id,
    ...(given !== null && { notificationUrlAppId: given }),
    ...(tenant !== null && { tenant }),
  };
}

function clientStateOf(members: Members): SubscriptionValues["secrets"] {
  const clientState = members.text("clientState");
  if (clientState === null) return {};
  if (clientState.length > clientStateLengthMax) throw invalidRequest("clientState has at most 128 characters.");
  return { clientState };
}

/** Returns the URLs of receivers that a request names. */
function urlsOf(members: Members): Readonly<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const name of urlNames) {
    const url = members.text(name);
    if (url !== null && url !== "") urls[name] = url;
  }
  return urls;
}

async function confirmEach(call: Call, urls: Readonly<Record<string, string>>): Promise<void> {
  for (const name of urlNames) {
    const url = urls[name];
    if (url !== undefined) await confirm(call, name, url);
  }
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
  if ("refusal" in answer) throw rejection("ValidationError", `${failed} ${answer.refusal}.`);
  if (answer.status !== 200) {
    const status = reasonOf(answer.status).replaceAll(/[^A-Za-z]/g, "");
    const expected = "Notification endpoint must respond with 200 OK to validation request.";
    throw rejection("ValidationError", `${failed} HTTP status code is '${status}'. ${expected}`);
  }
  if (Buffer.from(answer.body).toString("utf8").trim() === token) return;
  throw rejection("ValidationError", `${failed} Response must exactly match validationToken query parameter.`);
}

const failed = "Subscription validation request failed.";
