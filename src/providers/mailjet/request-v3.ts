/** Messages of Send API v3: flat properties whose names are compared without letter case. */
import type { DraftMailbox } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { collectIssues, invalid, texts } from "./errors.ts";
import { checkFileBytes, Property } from "./fields.ts";
import { messageCountMax, readBody, recipientCountMax, subjectLengthMax } from "./request.ts";
import type { MailjetMessage } from "./request.ts";

/** Most mails of a request. */
const mailCountMax = 100;
const fileNames = ["content-type", "filename", "content"] as const;

/** Decodes a request; each of its `Recipients` gets a message of its own. Throws Mailjet's error for the first issue. */
export function readSendRequestV3(body: Uint8Array): readonly MailjetMessage[] {
  const request = withLowerNames(readBody(body));
  const list = request["messages"];
  if (list === undefined) return readMessages(request);
  if (!Array.isArray(list) || !list.every(isJsonObject)) throw invalid(texts.malformedJson);
  if (list.length === 0 || list.length > messageCountMax) throw invalid(texts.tooMany(messageCountMax));
  const messages = list.flatMap((one) => readMessages(withLowerNames(one)));
  if (messages.length > mailCountMax) throw invalid(texts.tooMany(mailCountMax));
  return messages;
}

function withLowerNames(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]));
}

function readMessages(properties: JsonObject): readonly MailjetMessage[] {
  const { issues, report } = collectIssues();
  const at = (path: string): Property => new Property(properties[path], path, report);
  const { replyTo, headers } = readReplyTo(at("headers"));
  const files = (path: string, isInline: boolean): MailjetMessage["attachments"] =>
    withLowerFiles(at(path)).files(isInline, fileNames);
  const message: MailjetMessage = {
    from: readFrom(at),
    sender: null,
    to: readList(at("to").text() ?? ""),
    cc: readList(at("cc").text() ?? ""),
    bcc: readList(at("bcc").text() ?? ""),
    replyTo,
    headers,
    subject: at("subject").text(subjectLengthMax),
    text: at("text-part").text(),
    html: at("html-part").text(),
    template: readTemplate(at("mj-templateid")),
    hasLanguage: isTrue(properties["mj-templatelanguage"]),
    deliversErrors: properties["mj-templateerrordeliver"] === "deliver",
    variables: readVariables(at("vars")),
    attachments: [...files("attachments", false), ...files("inline_attachments", true)],
    customId: at("mj-customid").text() ?? "",
    eventPayload: at("mj-eventpayload").text() ?? "",
    campaign: at("mj-campaign").text() ?? "",
  };
  checkFileBytes(message.attachments, report);
  const recipients = at("recipients").mailboxes();
  const [issue] = issues;
  if (issue !== undefined) throw invalid(`${issue.text} (${issue.relatedTo.join(", ")})`);
  check(message, recipients);
  if (recipients.length === 0) return [message];
  const variables = recipientVariables(properties["recipients"]);
  return recipients.map((one) => {
    const own = variables.get(one.address.toLowerCase()) ?? {};
    return { ...message, to: [one], cc: [], bcc: [], variables: { ...message.variables, ...own } };
  });
}

function check(message: MailjetMessage, recipients: readonly DraftMailbox[]): void {
  const isWithout = message.template === null;
  if (isWithout && message.from === null) throw invalid(texts.noSenderV3);
  const count = message.to.length + message.cc.length + message.bcc.length;
  if (count === 0 && recipients.length === 0) throw invalid(texts.noRecipientV3);
  if (count > recipientCountMax || recipients.length > recipientCountMax) throw invalid(texts.tooManyRecipients);
  if (isWithout && [message.text ?? "", message.html ?? ""].every((part) => part === "")) throw invalid(texts.noBodyV3);
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true" || value === "True" || value === 1 || value === "1";
}

function readFrom(at: (path: string) => Property): DraftMailbox | null {
  const text = at("fromemail").text() ?? "";
  const name = at("fromname").text() ?? "";
  if (text === "") return null;
  const mailbox = parseMailbox(text);
  if (mailbox === undefined) throw invalid(texts.invalidAddress(text));
  return name === "" ? mailbox : { ...mailbox, name };
}

function readList(text: string): readonly DraftMailbox[] {
  const mailboxes = parseMailboxes(text);
  if (mailboxes === undefined) throw invalid(texts.invalidAddress(text));
  return mailboxes;
}

/** Version 3 has no property for Reply-To, which is therefore a custom field. */
function readReplyTo(property: Property): Pick<MailjetMessage, "replyTo" | "headers"> {
  const headers = property.headers();
  const replyTo = readList(headers.findLast(([name]) => name.toLowerCase() === "reply-to")?.[1] ?? "");
  return { replyTo, headers: headers.filter(([name]) => name.toLowerCase() !== "reply-to") };
}

/** Returns the id or the name of a template. */
function readTemplate(property: Property): string | null {
  const { value } = property;
  return Number.isSafeInteger(value) ? String(value) : property.text() || null;
}

/** Returns an object, also when it is given as JSON text. */
function readVariables(property: Property): JsonObject {
  const { value } = property;
  return property.with(typeof value === "string" ? (readJson(Buffer.from(value)) ?? value) : value).object();
}

function withLowerFiles(property: Property): Property {
  const { value } = property;
  if (!Array.isArray(value)) return property;
  return property.with(value.map((one: unknown) => (isJsonObject(one) ? withLowerNames(one) : one)));
}

/** Returns the variables of the recipients by address in lower case. */
function recipientVariables(recipients: unknown): ReadonlyMap<string, JsonObject> {
  const list: readonly unknown[] = Array.isArray(recipients) ? recipients : [];
  return new Map(
    list.filter(isJsonObject).flatMap(({ Email: address, Vars: vars }) => {
      const value = typeof vars === "string" ? readJson(Buffer.from(vars)) : vars;
      return typeof address === "string" && isJsonObject(value) ? [[address.toLowerCase(), value] as const] : [];
    }),
  );
}
