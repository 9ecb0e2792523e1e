/** Webhooks that applications register: https://developers.mailersend.com/api/v1/webhooks */
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { detailOf } from "../kit/rejection.ts";
import { type WebhookHandlers, webhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type { EventSelection, RegisteredWebhook } from "../webhooks.ts";
import { invalid, notFound, throwIssues, type Issue } from "./errors.ts";
import { eventNames, idOfWebhook } from "./event-webhook.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { domainOf, instantText, pageOf } from "./response.ts";

/** Names of all events; those of the second line never happen here. */
const names: readonly string[] = [
  ...eventNames,
  ...`activity.opened_unique activity.clicked_unique activity.survey_opened activity.survey_submitted
    sender_identity.verified maintenance.start maintenance.end inbound_forward.failed email_single.verified
    email_list.verified bulk_email.completed recipient.on_hold_added recipient.on_hold_removed`.split(/\s+/),
];
const nameLengthMax = 50;

/** Handlers of webhooks. */
export const webhooks: WebhookHandlers = webhookHandlers<EventSelection>({
  of: ({ webhooks }) => webhooks.events,
  idOf: idOfWebhook,
  missing: notFound,
  invalid: (problem) => invalid(["url", detailOf(problem)]),
  read: ({ request, services }, present) => {
    const before = present === null ? { enabled: true } : membersOf(present);
    const { url, events, enabled, name, domain_id } = readMembers({ ...before, ...readMailerSendObject(request.body) });
    return { url, events, isActive: enabled, facts: { name, domain_id, updatedAt: services.now() } };
  },
  added: (webhook) => jsonResponse(201, { data: webhookJson(webhook) }),
  shown: (webhook) => jsonResponse(200, { data: webhookJson(webhook) }),
  listed: (webhooks, { request }) => {
    const domain = fieldOf(request.fields, "domain_id");
    const own = webhooks.filter(({ facts }) => domain === undefined || facts["domain_id"] === domain);
    return pageOf(request, own.map(webhookJson));
  },
});

/** Members of requests and responses. */
interface WebhookMembers {
  readonly url: string;
  readonly name: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly domain_id: string;
}

/** Returns the members of a request; throws a rejection with the errors of all. */
function readMembers(given: JsonObject): WebhookMembers {
  const issues: Issue[] = [];
  const { events = [], enabled } = given;
  for (const field of ["url", "name", "domain_id"]) {
    const value = given[field];
    if (typeof value !== "string" || value === "") issues.push([field, requiredText(field)]);
    else if (field !== "url" && value.length > nameLengthMax) {
      issues.push([field, `The ${field} must not be greater than ${nameLengthMax} characters.`]);
    }
  }
  if (!Array.isArray(events) || events.length === 0) issues.push(["events", requiredText("events")]);
  else issues.push(...events.flatMap(issueOfEvent));
  if (typeof enabled !== "boolean") issues.push(["enabled", "The enabled field must be true or false."]);
  throwIssues(issues);
  return given as unknown as WebhookMembers;
}

function issueOfEvent(name: unknown, at: number): readonly Issue[] {
  return names.some((one) => one === name) ? [] : [[`events.${at}`, `The selected events.${at} is invalid.`]];
}

function membersOf({ url, events, isActive, facts }: RegisteredWebhook<EventSelection>): WebhookMembers {
  const { name, domain_id } = facts as Pick<WebhookMembers, "name" | "domain_id">;
  return { url, events, name, enabled: isActive, domain_id };
}

function webhookJson(webhook: RegisteredWebhook<EventSelection>): JsonObject {
  const { id, facts, secrets, createdAt } = webhook;
  const { domain_id: domain, ...members } = membersOf(webhook);
  return {
    id: idOfWebhook(id),
    ...members,
    editable: true,
    created_at: instantText(createdAt),
    updated_at: instantText(Number(facts["updatedAt"])),
    domain: { ...domainOf(domain, createdAt), id: domain },
    secret: secrets["secret"] ?? null,
  };
}
