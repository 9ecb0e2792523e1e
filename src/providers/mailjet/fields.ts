/** Readers of JSON properties that report issues and return null for invalid values. */
import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { isAbsent, isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName, withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { texts, type Report } from "./errors.ts";

/** Largest sum of the files of a message, in bytes. */
const fileBytesMax = 15_000_000;
const fileCountMax = 1000;

/** Property of an object; `path` names it in issues. */
export interface Property {
  readonly value: unknown;
  readonly path: string;
  readonly report: Report;
}

/** Returns the text of a property; null when it is absent or invalid. */
export function readText(property: Property, lengthMax: number = Infinity): string | null {
  const { value, path, report } = property;
  if (isAbsent(property.value)) return null;
  if (typeof value !== "string") report("mj-0004", texts.typeMismatch("string"), path);
  else if (value.length > lengthMax) report("mj-0006", texts.tooLong(lengthMax), path);
  else return value;
  return null;
}

/** Returns the text of a property that must not be absent or empty; "" when it is invalid. */
export function requireText(property: Property): string {
  if (isAbsent(property.value)) property.report("mj-0003", texts.missing, property.path);
  else if (property.value === "") property.report("mj-0012", texts.emptyText, property.path);
  return readText(property) ?? "";
}

/** Returns the flag of a property; false when it is absent or invalid. */
export function readFlag(property: Property): boolean {
  if (isAbsent(property.value) || typeof property.value === "boolean") return property.value === true;
  property.report("mj-0004", texts.typeMismatch("boolean"), property.path);
  return false;
}

/** Checks that a property is absent or one of the values. */
export function checkChoice(property: Property, values: readonly string[]): void {
  const text = readText(property);
  if (text !== null && !values.includes(text)) property.report("mj-0005", texts.notAllowed(values), property.path);
}

/** Returns the object of a property; {} when it is absent or invalid. */
export function readObject(property: Property): JsonObject {
  if (isJsonObject(property.value)) return property.value;
  if (!isAbsent(property.value)) property.report("mj-0004", texts.typeMismatch("object"), property.path);
  return {};
}

/** Returns the mailbox of a property `{Email, Name}`; null when it is absent or invalid. */
export function readMailbox(property: Property): DraftMailbox | null {
  const { value, path, report } = property;
  if (isAbsent(property.value)) return null;
  if (!isJsonObject(value)) {
    report("mj-0004", texts.typeMismatch("emailIn"), path);
    return null;
  }
  const address = requireText({ value: value["Email"], path: `${path}.Email`, report });
  const name = readText({ value: value["Name"], path: `${path}.Name`, report }) ?? "";
  if (address === "") return null;
  if (isEmailAddress(address)) return { name, address };
  report("mj-0013", texts.invalidAddress(address), `${path}.Email`);
  return null;
}

/** Returns the mailboxes of a property, each address once; [] when it is absent or invalid. */
export function readMailboxes(property: Property): readonly DraftMailbox[] {
  const { value, path, report } = property;
  if (isAbsent(property.value)) return [];
  if (!Array.isArray(value)) {
    report("mj-0004", texts.typeMismatch("array of emails"), path);
    return [];
  }
  const mailboxes = value.map((one: unknown, at) => readMailbox({ value: one ?? "", path: `${path}[${at}]`, report }));
  return withoutRepetitions(mailboxes.filter((one) => one !== null));
}

/** Names of the properties of a file. */
export interface FileNames {
  readonly contentType: string;
  readonly fileName: string;
  readonly content: string;
}

/** Returns the files of a property; [] when it is absent or invalid. */
export function readFiles(
  property: Property,
  { isInline, names }: { readonly isInline: boolean; readonly names: FileNames },
): readonly DraftAttachment[] {
  const { value, path, report } = property;
  if (isAbsent(property.value)) return [];
  if (!Array.isArray(value)) {
    report("mj-0004", texts.typeMismatch("array"), path);
    return [];
  }
  if (value.length > fileCountMax) {
    report("mj-0008", texts.tooMany(fileCountMax), path);
    return [];
  }
  return value.map((one: unknown, at) => {
    const file = readObject({ value: one ?? "", path: `${path}[${at}]`, report });
    const member = (name: string): Property => ({ value: file[name], path: `${path}[${at}].${name}`, report });
    const contentType = requireText(member(names.contentType));
    const fileName = requireText(member(names.fileName));
    const content = decodeWrapped(requireText(member(names.content)));
    if (content === null) report("mj-0004", texts.typeMismatch("base64"), member(names.content).path);
    // The id by which the HTML refers to a file; its name by default.
    const contentId = isInline ? (readText(member("ContentID")) ?? fileName) : null;
    return { fileName, contentType, content: content ?? new Uint8Array(), contentId, isInline };
  });
}

/** Decodes base64 whose lines may be wrapped, as the bridge of Symfony sends it. */
function decodeWrapped(text: string): Uint8Array | null {
  return decodeStrictBase64(text.includes("\n") ? text.replaceAll(/\r?\n/g, "") : text);
}

/** Reports files that are too large together. */
export function checkFileBytes(files: readonly DraftAttachment[], report: Report): void {
  const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (bytes > fileBytesMax) report("mj-0011", texts.filesTooLarge, "Attachments", "InlinedAttachments");
}

/** Fields that have a property of their own, or that Mailjet sets; in lower case. */
const forbidden: ReadonlySet<string> = new Set(
  [
    "from sender subject to cc bcc date message-id return-path delivered-to received user-agent x-mailer list-id",
    "dkim-signature domainkey-status received-spf authentication-results x-feedback-id x-csa-complaints",
    "x-mailjet-campaign x-mailjet-debug x-mailjet-prio x-mailjet-segmentation x-mailjet-trackclick x-mailjet-trackopen",
    "x-mj-customid x-mj-errormessage x-mj-eventpayload x-mj-mid x-mj-statisticscontactslistid x-mj-templateerrordeliver",
    "x-mj-templateerrorreporting x-mj-templateid x-mj-templatelanguage x-mj-vars x-mj-workflowid",
  ].flatMap((names) => names.split(" ")),
);

/** Returns the custom header fields of a property; Reply-To is forbidden where it has a property of its own. */
export function readHeaders(property: Property): readonly (readonly [name: string, value: string])[] {
  const { path, report } = property;
  return Object.entries(readObject(property)).map(([name, value]) => {
    const own = `${path}["${name.slice(0, 200)}"]`;
    if (!isHeaderName(name) || forbidden.has(name.toLowerCase())) report("send-0011", texts.forbiddenHeader(name), own);
    return [name, typeof value === "number" ? String(value) : (readText({ value, path: own, report }) ?? "")] as const;
  });
}
