/** Properties of requests, whose readers report issues and return null for invalid values. */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { isAbsent, isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName, withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { texts, type Report } from "./errors.ts";

/** Largest sum of the files of a message, in bytes. */
const fileBytesMax = 15_000_000;
const fileCountMax = 1000;

/** Names of the properties of a file. */
export type FileNames = readonly [contentType: string, fileName: string, content: string];

/** Property of an object; `path` names it in issues. An absent or invalid value is null, {} or []. */
export class Property {
  readonly value: unknown;
  readonly path: string;
  readonly report: Report;

  constructor(value: unknown, path: string, report: Report) {
    this.value = value;
    this.path = path;
    this.report = report;
  }

  /** Returns the property with another value. */
  with(value: unknown): Property {
    return new Property(value, this.path, this.report);
  }

  /** Returns the text. */
  text(lengthMax: number = Infinity): string | null {
    const { value, path } = this;
    if (isAbsent(value)) return null;
    if (typeof value !== "string") this.reportType("string");
    else if (value.length > lengthMax) this.report("mj-0006", texts.tooLong(lengthMax), path);
    else return value;
    return null;
  }

  /** Returns the text, which must not be absent or empty; "" when it is invalid. */
  requiredText(): string {
    if (isAbsent(this.value)) this.report("mj-0003", texts.missing, this.path);
    else if (this.value === "") this.report("mj-0012", texts.emptyText, this.path);
    return this.text() ?? "";
  }

  /** Returns the flag; false when it is absent or invalid. */
  flag(): boolean {
    if (!isAbsent(this.value) && typeof this.value !== "boolean") this.reportType("boolean");
    return this.value === true;
  }

  /** Checks that the text is absent or one of the values. */
  checkChoice(values: readonly string[]): void {
    const text = this.text();
    if (text !== null && !values.includes(text)) this.report("mj-0005", texts.notAllowed(values), this.path);
  }

  /** Returns the object. */
  object(): JsonObject {
    if (isJsonObject(this.value)) return this.value;
    if (!isAbsent(this.value)) this.reportType("object");
    return {};
  }

  /** Returns the mailbox `{Email, Name}`. */
  mailbox(): DraftMailbox | null {
    if (isAbsent(this.value)) return null;
    if (!isJsonObject(this.value)) {
      this.reportType("emailIn");
      return null;
    }
    const address = this.#member("Email").requiredText();
    const name = this.#member("Name").text() ?? "";
    if (address === "") return null;
    if (isEmailAddress(address)) return { name, address };
    this.report("mj-0013", texts.invalidAddress(address), `${this.path}.Email`);
    return null;
  }

  /** Returns the mailboxes, each address once. */
  mailboxes(): readonly DraftMailbox[] {
    const mailboxes = this.#items("array of emails").map((one) => one.mailbox());
    return withoutRepetitions(mailboxes.filter((one) => one !== null));
  }

  /** Returns the files. */
  files(isInline: boolean, [typeName, fileNameName, contentName]: FileNames): readonly DraftAttachment[] {
    const items = this.#items("array");
    if (items.length > fileCountMax) {
      this.report("mj-0008", texts.tooMany(fileCountMax), this.path);
      return [];
    }
    return items.map((one) => {
      const file = new Property(one.object(), one.path, this.report);
      const contentType = file.#member(typeName).requiredText();
      const fileName = file.#member(fileNameName).requiredText();
      const encoded = file.#member(contentName);
      const content = decodeWrapped(encoded.requiredText());
      if (content === null) encoded.reportType("base64");
      // The id by which the HTML refers to a file; its name by default.
      const contentId = isInline ? (file.#member("ContentID").text() ?? fileName) : null;
      return { fileName, contentType, content: content ?? new Uint8Array(), contentId, isInline };
    });
  }

  /** Returns the custom header fields; Reply-To is forbidden where it has a property of its own. */
  headers(): EmailDraft["headers"] {
    return Object.entries(this.object()).map(([name, value]) => {
      const own = new Property(value, `${this.path}["${name.slice(0, 200)}"]`, this.report);
      if (!isHeaderName(name) || forbidden.has(name.toLowerCase())) {
        this.report("send-0011", texts.forbiddenHeader(name), own.path);
      }
      return [name, typeof value === "number" ? String(value) : (own.text() ?? "")] as const;
    });
  }

  /** Reports that the value has not the type that was expected. */
  reportType(type: string): void {
    this.report("mj-0004", texts.typeMismatch(type), this.path);
  }

  #member(name: string): Property {
    return new Property(isJsonObject(this.value) ? this.value[name] : undefined, `${this.path}.${name}`, this.report);
  }

  /** Returns the elements of an array; null is no element. */
  #items(type: string): readonly Property[] {
    const { value } = this;
    if (!isAbsent(value) && !Array.isArray(value)) this.reportType(type);
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.map((one, at) => new Property(one ?? "", `${this.path}[${at}]`, this.report));
  }
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
