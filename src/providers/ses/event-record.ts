/**
 * Records of events: https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html, and feedback
 * notifications: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 */
import type { EventDetails, MailEvent, MailEventType, EventMail } from "../callbacks.ts";
import { accountId } from "../sns/notifications.ts";

/** Names of the types, and of the members that describe them. */
const names: Readonly<Record<MailEventType, readonly [type: string, member: string]>> = {
  processed: ["Send", "send"],
  dropped: ["Reject", "reject"],
  deferred: ["DeliveryDelay", "deliveryDelay"],
  delivered: ["Delivery", "delivery"],
  bounced: ["Bounce", "bounce"],
  opened: ["Open", "open"],
  clicked: ["Click", "click"],
  complained: ["Complaint", "complaint"],
  unsubscribed: ["Subscription", "subscription"],
};

const remoteMtaIp = "192.0.2.80";
const reportingMta = "a8-50.smtp-out.amazonses.com";
const retryMs = 50_400_000;
const contactList = "restante";

/** Types of which an identity sends feedback notifications. */
export const feedbackTypes: readonly MailEventType[] = ["delivered", "bounced", "complained"];

/** Types whose records name recipients besides those of the mail. */
const recipientTypes: ReadonlySet<MailEventType> = new Set(["deferred", "delivered", "bounced", "complained"]);

/** Returns the record of an event for the destination of a configuration set. */
export function publishedRecord(event: MailEvent, region: string): Wire {
  const [type, member] = names[event.type];
  const namesRecipient = recipientTypes.has(event.type);
  return { eventType: type, mail: publishedMail(event, { region, namesRecipient }), [member]: detailsOf(event) };
}

/** Returns the feedback notification of an event, one of {@link feedbackTypes}. */
export function feedbackRecord(event: MailEvent, region: string): Wire {
  const [type, member] = names[event.type];
  const isRemote = event.type === "bounced" || event.type === "delivered";
  return {
    notificationType: type,
    [member]: { ...detailsOf(event), ...(isRemote && { remoteMtaIp }) },
    mail: feedbackMail(event, region),
  };
}

const describe: Readonly<Record<MailEventType, (event: MailEvent, timestamp: string) => Wire>> = {
  processed: () => ({}),
  dropped: ({ details }) => ({ reason: details.reason ?? "Bad content" }),
  deferred: delayOf,
  delivered: deliveryOf,
  bounced: bounceOf,
  opened: ({ details }, timestamp) => clientOf(details, timestamp),
  clicked: ({ details }, timestamp) => ({
    ...clientOf(details, timestamp),
    link: details.url ?? "https://example.com/",
    linkTags: null,
  }),
  complained: complaintOf,
  unsubscribed: (_event, timestamp) => subscriptionOf(timestamp),
};

function detailsOf(event: MailEvent): Wire {
  return describe[event.type](event, new Date(event.at).toISOString());
}

function clientOf({ ip = "192.0.2.1", userAgent = "Mozilla/5.0" }: EventDetails, timestamp: string): Wire {
  return { ipAddress: ip, timestamp, userAgent };
}

function deliveryOf({ at, recipient, mail, details }: MailEvent, timestamp: string): Wire {
  return {
    timestamp,
    processingTimeMillis: Math.max(0, at - mail.sentAt),
    recipients: [recipient],
    smtpResponse: details.reason ?? "250 2.0.0 OK",
    reportingMTA: reportingMta,
  };
}

const bounces = {
  hard: { bounceType: "Permanent", bounceSubType: "General", reason: "550 5.1.1 user unknown" },
  soft: { bounceType: "Transient", bounceSubType: "MailboxFull", reason: "552 4.2.2 mailbox full" },
  blocked: {
    bounceType: "Permanent",
    bounceSubType: "Suppressed",
    reason: "550 5.1.1 The recipient is on the suppression list",
  },
} as const;

function bounceOf(event: MailEvent, timestamp: string): Wire {
  const { id, recipient, details } = event;
  const { bounceType, bounceSubType, reason } = bounces[details.bounce ?? "hard"];
  return {
    feedbackId: feedbackIdOf(id, event.at),
    bounceType,
    bounceSubType,
    bouncedRecipients: [{ emailAddress: recipient, action: "failed", ...diagnosisOf(details, reason) }],
    timestamp,
    reportingMTA: `dns; ${reportingMta}`,
  };
}

function delayOf({ recipient, at, details }: MailEvent, timestamp: string): Wire {
  const reason = "450 4.2.1 The mailbox is temporarily unavailable";
  return {
    timestamp,
    delayType: "TransientCommunicationFailure",
    expirationTime: new Date(at + retryMs).toISOString(),
    delayedRecipients: [{ emailAddress: recipient, ...diagnosisOf(details, reason) }],
    reportingMTA: reportingMta,
  };
}

