/**
 * Webhooks that applications register, of events (https://developers.sparkpost.com/api/webhooks/) and of inbound mail
 * (https://developers.sparkpost.com/api/relay-webhooks/), with their tests and the status of their batches.
 */
import { naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { detailOf } from "../kit/rejection.ts";
import { askReceiver, eventNamesIn, openWebhook, webhookHandlers } from "../kit/webhooks.ts";
import type { ReceiverAnswer, ReceiverTest, WebhookApi, WebhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type {
  EventSelection,
  InboundSelection,
  RegisteredWebhook,
  WebhookAttempt,
  WebhookValues,
} from "../webhooks.ts";
import { rejection, targetFailed } from "./errors.ts";
import { batchRequest, eventNames } from "./event-webhook.ts";
import { missing, readMembers, results } from "./request.ts";

/** Names of all events; those of the second line never happen here. */
const names: readonly string[] = [
  ...eventNames,
  ...`out_of_band sms_status generation_failure generation_rejection initial_open amp_open amp_initial_open amp_click
    link_unsubscribe relay_injection relay_rejection relay_delivery relay_tempfail relay_permfail ab_test_completed
    ab_test_cancelled ingest_success ingest_error`.split(/\s+/),
];

type Registered = RegisteredWebhook<unknown>;

/** Kind of webhooks. */
interface Kind<Selection> extends Pick<WebhookApi<Selection>, "of" | "idOf" | "removed"> {
  readonly read: (
    members: Members,
    present: RegisteredWebhook<Selection> | null,
  ) => Selection & Values & Pick<WebhookValues, "isActive">;
  /** Returns the members that only webhooks of this kind have, and those that responses to changes have too. */
  readonly shown: (webhook: RegisteredWebhook<Selection>) => JsonObject;
  readonly linked: (id: string) => JsonObject;
}

type Handlers = WebhookHandlers & Readonly<Record<"validate" | "listBatches", Handler>>;

/** Test of a receiver with a batch whose event is empty; only 200 accepts it. */
const receiverTest: ReceiverTest = {
  requestOf: (receiver, { services }) => batchRequest(receiver, [{ msys: {} }], "test", services.now()),
  errorOf: (answer) => {
    if ("refusal" in answer) return targetFailed(`Test POST to endpoint failed: ${answer.refusal}`);
    return answer.status === 200 ? null : targetFailed(`Test POST to endpoint failed with code ${answer.status}`);
  },
};

/** Handlers of event webhooks. */
export const eventWebhooks: Handlers = handlersOf<EventSelection>({
  of: ({ webhooks }) => webhooks.events,
  idOf: (uuid) => uuid,
  read: (members, present) => ({
    isActive: members.flag("active") ?? present?.isActive ?? true,
    ...readValues(members, present),
    events: readEvents(members) ?? present?.events ?? missing("events"),
  }),
  shown: ({ events, isActive }) => ({ events, active: isActive, last_successful: null, last_failure: null }),
  linked: (id) => ({
    links: [{ href: `/api/v1/webhooks/${id}`, rel: "urn.msys.webhooks.webhook", method: ["GET", "PUT"] }],
  }),
});

/** Handlers of relay webhooks. */
export const relayWebhooks: Handlers = handlersOf<InboundSelection>({
  of: ({ webhooks }) => webhooks.inbound,
  idOf: uuidToDecimal,
  read: (members, present) => ({
    pattern: readMatch(members) ?? present?.pattern ?? missing("match"),
    ...readValues(members, present),
    isActive: true,
  }),
  removed: () => jsonResponse(200, {}),
  shown: ({ pattern }) => ({ match: { protocol: "SMTP", domain: pattern.slice("*@".length) } }),
  linked: () => ({}),
});

/** Time for which the status of batches is known. */
const statusMs = 24 * 3_600_000;
const batchCountMax = 1000;

function handlersOf<Selection>({ read, shown, linked, ...kind }: Kind<Selection>): Handlers {
  const jsonOf = (webhook: RegisteredWebhook<Selection>): JsonObject => {
    const { id } = webhook;
    return { id: kind.idOf(id), ...commonJson(webhook), ...shown(webhook), ...linked(id) };
  };
  const changed: WebhookApi<Selection>["shown"] = ({ id }) => results({ id: kind.idOf(id), ...linked(id) });
  const api: WebhookApi<Selection> = {
    ...kind,
    read: ({ request }, present) => read(readMembers(request), present),
    missing: (id) => rejection("notFound", `Webhook ${id} not found`),
    invalid: (problem) => rejection("invalidFormat", detailOf(problem)),
    test: receiverTest,
    added: changed,
    changed,
    shown: (webhook) => results(jsonOf(webhook)),
    listed: (webhooks) => results(webhooks.map(jsonOf)),
  };
  return {
    ...webhookHandlers(api),
    /** Sends a message to the target: `POST /webhooks/:id/validate`. */
    validate: async (call) => {
      const webhook = await openWebhook(api, call);
      const message = readMembers(call.request).value("message") ?? { msys: {} };
      const request = batchRequest(webhook, Array.isArray(message) ? message : [message], "test", call.services.now());
      const answer = await askReceiver(api, call, { url: webhook.url, request });
      const error = receiverTest.errorOf(answer);
      if (error !== null) throw error;
      return results({ msg: "Test POST to endpoint succeeded", response: answerJson(answer) });
    },
    /** Lists the batches of the last day that failed at least once: `GET /webhooks/:id/batch-status`. */
    listBatches: async (call) => {
      const { request, services, session } = call;
      const wrong = rejection("invalidFormat", "limit must be from 1 to 1000");
      const limit = naturalOf(request.fields, "limit", { absent: batchCountMax, max: batchCountMax, invalid: wrong });
      if (limit === 0) throw wrong;
      const { id } = await openWebhook(api, call);
      const attempts = await api.of(session).attempts(id, services.now() - statusMs);
      const batches = Map.groupBy(attempts, ({ headers }) => headers["x-messagesystems-batch-id"] ?? "");
      const failed = [...batches].filter(([, own]) => own.some(({ isFailed }) => isFailed));
      return results(failed.slice(0, limit).map(batchJson));
    },
  };
}

/** Values that webhooks of both kinds have. */
type Values = Pick<WebhookValues, "url" | "facts"> & Partial<Pick<WebhookValues, "settings">>;

const credentialMembers = ["auth_type", "auth_token", "auth_credentials", "custom_headers"];

function readValues(members: Members, present: Registered | null): Values {
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

function commonJson({ url, facts, secrets: { token, header } }: Registered): JsonObject {
  const colon = header?.indexOf(":") ?? 0;
  const headers = header === undefined ? {} : { [header.slice(0, colon)]: header.slice(colon + 1).trim() };
  return { ...facts, target: url, ...(token !== undefined && { auth_token: token }), custom_headers: headers };
}

function answerJson(answer: ReceiverAnswer): JsonObject {
  if ("refusal" in answer) return {};
  const { status, headers, body } = answer;
  return { status, headers, body: Buffer.from(body).toString("utf8") };
}

/** Each event of a batch has an attempt of its own, which started with those of the others. */
function batchJson([id, attempts]: readonly [string, readonly WebhookAttempt[]]): JsonObject {
  const instants = new Set(attempts.map(({ at }) => at));
  const last = attempts.reduce((one, other) => (other.at >= one.at ? other : one));
  return {
    batch_id: id,
    ts: new Date(last.at).toISOString(),
    attempts: instants.size,
    ...(last.status === null ? { failure_code: "connection_error" } : { response_code: String(last.status) }),
  };
}
