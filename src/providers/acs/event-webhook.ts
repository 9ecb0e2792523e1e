/**
 * Events of Azure Communication Services: https://learn.microsoft.com/azure/event-grid/communication-services-email-events and
 * https://learn.microsoft.com/azure/event-grid/communication-services-telephony-sms-events
 */
import { countSegments } from "../../core/sms.ts";
import type { EventDetails, EventWebhooks, MailEvent, MailEventType, SmsEvent, SmsEvents } from "../callbacks.ts";
import { derivedHex, newSecret } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { headerSecret, oneByOne, readerOf, secretsOf } from "../kit/events.ts";
import {
  eventRequest,
  gridSettings,
  instantText,
  isValidated,
  validationRequest,
  type GridEvent,
} from "./event-grid.ts";
import { operationFact, smsIdOf } from "./request.ts";

type EventContent = Pick<GridEvent, "type" | "data">;

const bounces: Readonly<Record<NonNullable<EventDetails["bounce"]>, readonly [status: string, text: string]>> = {
  hard: ["Bounced", "550 5.1.1 The email address does not exist."],
  soft: ["Failed", "450 4.2.2 The mailbox cannot be reached for the moment."],
  blocked: ["FilteredSpam", "550 5.7.1 The email was identified as spam."],
};

/** Type and data of the events that Event Grid sends. */
const kinds: Partial<Readonly<Record<MailEventType, (event: MailEvent) => EventContent>>> = {
  dropped: (event) => delivery(event, "Suppressed", "The recipient is on the suppression list."),
  delivered: (event) => delivery(event, "Delivered", "No error."),
  bounced: (event) => delivery(event, ...bounces[event.details.bounce ?? "hard"]),
  opened: (event) => engagement(event, "view"),
  clicked: (event) => engagement(event, "click"),
};

const secret = secretsOf({ ...headerSecret, make: () => `X-Webhook-Key: ${newSecret()}` });

/** Events about SMS, as Azure Event Grid delivers them. */
const acsSmsEvents: SmsEvents = {
  types: ["delivered", "received"],
  isReported: ({ metadata }) => metadata["enableDeliveryReport"] === "true",
  render: (event, signing) => {
    const { type, at, sms, id } = event;
    const isReport = type === "delivered";
    const subject = `/phonenumber/${digitsOf(isReport ? sms.from : sms.to)}`;
    const name = isReport ? "SMSDeliveryReportReceived" : "SMSReceived";
    const data = isReport ? smsReport(event) : receivedSms(event);
    return eventRequest({ id, at, subject, type: `Microsoft.Communication.${name}`, data }, signing);
  },
};

/** Events of Azure Communication Services, as Azure Event Grid delivers them. */
export const acsEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["delivered"],
  ...secret,
  settings: [...gridSettings, ...secret.settings],
  verification:
    "Compare the header field with the secret (a delivery property of the event subscription); requests are not signed.",
  forge: (request) => {
    const isSecret = (name: string): boolean => request.secretHeaders?.includes(name.toLowerCase()) === true;
    const headers = Object.entries(request.headers).map(([name, value]) => {
      return [name, isSecret(name) ? derivedHex(32, name, value) : value];
    });
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

/** Returns the members that all reports have. */
function reportOf(event: MailEvent): JsonObject {
  return { sender: event.mail.from, recipient: event.recipient, messageId: messageIdOf(event) };
}

function delivery(event: MailEvent, status: string, text: string): EventContent {
  const { recipient, mail, at, details } = event;
  const data: JsonObject = {
    ...reportOf(event),
    internetMessageId: `<${mail.messageId}>`,
    status,
    deliveryStatusDetails: {
      statusMessage: details.reason || text,
      recipientMailServerHostName: recipient.slice(recipient.lastIndexOf("@") + 1),
    },
    deliveryAttemptTimeStamp: instantText(at),
  };
  return { type: "Microsoft.Communication.EmailDeliveryReportReceived", data };
}

function engagement(event: MailEvent, engagementType: "view" | "click"): EventContent {
  const { url, userAgent } = readerOf(event.details);
  const data: JsonObject = {
    ...reportOf(event),
    userActionTimeStamp: instantText(event.at),
    engagementContext: engagementType === "click" ? url : "",
    userAgent,
    engagementType,
  };
  return { type: "Microsoft.Communication.EmailEngagementTrackingReportReceived", data };
}

function smsReport({ sms, at }: SmsEvent): JsonObject {
  const { tag } = sms.metadata;
  const { segments } = countSegments(sms.text);
  return {
    messageId: sms.providerId,
    from: digitsOf(sms.from),
    to: sms.to,
    deliveryStatus: "Delivered",
    deliveryStatusDetails: "No error.",
    receivedTimestamp: instantText(at),
    deliveryAttempts: [{ timestamp: instantText(at), segmentsSucceeded: segments, segmentsFailed: 0 }],
    ...(tag !== undefined && { tag }),
  };
}

function receivedSms({ sms, at }: SmsEvent): JsonObject {
  return {
    messageId: smsIdOf("Incoming", sms.id, at),
    from: digitsOf(sms.from),
    to: digitsOf(sms.to),
    message: sms.text,
    receivedTimestamp: instantText(at),
    segmentCount: countSegments(sms.text).segments,
  };
}

function digitsOf(number: string): string {
  return number.replace(/^\+/, "");
}
