/** Ids, dates and members of mail in Mailgun's responses. */
import type { StoredEmail } from "../email.ts";
import { digitsOfUuid, uuidOfBase64url } from "../formats/uuid.ts";
import { urlOfCaller } from "../formats/request-url.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";

const hosts = { isOwnHost: /^api\.(?:eu\.)?mailgun\.net$/, ownHost: "api.mailgun.net" };

/** Returns the URL of the provider as the client addressed it, for the pages of lists. */
export function baseOf(request: ProviderRequest): string {
  return urlOfCaller(request, hosts);
}

/** Id of a message: date and time, the UUID as 32 hexadecimal digits, the sending domain. */
const idPattern = /^<?\d{14}\.([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})@[^<>@\s]+>?$/;

/** Returns the id of a message, with angle brackets as in the response to a send request and in the Message-Id field. */
export function mailgunIdOf(uuid: string, { domain, now }: { readonly domain: string; readonly now: number }): string {
  const time = new Date(now).toISOString().replaceAll(/\D/g, "").slice(0, 14);
  return `<${time}.${digitsOfUuid(uuid)}@${domain}>`;
}

/** Returns the UUID in a message id, with or without angle brackets; "" for anything else. */
export function mailgunUuidOf(providerId: string): string {
  return idPattern.exec(providerId)?.slice(1).join("-") ?? "";
}

/** Returns the sending domain of a message id, in lower case. */
export function domainOfId(providerId: string): string {
  return providerId.replace(/>$/, "").split("@").at(-1)?.toLowerCase() ?? "";
}

/** Returns the UUID in a storage key; "" for anything else. */
export function uuidOfStorageKey(key: string): string {
  return uuidOfBase64url(key.replace(/==$/, ""));
}

/** Returns the response to an accepted message. */
export function queued(id: string): ProviderResponse {
  return jsonResponse(200, { id, message: "Queued. Thank you." });
}

/** Returns a contact as in an address field. */
export function contactText({ name, email }: { readonly name: string; readonly email: string | null }): string {
  return name === "" ? (email ?? "") : `${name} <${email ?? ""}>`;
}

/** Members of a stored mail. */
interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly from: string;
  readonly subject: string;
}

/** Returns the envelope, sender and subject of a stored mail. */
export function envelopeOf({ message }: StoredEmail): Envelope {
  const { mailFrom, rcptTo } = message.metadata;
  const recipients = rcptTo.length > 0 ? rcptTo : [...message.to, ...message.cc, ...message.bcc];
  return {
    sender: mailFrom ?? message.from[0]?.email ?? "",
    recipients: recipients.map(({ email }) => email ?? ""),
    from: message.from.map(contactText).join(", "),
    subject: message.subject,
  };
}
