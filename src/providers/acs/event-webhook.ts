/**
 * Events of Azure Communication Services: https://learn.microsoft.com/azure/event-grid/communication-services-email-events and
 * https://learn.microsoft.com/azure/event-grid/communication-services-telephony-sms-events
 */
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { derivedHex, givenSecretHeader, newSecret, secretHeaderSetting } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { oneByOne, readerOf } from "../kit/events.ts";
import {
  eventRequest,
  gridSettings,
  instantText,
  isValidated,
  validationRequest,
  type GridEvent,
} from "./event-grid.ts";
import { acsSmsEvents } from "./sms-event.ts";
import { operationFact } from "./request.ts";

const reportType = "Microsoft.Communication.EmailDeliveryReportReceived";
const engagementType = "Microsoft.Communication.EmailEngagementTrackingReportReceived";

const bounces = {
  hard: { status: "Bounced", text: "550 5.1.1 The email address does not exist." },
  soft: { status: "Failed", text: "450 4.2.2 The mailbox cannot be reached for the moment." },
  blocked: { status: "FilteredSpam", text: "550 5.7.1 The email was identified as spam." },
} as const;

/** Type and data of the events that Event Grid sends. */
const kinds: Partial<Readonly<Record<MailEventType, (event: MailEvent) => Pick<GridEvent, "type" | "data">>>> = {
  dropped: (event) => report(event, "Suppressed", "The recipient is on the suppression list."),
  delivered: (event) => report(event, "Delivered", "No error."),
  bounced: (event) => {
    const { status, text } = bounces[event.details.bounce ?? "hard"];
    return report(event, status, text);
  },
  opened: (event) => engagement(event, "view"),
  clicked: (event) => engagement(event, "click"),
};

/** Events of Azure Communication Services, as Azure Event Grid delivers them. */
export const acsEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["delivered"],
  settings: [...gridSettings, secretHeaderSetting],
  verification:
    "Compare the header field with the secret (a delivery property of the event subscription); requests are not signed.",
  createSecrets: (given) => {
    const header = givenSecretHeader(given) ?? `X-Webhook-Key: ${newSecret()}`;
    return { secrets: { header }, publicKey: null, secret: header };
  },
  forge: (request) => {
    const secret = new Set(request.secretHeaders);
    const headers = Object.entries(request.headers).map(([name, value]) =>
      secret.has(name.toLowerCase()) ? [name, derivedHex(32, name, value)] : [name, value],
    );
    return { ...request, headers: Object.fromEntries(headers) as Record<string, string> };
  },
  ...oneByOne((event, signing) => {
    const { id, at, mail, type } = event;
    const kind = kinds[type]?.(event);
    if (kind === undefined) throw new RangeError("Azure Communication Services has no such event");
    const subject = `sender/${mail.from}/message/${messageIdOf(event)}`;
    return eventRequest({ id, at, subject, ...kind }, signing);
  }),
  sms: acsSmsEvents,
  confirmation: validationRequest,
  mustConfirm: ({ validation }) => validation !== "none",
  isConfirmedBy: isValidated,
};

/** Returns the id of the operation that sent the mail. */
function messageIdOf({ mail: { providerId, facts } }: MailEvent): string {
  return facts.metadata[operationFact] ?? providerId;
}

function report(event: MailEvent, status: string, text: string): Pick<GridEvent, "type" | "data"> {
  const { recipient, mail, at, details } = event;
  const data: JsonObject = {
    sender: mail.from,
    recipient,
    internetMessageId: `<${mail.messageId}>`,
    messageId: messageIdOf(event),
    status,
    deliveryStatusDetails: {
      statusMessage: reasonOf(details) ?? text,
      recipientMailServerHostName: recipient.slice(recipient.lastIndexOf("@") + 1),
    },
    deliveryAttemptTimeStamp: instantText(at),
  };
  return { type: reportType, data };
}

function reasonOf({ reason }: EventDetails): string | undefined {
  return reason === "" ? undefined : reason;
}

function engagement(event: MailEvent, kind: "view" | "click"): Pick<GridEvent, "type" | "data"> {
  const { recipient, mail, at, details } = event;
  const { url, userAgent } = readerOf(details);
  const data: JsonObject = {
    sender: mail.from,
    recipient,
    messageId: messageIdOf(event),
    userActionTimeStamp: instantText(at),
    engagementContext: kind === "click" ? url : "",
    userAgent,
    engagementType: kind,
  };
  return { type: engagementType, data };
}
