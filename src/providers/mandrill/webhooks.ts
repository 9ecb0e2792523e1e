/**
 * Webhooks that applications register, of events (https://mailchimp.com/developer/transactional/api/webhooks/) and of inbound
 * mail, by domains and their routes (https://mailchimp.com/developer/transactional/api/inbound/).
 */
import { matchesPattern } from "../../core/mail-addresses.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import { wholeEmailOf } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { type CollectedObject, collectionOf } from "../kit/objects.ts";
import { detailOf } from "../kit/rejection.ts";
import { eventNamesIn, type WebhookApi, type WebhookHandlers, webhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type { EventSelection, InboundSelection, RegisteredWebhook } from "../webhooks.ts";
import { errors } from "./errors.ts";
import { eventNames } from "./event-webhook.ts";
import { handler, instantText, readMembers, requiredText } from "./request.ts";

/** Names of all events; the last ones never happen here. */
const names: readonly string[] = [...eventNames, "inbound", "blacklist", "whitelist"];

/** Handlers of webhooks. */
export const webhooks: WebhookHandlers = webhookHandlers<EventSelection>({
  of: ({ webhooks }) => webhooks.events,
  idOf: (uuid) => String(numberOf(uuid)),
  idIn: ({ request }) => String(readMembers(request).value("id")),
  missing: errors.unknownWebhook,
  invalid: (problem) => errors.invalid({ url: detailOf(problem) }),
  read: ({ request }, present) => {
    const members = readMembers(request);
    const url = present === null ? requiredText(members, "url") : (members.text("url") ?? present.url);
    const { description = "" } = present?.facts ?? {};
    return {
      url,
      events: members.has("events")
        ? eventNamesIn(members.list("events"), names, unknownEvent)
        : (present?.events ?? []),
      isActive: true,
      facts: { description: members.text("description") ?? description },
    };
  },
  shown: (webhook) => jsonResponse(200, webhookJson(webhook)),
  removed: (webhook) => jsonResponse(200, webhookJson(webhook)),
  listed: (webhooks) => jsonResponse(200, webhooks.map(webhookJson)),
});

function unknownEvent(_name: unknown, at: number): Error {
  return errors.invalid({ events: { [String(at)]: "Please enter a valid event" } });
}

/** Returns the number of a webhook or route, which is positive. */
function numberOf(uuid: string): number {
  return Number.parseInt(derivedHex(7, uuid), 16) + 1;
}

function webhookJson({ id, url, events, facts, secrets, createdAt }: RegisteredWebhook<EventSelection>): JsonObject {
  return {
    id: numberOf(id),
    url,
    ...facts,
    auth_key: secrets["key"] ?? "",
    events,
    created_at: instantText(createdAt),
    last_sent_at: null,
    batches_sent: 0,
    events_sent: 0,
    last_error: null,
  };
}

type Route = RegisteredWebhook<InboundSelection>;

const openDomains = collectionOf<true>("inbound domain");

/** Lists domains: `inbound/domains`. */
export const listDomains: Handler = handler(async (call) => (await openDomains(call).objects()).map(domainJson));

/** Adds a domain: `inbound/add-domain`. */
export const addDomain: Handler = handler(async (call) => {
  const name = domainIn(call);
  if (!isEmailAddress(`a@${name}`)) throw errors.invalid({ domain: "Please enter a valid domain name" });
  await openDomains(call).create(name, true);
  return domainJson(await openDomain(call));
});

/** Returns a domain, whose records are not checked: `inbound/check-domain`. */
export const checkDomain: Handler = handler(async (call) => domainJson(await openDomain(call)));

/** Removes a domain with its routes: `inbound/delete-domain`. */
export const deleteDomain: Handler = handler(async (call) => {
  const domain = await openDomain(call);
  const { inbound } = call.session.webhooks;
  for (const route of await inbound.list()) if (isOf(route, domain.id)) await inbound.remove(route.id);
  await openDomains(call).remove(domain.id);
  return domainJson(domain);
});

function domainIn({ request }: Call): string {
  return requiredText(readMembers(request), "domain").toLowerCase();
}

/** Returns the domain that a request names. */
async function openDomain(call: Call): Promise<CollectedObject<true>> {
  const name = domainIn(call);
  const domain = await openDomains(call).get(name);
  if (domain === undefined) throw errors.unknownDomain(name);
  return domain;
}

function domainJson({ id, createdAt }: CollectedObject<true>): JsonObject {
  return { domain: id, created_at: instantText(createdAt), valid_mx: true };
}

const api: WebhookApi<InboundSelection> = {
  of: ({ webhooks }) => webhooks.inbound,
  idOf: (uuid) => `7.${String(numberOf(uuid))}`,
  idIn: ({ request }) => requiredText(readMembers(request), "id"),
  missing: errors.unknownRoute,
  invalid: ({ fields, message }) => {
    const [{ field, description } = { field: "url", description: message }] = fields;
    return errors.invalid({ [field]: description });
  },
  read: async (call, present) => {
    const members = readMembers(call.request);
    const own = present === null ? null : placeOf(present.pattern);
    const domain = own?.domain ?? (await openDomain(call)).id;
    const local = members.text("pattern") ?? own?.local ?? requiredText(members, "pattern");
    const url = members.text("url") ?? present?.url ?? requiredText(members, "url");
    return { pattern: `${local}@${domain}`.toLowerCase(), url, isActive: true, facts: {} };
  },
  // Mandrill shows the key on a page of its own.
  shown: (route) => jsonResponse(200, { ...routeJson(route), auth_key: route.secrets["key"] ?? "" }),
  listed: (all, call) => jsonResponse(200, all.filter((one) => isOf(one, domainIn(call))).map(routeJson)),
  removed: (route) => jsonResponse(200, routeJson(route)),
};

/** Handlers of routes: `inbound/routes` and its siblings. */
export const routes: WebhookHandlers = webhookHandlers(api);

/** Returns the parts of a pattern, which has one `@`. */
function placeOf(pattern: string): { readonly local: string; readonly domain: string } {
  const [local = "", domain = ""] = pattern.split("@");
  return { local, domain };
}

function isOf({ pattern }: Route, domain: string): boolean {
  return placeOf(pattern).domain === domain;
}

function routeJson({ id, pattern, url }: Route): JsonObject {
  return { id: api.idOf(id), pattern: placeOf(pattern).local, url };
}

/** Sends a whole mail to the routes that match its recipients: `inbound/send-raw`. */
export const sendRaw: Handler = handler(async ({ members, session }) => {
  const content = Buffer.from(requiredText(members, "raw_message"));
  const mail = readMailHeader(content);
  const given = members.list("to").filter((one) => typeof one === "string");
  const addresses = new Set(given.length > 0 ? given : mail.to.flatMap(({ email }) => email ?? []));
  const all = await session.webhooks.inbound.list();
  const found = [...addresses].filter(isEmailAddress).flatMap((email) => {
    const route = all.find(({ pattern }) => matchesPattern(pattern, email));
    return route === undefined ? [] : [{ email, pattern: placeOf(route.pattern).local, url: route.url }];
  });
  if (found.length > 0) {
    const mailFrom = (members.text("mail_from") || mail.from[0]?.email) ?? "";
    const recipients = found.map(({ email: address }) => ({ name: "", address }));
    const identify = (uuid: string) => ({ providerId: digitsOfUuid(uuid), messageId: null });
    await session.submitEmails([wholeEmailOf(content, { mailFrom, recipients, identify })]);
  }
  return found;
});
