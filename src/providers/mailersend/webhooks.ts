/** Webhooks that applications register: https://developers.mailersend.com/api/v1/webhooks and …/sms-webhooks there */
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { detailOf } from "../kit/rejection.ts";
import { type WebhookHandlers, webhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type { EventSelection, RegisteredWebhook } from "../webhooks.ts";
import { invalid, notFound, throwIssues, type Issue } from "./errors.ts";
import { eventNames, idOfWebhook, receiverTest, smsEventNames } from "./event-webhook.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { domainOf, instantText, pageOf } from "./response.ts";

type Registered = RegisteredWebhook<EventSelection>;

/** Kind of webhooks: they belong to a domain, or to a number. */
interface Kind {
  /** Member that names the owner. */
  readonly owner: "domain_id" | "sms_number_id";
  /** Names of all events. */
  readonly names: readonly string[];
  /** Returns members that show the owner. */
  readonly shown: (owner: string, createdAt: number) => JsonObject;
}

/** Names of all events about mail; those of the second line never happen here. */
const mailEventNames: readonly string[] = [
  ...eventNames,
  ...`activity.opened_unique activity.clicked_unique activity.survey_opened activity.survey_submitted
    sender_identity.verified maintenance.start maintenance.end inbound_forward.failed email_single.verified
    email_list.verified bulk_email.completed recipient.on_hold_added recipient.on_hold_removed`.split(/\s+/),
];
const nameLengthMax = 50;

/** Handlers of webhooks about mail. */
export const webhooks: WebhookHandlers = handlersOf({
  owner: "domain_id",
  names: mailEventNames,
  shown: (id, createdAt) => ({ domain: { ...domainOf(id, createdAt), id } }),
});

/** Handlers of webhooks about SMS. */
export const smsWebhooks: WebhookHandlers = handlersOf({
  owner: "sms_number_id",
  names: smsEventNames,
  shown: (id, createdAt) => ({ sms_number: { id, paused: false, created_at: instantText(createdAt) } }),
});

function handlersOf(kind: Kind): WebhookHandlers {
  const { owner } = kind;
  const shown = (webhook: Registered): JsonObject => webhookJson(webhook, kind);
  return webhookHandlers<EventSelection>({
    of: ({ webhooks: { events } }) => ({
      ...events,
      list: async () => (await events.list()).filter(({ facts }) => facts[owner] !== undefined),
    }),
    idOf: idOfWebhook,
    missing: notFound,
    invalid: (problem) => invalid(["url", detailOf(problem)]),
    test: receiverTest,
    read: ({ request, services }, present) => {
      const before = present === null ? { enabled: true } : membersOf(present);
      const given = readMembers({ ...before, ...readMailerSendObject(request.body) }, kind);
      const { url, events, enabled, name, [owner]: id } = given;
      return { url, events, isActive: enabled, facts: { name, [owner]: id, updatedAt: services.now() } };
    },
    added: (webhook) => jsonResponse(201, { data: shown(webhook) }),
    shown: (webhook) => jsonResponse(200, { data: shown(webhook) }),
    listed: (all, { request }) => {
      const wanted = fieldOf(request.fields, owner);
      const own = all.filter(({ facts }) => wanted === undefined || facts[owner] === wanted);
      return pageOf(request, own.map(shown));
    },
  });
}

/** Members of requests and responses; one of the owners. */
interface WebhookMembers extends Readonly<Record<Kind["owner"], string>> {
  readonly url: string;
  readonly name: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

/** Returns the members of a request; throws a rejection with the errors of all. */
function readMembers(given: JsonObject, { owner, names }: Kind): WebhookMembers {
  const issues: Issue[] = [];
  const { events = [], enabled } = given;
  for (const field of ["url", "name", owner]) {
    const value = given[field];
    if (typeof value !== "string" || value === "") issues.push([field, requiredText(field)]);
    else if (field !== "url" && value.length > nameLengthMax) {
      issues.push([field, `The ${field} must not be greater than ${nameLengthMax} characters.`]);
    }
  }
  if (!Array.isArray(events) || events.length === 0) issues.push(["events", requiredText("events")]);
  else issues.push(...events.flatMap((name, at) => issueOfEvent(name, at, names)));
  if (typeof enabled !== "boolean") issues.push(["enabled", "The enabled field must be true or false."]);
  throwIssues(issues);
  return given as unknown as WebhookMembers;
}

function issueOfEvent(name: unknown, at: number, names: readonly string[]): readonly Issue[] {
  return names.some((one) => one === name) ? [] : [[`events.${at}`, `The selected events.${at} is invalid.`]];
}

function membersOf({ url, events, isActive, facts }: Registered): JsonObject {
  const { updatedAt: _updatedAt, ...own } = facts;
  return { url, events, enabled: isActive, ...own };
}

function webhookJson(webhook: Registered, { owner, shown }: Kind): JsonObject {
  const { id, url, events, isActive, facts, secrets, createdAt } = webhook;
  return {
    id: idOfWebhook(id),
    url,
    events,
    name: facts["name"],
    enabled: isActive,
    editable: true,
    created_at: instantText(createdAt),
    updated_at: instantText(Number(facts["updatedAt"])),
    ...shown(String(facts[owner]), createdAt),
    secret: secrets["secret"] ?? null,
  };
}