/** Returns the enhanced status code and the reply of the receiving host. */
function diagnosisOf({ reason, code, status }: EventDetails, defaultReason: string): Wire {
  const text = reason ?? defaultReason;
  const reply = code === undefined || text.startsWith(String(code)) ? text : `${String(code)} ${text}`;
  const inReply = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(reply)?.[0];
  return { status: status ?? inReply ?? "5.0.0", diagnosticCode: `smtp; ${reply}` };
}

function complaintOf({ id, recipient, at, details }: MailEvent, timestamp: string): Wire {
  return {
    feedbackId: feedbackIdOf(id, at),
    complaintSubType: null,
    complainedRecipients: [{ emailAddress: recipient }],
    timestamp,
    userAgent: details.userAgent ?? "restante",
    complaintFeedbackType: "abuse",
    arrivalDate: timestamp,
  };
}

function subscriptionOf(timestamp: string): Wire {
  const preferences = (unsubscribeAll: boolean, subscriptionStatus: string): Wire => ({
    unsubscribeAll,
    topicSubscriptionStatus: [{ topicName: "default", subscriptionStatus }],
  });
  return {
    contactList,
    timestamp,
    source: "UnsubscribeHeader",
    newTopicPreferences: preferences(true, "OptOut"),
    oldTopicPreferences: preferences(false, "OptIn"),
  };
}

/** Returns the id of a feedback in the form of message ids. */
function feedbackIdOf(eventId: string, at: number): string {
  return `0100${at.toString(16).padStart(12, "0")}-${eventId}-000000`;
}

/** JSON object of a notification. */
type Wire = Readonly<Record<string, unknown>>;

/** Addresses of the documentation network (RFC 5737). */
const sourceIp = "192.0.2.10";
const outgoingIp = "192.0.2.25";
const configurationSetTag = "ses:configuration-set";

/**
 * Returns the mail as event publishing describes it, with the tags. Its destination consists of all recipients, unless the
 * record names no recipient otherwise: then of that of the event.
 */
function publishedMail(
  { mail, recipient }: MailEvent,
  { region, namesRecipient }: { readonly region: string; readonly namesRecipient: boolean },
): Wire {
  return {
    ...sharedMail(mail, namesRecipient ? destinationOf(mail, recipient) : [recipient], region),
    headersTruncated: mail.isHeadersCut,
    headers: headersOf(mail),
    commonHeaders: { ...commonHeadersOf(mail), messageId: mail.providerId },
    tags: tagsOf(mail),
  };
}

/** Returns the mail as feedback notifications of an identity describe it, with its header fields. */
function feedbackMail({ mail, recipient }: MailEvent, region: string): Wire {
  return {
    ...sharedMail(mail, destinationOf(mail, recipient), region),
    sourceIp,
    callerIdentity: "restante",
    headersTruncated: mail.isHeadersCut,
    headers: headersOf(mail),
    commonHeaders: { ...commonHeadersOf(mail), date: dateOf(mail), messageId: mail.messageId },
  };
}

function destinationOf({ to, cc }: EventMail, recipient: string): readonly string[] {
  return [...new Set([...to, ...cc, recipient])];
}

function sharedMail(mail: EventMail, destination: readonly string[], region: string): Wire {
  return {
    timestamp: new Date(mail.sentAt).toISOString(),
    messageId: mail.providerId,
    source: mail.from,
    sourceArn: `arn:aws:ses:${region}:${accountId}:identity/${domainOf(mail.from)}`,
    sendingAccountId: accountId,
    destination,
  };
}

function headersOf(mail: EventMail): readonly Wire[] {
  const { from, to, cc, subject, messageId } = mail;
  const fields = [
    ["From", from],
    ["To", to.join(", ")],
    ["Cc", cc.join(", ")],
    ["Subject", subject],
    ["Date", dateOf(mail)],
    ["Message-ID", `<${messageId}>`],
    ["MIME-Version", "1.0"],
  ] as const;
  const own = mail.headers.map(({ field, value }) => ({ name: field, value }));
  return [...fields.flatMap(([name, value]) => (value === "" && name !== "Subject" ? [] : [{ name, value }])), ...own];
}

function commonHeadersOf({ from, to, cc, subject }: EventMail): Wire {
  return { from: [from], to, ...(cc.length > 0 && { cc }), subject };
}

/** Each tag has a list of values. Amazon SES adds tags of its own, whose names start with `ses:`. */
function tagsOf({ facts, from }: EventMail): Wire {
  const own = Object.entries(facts.metadata).map(([name, value]) => [name, [value]]);
  return {
    "ses:operation": ["SendEmail"],
    [configurationSetTag]: ["default"],
    "ses:source-ip": [sourceIp],
    "ses:from-domain": [domainOf(from)],
    "ses:caller-identity": ["restante"],
    "ses:outgoing-ip": [outgoingIp],
    ...(Object.fromEntries(own) as Wire),
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).replace(/>$/, "");
}

/** Returns the Date field of a mail (RFC 5322 §3.3). */
function dateOf({ sentAt }: EventMail): string {
  return new Date(sentAt).toUTCString().replace("GMT", "+0000");
}
