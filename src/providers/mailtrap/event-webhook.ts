/** Webhooks of Mailtrap: https://docs.mailtrap.io/email-api-smtp/advanced/webhooks */
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { jsonText } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { bodySignature, readerOf } from "../kit/events.ts";

const signature = bodySignature("Mailtrap-Signature");

interface Kind {
  readonly event: string;
  readonly members: (details: EventDetails) => JsonObject;
}

const softBounce: Kind = {
  event: "soft bounce",
  members: ({ reason = "451 4.7.1 Temporary error, please retry", code = 451 }) => {
    return { response: reason, response_code: code, bounce_category: "greylisting" };
  },
};
const bounce: Kind = {
  event: "bounce",
  members: ({ reason = "550 5.1.1 The email account does not exist", code = 550 }) => {
    return { response: reason, response_code: code, bounce_category: "badmailbox" };
  },
};

function readMembers(details: EventDetails): JsonObject {
  const { ip, userAgent } = readerOf(details);
  return { ip, user_agent: userAgent };
}

const kinds: Partial<Readonly<Record<MailEventType, Kind>>> = {
  dropped: { event: "reject", members: ({ reason = "Recipient in suppression list" }) => ({ reason }) },
  deferred: softBounce,
  delivered: { event: "delivery", members: () => ({}) },
  bounced: bounce,
  opened: { event: "open", members: readMembers },
  clicked: { event: "click", members: (details) => ({ ...readMembers(details), url: readerOf(details).url }) },
  complained: { event: "spam", members: () => ({}) },
  unsubscribed: { event: "unsubscribe", members: readMembers },
};

/** Events of Mailtrap. */
export const mailtrapEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["delivered"],
  batchCountMax: 500,
  ...signature.credentials,
  settings: [
    {
      name: "format",
      description: "`jsonl`: an event in each line, as with the payload format JSON Lines",
      isSecret: false,
      values: ["json", "jsonl"],
    },
    {
      name: "stream",
      description: "value of `sending_stream`",
      isSecret: false,
      values: ["transactional", "bulk"],
    },
    ...signature.credentials.settings,
  ],
  render: (events, signing) => {
    const { format = "json", stream = "transactional" } = signing.options;
    const wires = events.map((event) => eventWire(event, stream));
    if (format !== "jsonl") return signature.sign(Buffer.from(jsonText({ events: wires })), signing);
    const lines = wires.map((one) => `${jsonText(one)}\n`).join("");
    return signature.sign(Buffer.from(lines), signing, "application/jsonl");
  },
};

function eventWire({ id, type, at, mail, recipient, details }: MailEvent, stream: string): JsonObject {
  const kind = type === "bounced" && details.bounce === "soft" ? softBounce : (kinds[type] ?? bounce);
  const { tags, metadata } = mail.facts;
  return {
    event: kind.event,
    timestamp: Math.floor(at / 1000),
    sending_stream: stream,
    ...(tags[0] !== undefined && { category: tags[0] }),
    ...(Object.keys(metadata).length > 0 && { custom_variables: metadata }),
    message_id: mail.providerId,
    email: recipient,
    event_id: id,
    sending_domain_name: mail.from.slice(mail.from.lastIndexOf("@") + 1),
    ...kind.members(details),
  };
}
