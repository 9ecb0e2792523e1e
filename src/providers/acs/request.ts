/** Requests to send mail, and ids: https://learn.microsoft.com/rest/api/communication/email/email/send */
import type { IncomingHttpHeaders } from "node:http";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft, ProviderFacts } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { isUuid } from "../formats/uuid.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import type { ProviderRequest } from "../provider.ts";
import { errors } from "./errors.ts";

/** Fact of a mail: the id of the operation that the caller chose. */
export const operationFact = "Operation-Id";

/** Header field with the id of a request that is sent repeatedly. */
export const repeatabilityId = "Repeatability-Request-ID";

/** Most recipients of one mail. */
export const recipientCountMax = 50;

/** Header fields that change how a mail is checked; they are not written to it. */
const controlHeader = /^x-ms-acsemail-/i;

const rules: MemberRules = {
  wrongType: (name, type) =>
    errors.invalid(name, `The member ${name} is not a valid ${type === "value" ? "text" : type}.`),
};

/**
 * Returns who calls: the Entra token, else the host of the resource. Requests with HMAC-SHA256 name no key: the access key only
 * signs them.
 */
export function readCaller({ authorization = "", host = "" }: IncomingHttpHeaders): string | null {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  return /^HMAC-SHA256 .*\bSignature=./.test(authorization) ? `HMAC-SHA256 ${host.toLowerCase()}` : null;
}

/** Returns the JSON object of a request; throws a rejection for anything else. */
export function readAcsBody(body: Uint8Array): JsonObject {
  const value = readJson(body);
  if (!isJsonObject(value)) throw errors.invalid("body", "The request body is not a valid JSON object.");
  return value;
}

/** Returns the members of an object; throws a rejection for those of a wrong type. */
export function membersOf(object: JsonObject): Members {
  return new Members(object, rules);
}

/** Reads the JSON of a mail, and the members that are stored with the message; throws a rejection with the first error. */
export function readMail(body: JsonObject): { readonly draft: EmailDraft; readonly facts: ProviderFacts["metadata"] } {
  const mail = membersOf(body);
  const sender = required(mail, "senderAddress");
  if (!isEmailAddress(sender)) throw errors.invalidAddress("senderAddress");
  const recipients = objectAt(mail, "recipients");
  const [to, cc, bcc] = [mailboxes(recipients, "to"), mailboxes(recipients, "cc"), mailboxes(recipients, "bcc")];
  const count = to.length + cc.length + bcc.length;
  if (count === 0) throw errors.missing("recipients.to");
  if (count > recipientCountMax)
    throw errors.invalid("recipients", `The number of recipients exceeds ${recipientCountMax}.`);
  const content = objectAt(mail, "content");
  const [text, html] = [content.text("plainText"), content.text("html")];
  const subject = required(content, "subject");
  if ((text ?? "") === "" && (html ?? "") === "") throw errors.missing("content.plainText");
  const headers = mail.headers("headers");
  const isTracked = mail.flag("userEngagementTrackingDisabled") !== true;
  return {
    draft: {
      from: { name: "", address: sender },
      to,
      cc,
      bcc,
      replyTo: mailboxes(mail, "replyTo"),
      subject,
      text,
      html,
      headers: headers.filter(([name]) => !controlHeader.test(name)),
      attachments: readAttachments(mail, new Set(headers.filter(isSet).map(([name]) => name.toLowerCase()))),
    },
    facts: isTracked ? {} : { userEngagementTrackingDisabled: "true" },
  };
}

function isSet([name, value]: EmailDraft["headers"][number]): boolean {
  return controlHeader.test(name) && value.toLowerCase() === "true";
}

/** Returns a text; throws the error of an absent or empty one. */
export function required(members: Members, name: string): string {
  const text = members.text(name);
  if (text === null || text === "") throw errors.missing(name);
  return text;
}

function objectAt(members: Members, name: string): Members {
  if (members.object(name) === null) throw errors.missing(name);
  return members.inside(name);
}

function mailboxes(members: Members, name: string): readonly DraftMailbox[] {
  return members.objects(name).map((one) => {
    const address = one.text("address") ?? "";
    if (!isEmailAddress(address)) throw errors.invalidAddress(name);
    return { name: one.text("displayName") ?? "", address };
  });
}

function readAttachments(mail: Members, controls: ReadonlySet<string>): readonly DraftAttachment[] {
  const skipsInvalid = controls.has("x-ms-acsemail-suppress-invalid-attachment");
  const attachments = mail.objects("attachments").flatMap((one) => {
    const content = decodeStrictBase64(one.text("contentInBase64") ?? "");
    const fileName = one.text("name") ?? "";
    const contentType = one.text("contentType") ?? "";
    const contentId = one.text("contentId");
    const isValid =
      content !== null && content.byteLength > 0 && fileName !== "" && /^[^\s/]+\/[^\s/]+/.test(contentType);
    if (isValid) return [{ fileName, contentType, content, contentId, isInline: contentId !== null }];
    if (skipsInvalid) return [];
    throw errors.invalid("attachments", "An attachment needs a name, a contentType and contentInBase64.");
  });
  const ids = attachments.flatMap(({ contentId }) => contentId ?? []);
  if (new Set(ids).size < ids.length && !controls.has("x-ms-acsemail-ignore-duplicate-content-id")) {
    throw errors.invalid("attachments", "Two attachments have the same contentId.");
  }
  return attachments;
}

/**
 * Returns the ids by which a request is processed once, null for none: that of the operation, which the caller chose, and that
 * of `Repeatability-Request-ID`. Throws a rejection for invalid ones.
 */
export function readRequestIds({
  headers,
}: Pick<ProviderRequest, "headers">): Readonly<Record<"operation" | "repeatability", string | null>> {
  const operation = headerOf(headers, operationFact)?.toLowerCase() ?? null;
  const repeatability = headerOf(headers, repeatabilityId);
  const firstSent = headerOf(headers, "Repeatability-First-Sent");
  if (operation !== null && !isUuid(operation))
    throw errors.invalid(operationFact, "The header Operation-Id is not a UUID.");
  if ((repeatability === null) !== (firstSent === null)) {
    const text = "The headers Repeatability-Request-ID and Repeatability-First-Sent need each other.";
    throw errors.invalid(repeatabilityId, text);
  }
  if (repeatability !== null && !isRepeatabilityId(repeatability)) {
    throw errors.invalid(repeatabilityId, "The header Repeatability-Request-ID is not valid.");
  }
  if (firstSent !== null && Number.isNaN(Date.parse(firstSent))) {
    throw errors.invalid("Repeatability-First-Sent", "The header Repeatability-First-Sent is not a date.");
  }
  return { operation, repeatability };
}

/** Returns whether a text may be the id of a request that is sent repeatedly. */
export function isRepeatabilityId(text: string): boolean {
  return /^[!-~]{1,200}$/.test(text);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the id of an SMS: its direction, the second at which it was sent, and its UUID. */
export function smsIdOf(direction: "Outgoing" | "Incoming", uuid: string, at: number): string {
  const second = new Date(at).toISOString().replaceAll(/\D/g, "").slice(0, 14);
  return `${direction}_${second}${uuid}`;
}
