/** Webhook events of Resend: https://resend.com/docs/webhooks/event-types, signed by Svix. */
import { digitsOfUuid } from "../formats/uuid.ts";
import { newWebhookSecret, readWebhookSecret, signWebhook } from "../../core/standard-webhooks.ts";
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { alterEncoded, basicAuthHeaders, basicAuthSetting, givenBasicAuth } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { jsonOneByOne, outcomeOfTestAddress, readerOf } from "../kit/events.ts";

const eventNames: Partial<Record<MailEventType, string>> = {
  processed: "email.sent",
  dropped: "email.failed",
  deferred: "email.delivery_delayed",
  delivered: "email.delivered",
  bounced: "email.bounced",
  opened: "email.opened",
  clicked: "email.clicked",
  complained: "email.complained",
};

/** Receivers tell the kinds of bounces by parts of the message: `bounce message`, `suppressed sending`. */
const bounceTypes = {
  hard: { message: "The recipient's email provider sent a hard bounce message", type: "Permanent", subType: "General" },
  soft: {
    message: "The recipient's email provider sent a general bounce message",
    type: "Transient",
    subType: "General",
  },
  blocked: { message: "Resend has suppressed sending to this address", type: "Permanent", subType: "Suppressed" },
} as const;

const outcomes = {
  delivered: [{ type: "processed" }, { type: "delivered" }],
  bounced: [{ type: "processed" }, { type: "bounced" }],
  complained: [{ type: "processed" }, { type: "delivered" }, { type: "complained" }],
  suppressed: [{ type: "dropped", details: { bounce: "blocked" } }],
} as const;

/** Events of Resend. */
export const resendEvents: EventWebhooks = {
  types: Object.keys(eventNames) as MailEventType[],
  automatic: ["processed", "delivered"],
  settings: [
    { name: "secret", description: "Signing secret, `whsec_…`; a new one by default", isSecret: true },
    basicAuthSetting,
  ],
  verification: "Verify the `svix-id`, `svix-timestamp` and `svix-signature` header fields with the `whsec_` secret.",
  createSecrets: (given) => {
    const secret = given["secret"] || newWebhookSecret();
    readWebhookSecret(secret);
    return { secrets: { secret, ...givenBasicAuth(given) }, publicKey: null, secret };
  },
  ...jsonOneByOne({
    wire: eventWire,
    headers: (signing, { id }, body) => {
      const { secret = "" } = signing.secrets;
      const signed = signWebhook({ id: svixIdOf(id), timestamp: Math.floor(signing.now / 1000), body }, [secret]);
      // Svix has the fields of Standard Webhooks under its own name.
      const svix = Object.entries(signed).map(([name, value]) => [name.replace("webhook-", "svix-"), value]);
      return { ...basicAuthHeaders(signing), ...(Object.fromEntries(svix) as Record<string, string>) };
    },
  }),
  forge: (request) => {
    const [version = "", signature = ""] = (request.headers["svix-signature"] ?? "").split(",");
    return { ...request, headers: { ...request.headers, "svix-signature": `${version},${alterEncoded(signature)}` } };
  },
  outcomeOf: (recipient) => outcomeOfTestAddress(recipient, "resend.dev", outcomes),
};

function eventWire({ type, at, mail, recipient, details }: MailEvent): JsonObject {
  const { template, metadata } = mail.facts;
  return {
    type: type === "dropped" && details.bounce === "blocked" ? "email.suppressed" : eventNames[type],
    created_at: new Date(at),
    data: {
      created_at: new Date(mail.sentAt),
      email_id: mail.providerId,
      message_id: `<${mail.messageId}>`,
      from: mail.from,
      to: [recipient],
      subject: mail.subject,
      ...(mail.headers.length > 0 && { headers: mail.headers.map(({ field, value }) => ({ name: field, value })) }),
      ...(template !== null && { template_id: template.id }),
      ...(Object.keys(metadata).length > 0 && { tags: metadata }),
      ...describe[type]?.(details, at),
    },
  };
}

const suppressed = {
  message: "The recipient is on the suppression list of the account",
  type: "OnAccountSuppressionList",
};

/** Members of events by type. */
const describe: Partial<Record<MailEventType, (details: EventDetails, at: number) => JsonObject>> = {
  dropped: ({ bounce, reason }) =>
    bounce === "blocked"
      ? { suppressed: { ...suppressed, ...(reason !== undefined && { message: reason }) } }
      : { failed: { reason: reason ?? "invalid_recipient" } },
  bounced: ({ bounce = "hard", reason }) => ({
    bounce: { ...bounceTypes[bounce], ...(reason !== undefined && { message: reason }) },
  }),
  clicked: (details, at) => {
    const { ip, url, userAgent } = readerOf(details);
    return { click: { ipAddress: ip, link: url, timestamp: new Date(at), userAgent } };
  },
};

/** Returns the id that is the same on every attempt, in the form of Svix: 27 letters and digits after `msg_`. */
function svixIdOf(uuid: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let text = "";
  for (let rest = BigInt(`0x${digitsOfUuid(uuid)}`); rest > 0n; rest /= 62n) {
    text = digits.charAt(Number(rest % 62n)) + text;
  }
  return `msg_${text.padStart(27, "0")}`;
}
