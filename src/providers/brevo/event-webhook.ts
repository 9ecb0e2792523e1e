/** Transactional webhook events of Brevo: https://developers.brevo.com/docs/transactional-webhooks */
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackSigning, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { basicAuthHeaders, givenSecret, newSecret } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { basicAuth, jsonOneByOne, readerOf, secretsOf } from "../kit/events.ts";
import { customHeader } from "./response.ts";

/** Names of events. A bounce has the name of its kind; Brevo calls reports of spam complaints. */
const eventNames: Readonly<Record<Exclude<MailEventType, "bounced">, string>> = {
  processed: "request",
  dropped: "blocked",
  deferred: "deferred",
  delivered: "delivered",
  opened: "opened",
  clicked: "click",
  complained: "complaint",
  unsubscribed: "unsubscribed",
};

const reasons: Readonly<Record<"bounced" | "deferred" | "dropped", string>> = {
  bounced: "550 5.1.1 The mailbox does not exist",
  deferred: "450 4.2.0 The mailbox is temporarily unavailable",
  dropped: "blocked : due to blacklist user",
};

/** Events from one address of the documentation network (RFC 5737). */
const sendingIp = "192.0.2.25";
const tokenForm = { pattern: /^[!-~]{1,500}$/, form: "1 to 500 printable ASCII characters without spaces" };

/** Events of Brevo. */
export const brevoEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  ...secretsOf(
    {
      name: "token",
      description: "Token of the field `Authorization: Bearer …`; a new one by default; not sent with `basicAuth`",
      read: (given) => givenSecret(given, "token", tokenForm),
      make: newSecret,
    },
    basicAuth,
  ),
  verification: "Compare the Authorization header field: the token, or the user and password. Nothing is signed.",
  ...jsonOneByOne({
    wire: eventWire,
    headers: (signing) => ({
      authorization: `Bearer ${signing.secrets["token"] ?? ""}`,
      ...basicAuthHeaders(signing),
    }),
  }),
  forge: (request) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${newSecret()}` } }),
};

function eventWire(event: MailEvent, signing: CallbackSigning): JsonObject {
  const { type, at, recipient, mail, details } = event;
  const { tags, template, metadata } = mail.facts;
  const seconds = Math.floor(at / 1000);
  const custom = metadata[customHeader];
  return {
    event: type === "bounced" ? `${details.bounce === "soft" ? "soft" : "hard"}_bounce` : eventNames[type],
    email: recipient,
    // The same in all events of a webhook.
    id: Number.parseInt(signing.target.slice(0, 7), 16),
    date: parisTime(at),
    ts: seconds,
    "message-id": mail.providerId,
    ts_event: seconds,
    subject: mail.subject,
    ...(custom !== undefined && { [customHeader]: custom }),
    ...(tags.length > 0 && { tag: JSON.stringify(tags), tags }),
    sending_ip: sendingIp,
    ts_epoch: at,
    ...(template !== null && /^\d{1,15}$/.test(template.id) && { template_id: Number(template.id) }),
    mirror_link: `${signing.serviceUrl}/api/messages/${mail.id}`,
    contact_id: 0,
    ...detailsWire(event),
  };
}

function detailsWire({ type, details }: MailEvent): JsonObject {
  if (type === "bounced" || type === "deferred" || type === "dropped")
    return { reason: details.reason ?? reasons[type] };
  if (type === "clicked") return { link: readerOf(details).url, ...clientOf(details) };
  if (type === "opened") return { link: "", ...clientOf(details) };
  return {};
}

function clientOf(details: MailEvent["details"]): JsonObject {
  const { userAgent } = readerOf(details);
  return { user_agent: userAgent, device_used: /mobile/i.test(userAgent) ? "MOBILE" : "DESKTOP" };
}

/** Returns an instant as `2026-11-20 11:42:07` in the time zone of Brevo's accounts. */
function parisTime(at: number): string {
  return new Date(at).toLocaleString("sv-SE", { timeZone: "Europe/Paris" });
}
