/** Mailgun's webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks). */
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import type { CallbackSigning, EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { readJson } from "../formats/json-body.ts";
import { accepted, delivered, deliveryFlags, eventMembers, hostStatus, mailMembers, type EventMail } from "./event.ts";
import {
  createSigningKey,
  forgedSignature,
  requestHeaders,
  signatureOf,
  signatureSettings,
  signatureVerification,
  type MailgunSignature,
} from "./webhook-signature.ts";

type Members = Readonly<Record<string, unknown>>;

/** Rendering of a type. */
interface Kind {
  readonly event: string;
  readonly level: "info" | "warn" | "error";
  /** Members that show the mail: all of them, its header fields, or the Message-ID alone. */
  readonly mail: "stored" | "fields" | "id";
  readonly members: (details: EventDetails) => Members;
}

const kinds: Readonly<Record<MailEventType, Kind>> = {
  processed: { event: "accepted", level: "info", mail: "stored", members: () => accepted },
  dropped: { event: "failed", level: "error", mail: "stored", members: dropped },
  deferred: { event: "failed", level: "warn", mail: "stored", members: deferred },
  delivered: {
    event: "delivered",
    level: "info",
    mail: "stored",
    members: ({ code = 250, reason = "OK" }) => delivered(code, reason),
  },
  bounced: { event: "failed", level: "error", mail: "stored", members: bounced },
  opened: { event: "opened", level: "info", mail: "id", members: reading },
  clicked: {
    event: "clicked",
    level: "info",
    mail: "id",
    members: (details) => ({ ...reading(details), url: details.url ?? "https://example.com/" }),
  },
  complained: {
    event: "complained",
    level: "warn",
    mail: "fields",
    members: () => ({ flags: { "is-test-mode": false } }),
  },
  unsubscribed: { event: "unsubscribed", level: "warn", mail: "id", members: reading },
};

/** Mailgun's events. */
export const mailgunEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["processed", "delivered"],
  batchCountMax: 1,
  settings: signatureSettings,
  verification: signatureVerification,
  createSecrets: createSigningKey,
  render: (events, signing) => {
    const [event] = events;
    if (event === undefined) throw new Error("a webhook of Mailgun has one event");
    const body = jsonBody({ signature: signatureOf(signing, event.id), "event-data": eventData(event, signing) });
    return { headers: requestHeaders(signing), contentType: "application/json", body };
  },
  forge: (request) => {
    const { signature, ...rest } = readJson(request.body) as { readonly signature: MailgunSignature };
    const forged = { ...signature, signature: forgedSignature(signature.signature) };
    return { ...request, body: jsonBody({ signature: forged, ...rest }) };
  },
  outcomeOf: () => undefined,
};

function eventData({ id, type, at, recipient, mail, details }: MailEvent, { serviceUrl }: CallbackSigning): Members {
  const kind = kinds[type];
  const shown: EventMail = {
    uuid: mail.id,
    messageId: mail.messageId,
    sender: mail.from,
    from: mail.from,
    to: mail.to.join(", "),
    subject: mail.subject,
    attachments: [],
    size: mail.sizeBytes,
    facts: mail.facts,
  };
  const eventId = Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
  const head = { mail, event: kind.event, recipient, timestamp: at, id: eventId, level: kind.level };
  const domain = mail.messageId.split("@").at(-1) ?? "";
  const members = mailMembers(
    { mail: shown, recipient },
    `${serviceUrl}/providers/mailgun/v3/domains/${encodeURIComponent(domain.toWellFormed())}`,
  );
  return {
    ...eventMembers(head, kind.members(details)),
    ...shownMembers(kind, members, mail.messageId),
    account: { id: derivedHex(24, mail.server) },
    domain: { name: domain },
  };
}

function shownMembers({ mail }: Kind, members: Members, messageId: string): Members {
  if (mail === "stored") return members;
  if (mail === "fields") return { message: members["message"] };
  return { message: { headers: { "message-id": messageId } } };
}

function reading({ ip = "192.0.2.1", userAgent = defaultBrowser }: EventDetails): Members {
  return {
    ip,
    geolocation: { country: "Unknown", region: "Unknown", city: "Unknown" },
    "client-info": {
      "client-name": "Firefox",
      "client-os": "Linux",
      "client-type": "browser",
      "device-type": "desktop",
      "user-agent": userAgent,
      bot: "",
    },
  };
}

const defaultBrowser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

function deferred(details: EventDetails): Members {
  return failure("temporary", "generic", {
    ...statusOf(details, { code: 451, enhanced: "4.3.0", message: "Try again later" }),
    "retry-seconds": 600,
  });
}

const bounces = {
  hard: { code: 550, enhanced: "5.1.1", message: "The mailbox does not exist", type: "hard", reason: "bounce" },
  soft: { code: 552, enhanced: "5.2.2", message: "The mailbox is full", type: "soft", reason: "generic" },
  blocked: { code: 550, enhanced: "5.7.1", message: "Rejected by policy", type: "soft", reason: "generic" },
} as const;

function bounced(details: EventDetails): Members {
  const bounce = bounces[details.bounce ?? "hard"];
  return failure("permanent", bounce.reason, { ...statusOf(details, bounce), "bounce-type": bounce.type });
}

/** Mailgun did not try to deliver: the recipient is on a suppression list. */
function dropped({ code = 605, reason = "" }: EventDetails): Members {
  const description = "Not delivering to previously bounced address";
  return failure("permanent", "suppress-bounce", {
    "attempt-no": 1,
    code,
    description,
    message: reason,
    "session-seconds": 0,
  });
}

function failure(severity: "permanent" | "temporary", reason: string, status: Members): Members {
  return { severity, reason, flags: deliveryFlags, "delivery-status": status };
}

function statusOf(
  { code, status, reason }: EventDetails,
  usual: { readonly code: number; readonly enhanced: string; readonly message: string },
): Members {
  const message = reason?.replace(/^\d{3}[ -]/, "") ?? `${usual.enhanced} ${usual.message}`;
  return {
    ...hostStatus,
    code: code ?? (Number(/^\d{3}(?=[ -])/.exec(reason ?? "")?.[0] ?? "0") || usual.code),
    "enhanced-code": status ?? usual.enhanced,
    message,
    description: "",
  };
}
