/** Transactional webhook events of Brevo: https://developers.brevo.com/docs/transactional-webhooks */
import {
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  jsonBody,
  newSecret,
} from "../formats/callback-values.ts";
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackSigning, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { customHeader } from "./response.ts";

type Wire = Readonly<Record<string, unknown>>;

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
  batchCountMax: 1,
  settings: [
    {
      name: "token",
      description: "Token of the field `Authorization: Bearer …`; a new one by default; not sent with `basicAuth`",
      isSecret: true,
    },
    basicAuthSetting,
  ],
  verification: "Compare the Authorization header field: the token, or the user and password. Nothing is signed.",
  createSecrets: (given) => {
    const token = givenSecret(given, "token", tokenForm) ?? newSecret();
    return { secrets: { token, ...givenBasicAuth(given) }, publicKey: null, secret: token };
  },
  render: ([event], signing) => {
    if (event === undefined) throw new RangeError("No event to render");
    return {
      headers: authorizationOf(signing),
      contentType: "application/json",
      body: jsonBody(eventWire(event, signing)),
    };
  },
  forge: (request) => ({ ...request, headers: { ...request.headers, authorization: `Bearer ${newSecret()}` } }),
};

function authorizationOf(signing: CallbackSigning): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${signing.secrets["token"] ?? ""}`, ...basicAuthHeaders(signing) };
}

function eventWire(event: MailEvent, signing: CallbackSigning): Wire {
  const { type, at, recipient, mail, details } = event;
  const { tags, template, metadata } = mail.facts;
  const seconds = Math.floor(at / 1000);
  const custom = metadata[customHeader];
  return {
    event: type === "bounced" ? `${details.bounce === "soft" ? "soft" : "hard"}_bounce` : eventNames[type],
    email: recipient,
    id: webhookIdOf(signing.target),
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

function detailsWire({ type, details }: MailEvent): Wire {
  if (type === "bounced" || type === "deferred" || type === "dropped")
    return { reason: details.reason ?? reasons[type] };
  if (type === "clicked") {
    return { link: details.url ?? "https://example.com/", ...clientOf(details) };
  }
  if (type === "opened") return { link: "", ...clientOf(details) };
  return {};
}

function clientOf({ userAgent = "Mozilla/5.0" }: MailEvent["details"]): Wire {
  return { user_agent: userAgent, device_used: /mobile/i.test(userAgent) ? "MOBILE" : "DESKTOP" };
}

/** Returns the number of a webhook, the same in all its events. */
function webhookIdOf(target: string): number {
  return Number.parseInt(target.slice(0, 7), 16);
}

/** Returns an instant as `2026-11-20 11:42:07` in the time zone of Brevo's accounts. */
function parisTime(at: number): string {
  return new Date(at).toLocaleString("sv-SE", { timeZone: "Europe/Paris" });
}
