/** Object `mail` of notifications: the mail that an event is about. */
import type { EventMail, MailEvent } from "../callbacks.ts";
import { accountId } from "../sns/response.ts";

/** JSON object of a notification. */
export type Wire = Readonly<Record<string, unknown>>;

/** Addresses of the documentation network (RFC 5737). */
const sourceIp = "192.0.2.10";
const outgoingIp = "192.0.2.25";
const configurationSetTag = "ses:configuration-set";

/**
 * Returns the mail as event publishing describes it, with the tags. Its destination consists of all recipients, unless the
 * record names no recipient otherwise: then of that of the event.
 */
export function publishedMail(
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
export function feedbackMail({ mail, recipient }: MailEvent, region: string): Wire {
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
