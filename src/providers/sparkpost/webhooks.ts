/**
 * Webhooks that applications register, of events (https://developers.sparkpost.com/api/webhooks/) and of inbound mail
 * (https://developers.sparkpost.com/api/relay-webhooks/).
 */
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import type { Members } from "../kit/members.ts";
import { detailOf } from "../kit/rejection.ts";
import { eventNamesIn, type WebhookApi, type WebhookHandlers, webhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import type { EventSelection, InboundSelection, RegisteredWebhook, WebhookValues } from "../webhooks.ts";
import { rejection } from "./errors.ts";
import { eventNames } from "./event-webhook.ts";
import { readMembers } from "./request.ts";
import { receiverTest, type StatusHandlers, statusHandlers } from "./webhook-status.ts";

/** Names of all events; those of the second line never happen here. */
const names: readonly string[] = [
  ...eventNames,
  ...`out_of_band sms_status generation_failure generation_rejection initial_open amp_open amp_initial_open amp_click
    link_unsubscribe relay_injection relay_rejection relay_delivery relay_tempfail relay_permfail ab_test_completed
    ab_test_cancelled ingest_success ingest_error`.split(/\s+/),
];

type Registered = RegisteredWebhook<unknown>;

const shared = {
  missing: (id: string) => rejection("notFound", `Webhook ${id} not found`),
  invalid: (problem) => rejection("invalidFormat", detailOf(problem)),
  test: receiverTest,
} satisfies Pick<WebhookApi<unknown>, "missing" | "invalid" | "test">;

const events: WebhookApi<EventSelection> = {
  ...shared,
  of: ({ webhooks }) => webhooks.events,
  idOf: (uuid) => uuid,
  read: ({ request }, present) => {
    const members = readMembers(request);
    const isActive = members.flag("active") ?? present?.isActive ?? true;
    return {
      ...readValues(members, present),
      events: readEvents(members) ?? present?.events ?? missing("events"),
      isActive,
    };
  },
  added: ({ id }) => results({ id, links: linksOf(id) }),
  changed: ({ id }) => results({ id, links: linksOf(id) }),
  shown: (webhook) => results(eventWebhookJson(webhook)),
  listed: (webhooks) => results(webhooks.map(eventWebhookJson)),
};

const relays: WebhookApi<InboundSelection> = {
  ...shared,
  of: ({ webhooks }) => webhooks.inbound,
  idOf: uuidToDecimal,
  read: ({ request }, present) => {
    const members = readMembers(request);
    const pattern = readMatch(members) ?? present?.pattern ?? missing("match");
    return { ...readValues(members, present), pattern, isActive: true };
  },
  added: ({ id }) => results({ id: uuidToDecimal(id) }),
  changed: ({ id }) => results({ id: uuidToDecimal(id) }),
  removed: () => jsonResponse(200, {}),
  shown: (webhook) => results(relayWebhookJson(webhook)),
  listed: (webhooks) => results(webhooks.map(relayWebhookJson)),
};

/** Handlers of event webhooks. */
export const eventWebhooks: WebhookHandlers & StatusHandlers = {
  ...webhookHandlers(events),
  ...statusHandlers(events),
};

/** Handlers of relay webhooks. */
export const relayWebhooks: WebhookHandlers & StatusHandlers = {
  ...webhookHandlers(relays),
  ...statusHandlers(relays),
};

function results(value: unknown): ProviderResponse {
  return jsonResponse(200, { results: value });
}

function missing(name: string): never {
  throw rejection("missing", `${name} is a required field`);
}

const credentialMembers = ["auth_type", "auth_token", "auth_credentials", "custom_headers"];

/** Returns the values that webhooks of both kinds have. */
function readValues(
  members: Members,
  present: Registered | null,
): Pick<WebhookValues, "url" | "facts"> & Partial<Pick<WebhookValues, "settings">> {
  const { url: target, facts: known, secrets } = present ?? { url: null, facts: {}, secrets: {} };
  const { name, auth_type: before = "none" }: JsonObject = known;
  const type = members.text("auth_type") ?? before;
  const facts = { name: members.text("name") ?? name ?? missing("name"), auth_type: type };
  const url = members.text("target") ?? target ?? missing("target");
  const hasCredentials = credentialMembers.some((one) => members.has(one));
  return { url, facts, ...(hasCredentials && { settings: readCredentials(members, secrets, type) }) };
}

/** Returns the secret settings of a request, and those before it that it does not replace. */
function readCredentials(
  members: Members,
  { token = "", basicAuth = "", header = "" }: WebhookValues["settings"],
  type: unknown,
): WebhookValues["settings"] {
  if (type !== "none" && type !== "basic") {
    throw rejection("invalidFormat", "auth_type must be none or basic; oauth2 is not emulated");
  }
  const headers = members.object("custom_headers");
  return {
    token: members.text("auth_token") ?? token,
    basicAuth: type === "basic" ? (readBasicAuth(members) ?? (basicAuth || missing("auth_credentials"))) : "",
    header: headers === null ? header : readHeader(headers),
  };
}

function readBasicAuth(members: Members): string | null {
  const { username, password } = members.object("auth_credentials") ?? {};
  if (username === undefined) return null;
  if (typeof username === "string" && typeof password === "string") return `${username}:${password}`;
  throw rejection("invalidFormat", "auth_credentials must have a username and a password");
}

function readHeader(headers: JsonObject): string {
  const [first, second] = Object.entries(headers);
  if (second !== undefined) throw rejection("invalidFormat", "Only one of custom_headers is emulated");
  return first === undefined ? "" : `${first[0]}: ${String(first[1])}`;
}

function readEvents(members: Members): readonly string[] | null {
  if (!members.has("events")) return null;
  const unknown = (name: unknown): Error =>
    rejection("invalidFormat", `events has an unknown event ${JSON.stringify(name)}`);
  return eventNamesIn(members.list("events"), names, unknown);
}

/** Returns the pattern of the addresses whose mail is relayed. */
function readMatch(members: Members): string | null {
  const match = members.object("match");
  if (match === null) return null;
  const { domain, protocol = "SMTP" } = match;
  if (protocol !== "SMTP") throw rejection("invalidFormat", "match.protocol must be SMTP; SMPP is not emulated");
  return typeof domain === "string" ? `*@${domain}` : missing("match.domain");
}

function linksOf(id: string): readonly JsonObject[] {
  return [{ href: `/api/v1/webhooks/${id}`, rel: "urn.msys.webhooks.webhook", method: ["GET", "PUT"] }];
}

function commonJson({ url, facts, secrets: { token, header } }: Registered): JsonObject {
  const colon = header?.indexOf(":") ?? 0;
  const headers = header === undefined ? {} : { [header.slice(0, colon)]: header.slice(colon + 1).trim() };
  return { ...facts, target: url, ...(token !== undefined && { auth_token: token }), custom_headers: headers };
}

function eventWebhookJson(webhook: RegisteredWebhook<EventSelection>): JsonObject {
  const { id, events, isActive } = webhook;
  const state = { active: isActive, last_successful: null, last_failure: null };
  return { id, ...commonJson(webhook), events, ...state, links: linksOf(id) };
}

function relayWebhookJson(webhook: RegisteredWebhook<InboundSelection>): JsonObject {
  const match = { protocol: "SMTP", domain: webhook.pattern.slice("*@".length) };
  return { id: uuidToDecimal(webhook.id), ...commonJson(webhook), match };
}
