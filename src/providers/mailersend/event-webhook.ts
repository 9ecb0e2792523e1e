/** Webhooks of MailerSend: https://developers.mailersend.com/api/v1/webhooks */
import type { CallbackSigning, EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { oneByOne, readerOf } from "../kit/events.ts";
import { instantText } from "./response.ts";
import { mailerSendSmsEvents } from "./sms-events.ts";
import { idOfWebhook, signature, signedRequest } from "./webhook-request.ts";

interface Kind {
  readonly type: string;
  /** Status of the mail after the event. */
  readonly status: string;
  /** Further facts; null for none. */
  readonly morph: (details: EventDetails) => JsonObject | null;
}

const bounced: Kind = {
  type: "hard_bounced",
  status: "rejected",
  morph: ({ reason }) => ({ object: "recipient_bounce", reason: reason ?? "Host or domain name not found" }),
};

const kinds: Partial<Readonly<Record<MailEventType, Kind>>> = {
  processed: { type: "sent", status: "sent", morph: () => null },
  delivered: { type: "delivered", status: "delivered", morph: () => null },
  deferred: {
    type: "deferred",
    status: "sent",
    morph: ({ reason }) => ({ object: "recipient_deferred", reason: reason ?? "Temporarily deferred" }),
  },
  bounced,
  opened: { type: "opened", status: "delivered", morph: (details) => ({ object: "open", ip: readerOf(details).ip }) },
  clicked: {
    type: "clicked",
    status: "delivered",
    morph: (details) => ({ object: "click", ip: readerOf(details).ip, url: readerOf(details).url }),
  },
  complained: {
    type: "spam_complaint",
    status: "delivered",
    morph: () => ({ object: "spam_complaint", reason: null }),
  },
  unsubscribed: {
    type: "unsubscribed",
    status: "delivered",
    morph: ({ reason }) => ({
      object: "recipient_unsubscribe",
      reason: "option_3",
      readable_reason: reason ?? "I get too many emails",
    }),
  },
};

/** Events of MailerSend. */
export const mailerSendEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["processed", "delivered"],
  ...signature.credentials,
  nameOf: (event) => `activity.${nameOf(event)}`,
  ...oneByOne((event, signing) => signedRequest(eventWire(event, signing), signing)),
  sms: mailerSendSmsEvents,
};

const softBounced = "soft_bounced";

/** Names of all events by which webhooks select them. */
export const eventNames: readonly string[] = [
  ...Object.values(kinds).map(({ type }) => `activity.${type}`),
  `activity.${softBounced}`,
];

function nameOf({ type, details }: Pick<MailEvent, "type" | "details">): string {
  return type === "bounced" && details.bounce === "soft" ? softBounced : (kinds[type] ?? bounced).type;
}

function eventWire(event: MailEvent, { target, url }: CallbackSigning): JsonObject {
  const { id, type, at, mail, recipient, details } = event;
  const own = kinds[type] ?? bounced;
  const name = nameOf(event);
  const [created, sent] = [instantText(at), instantText(mail.sentAt)];
  const morph = own.morph(details);
  return {
    type: `activity.${name}`,
    domain_id: derivedHex(16, mail.server),
    created_at: created,
    webhook_id: idOfWebhook(target),
    url,
    data: {
      object: "activity",
      id: derivedHex(24, id),
      type: name,
      created_at: created,
      email: {
        object: "email",
        id: mail.providerId,
        created_at: sent,
        from: mail.from,
        subject: mail.subject,
        status: own.status,
        tags: mail.facts.tags.length === 0 ? null : mail.facts.tags,
        message: { object: "message", id: mail.providerId, created_at: sent },
        recipient: { object: "recipient", id: derivedHex(24, recipient), email: recipient, created_at: sent },
      },
      morph: morph === null ? null : { id: derivedHex(24, id, name), created_at: created, ...morph },
      template_id: mail.facts.template?.id ?? "",
    },
  };
}
