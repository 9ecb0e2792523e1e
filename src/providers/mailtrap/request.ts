/** Requests to send mail: https://docs.mailtrap.io/developers/email-sending/transactional */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft, ProviderFacts } from "../email.ts";
import { isAbsent, isJsonObject, plainTexts, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { errors } from "./errors.ts";

const recipientCountMax = 1000;
const categoryLengthMax = 255;
const variablesLengthMax = 1000;
const batchCountMax = 500;
const templateFields = ["subject", "text", "html", "category"] as const;

/** Returns the JSON object of a body; throws a rejection for anything else. */
export function readMailtrapObject(body: Uint8Array): JsonObject {
  const value = readJsonObject(body);
  if (value === undefined) throw errors.invalid(["invalid JSON in request body"]);
  return value;
}

/** Returns the mails of a batch, each with the members of `base` that it lacks; throws a rejection for an invalid batch. */
export function readBatch(body: Uint8Array): readonly JsonObject[] {
  const { base, requests } = readMailtrapObject(body);
  if (!Array.isArray(requests) || requests.length === 0) throw errors.invalid(["'requests' is required"]);
  if (requests.length > batchCountMax) throw errors.invalid([`'requests' must have at most ${batchCountMax} messages`]);
  if (!isAbsent(base) && !isJsonObject(base)) throw errors.invalid(["'base' must be an object"]);
  return requests.map((one: unknown) => (isJsonObject(one) ? { ...base, ...one } : {}));
}

/** Reads a mail; throws a rejection with all of its errors. */
export function readMailtrapSend(mail: JsonObject): { readonly draft: EmailDraft; readonly facts: ProviderFacts } {
  const reader = new Reader(mail);
  const { texts } = reader;
  const from = reader.sender();
  const lists = { to: reader.mailboxes("to"), cc: reader.mailboxes("cc"), bcc: reader.mailboxes("bcc") };
  if (texts.length === 0 && Object.values(lists).flat().length === 0) {
    texts.push("'to', 'cc' or 'bcc' address is required");
  }
  const template = reader.template();
  const bodies = { subject: reader.text("subject") ?? "", text: reader.text("text"), html: reader.text("html") };
  if (template === null) reader.checkContent();
  const [replyTo, headers] = [reader.mailbox("reply_to", mail["reply_to"]), reader.headers()];
  const draft = { ...lists, from, replyTo, ...bodies, headers, attachments: reader.attachments() };
  const facts = { tags: reader.category(), metadata: reader.variables(), template };
  const [sender] = from;
  if (sender === undefined || texts.length > 0) throw errors.invalid(texts);
  return { draft: { ...draft, from: sender }, facts };
}

/** Reader of the members of a mail, which collects their errors. */
class Reader {
  /** Texts of the errors. */
  readonly texts: string[] = [];
  readonly #mail: JsonObject;

  constructor(mail: JsonObject) {
    this.#mail = mail;
  }

  /** Notes an error of a value, in place of which there is nothing. */
  #wrong(error: string): readonly [] {
    this.texts.push(error);
    return [];
  }

  /** Returns a string; null for an absent or empty one. */
  text(field: string): string | null {
    const value = this.#mail[field] ?? "";
    if (typeof value === "string") return value || null;
    this.#wrong(`'${field}' must be a string`);
    return null;
  }

  sender(): readonly DraftMailbox[] {
    const from = this.#mail["from"];
    return isAbsent(from) ? this.#wrong("'from' is required") : this.mailbox("from", from);
  }

  mailboxes(field: "to" | "cc" | "bcc"): readonly DraftMailbox[] {
    const value = this.#mail[field] ?? [];
    if (Array.isArray(value) && value.length <= recipientCountMax) {
      return value.flatMap((one: unknown) => this.mailbox(field, one ?? {}));
    }
    return this.#wrong(`'${field}' must be an array of at most ${recipientCountMax} addresses`);
  }

  /** Returns a mailbox; none for an absent one, and for an invalid one, whose error is noted once for the field. */
  mailbox(field: string, value: unknown): readonly DraftMailbox[] {
    if (isAbsent(value)) return [];
    const { email, name } = isJsonObject(value) ? value : {};
    if (typeof email === "string" && isEmailAddress(email) && (isAbsent(name) || typeof name === "string")) {
      return [{ name: name ?? "", address: email }];
    }
    const error = `'${field}' address is invalid`;
    return this.texts.includes(error) ? [] : this.#wrong(error);
  }

  /** Notes that a mail without a template has no subject or no body. */
  checkContent(): void {
    const isEmpty = (field: string): boolean => (this.#mail[field] ?? "") === "";
    if (isEmpty("subject")) this.#wrong("'subject' is required");
    if (isEmpty("text") && isEmpty("html")) this.#wrong("must specify either text or html body");
  }

  template(): ProviderFacts["template"] {
    const id = this.text("template_uuid");
    if (id === null) return null;
    for (const field of templateFields) {
      if (!isAbsent(this.#mail[field])) this.#wrong(`'${field}' is not allowed with 'template_uuid'`);
    }
    return { id, data: this.#object("template_variables") };
  }

  #object(field: string): JsonObject {
    const value = this.#mail[field];
    if (isJsonObject(value)) return value;
    // PHP serialises an empty object as an empty array.
    const isEmpty = isAbsent(value) || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) this.#wrong(`'${field}' must be an object`);
    return {};
  }

  headers(): EmailDraft["headers"] {
    return Object.entries(this.#object("headers")).flatMap(([name, value]) =>
      isHeaderName(name) && typeof value === "string" ? [[name, value] as const] : this.#wrong("'headers' is invalid"),
    );
  }

  category(): readonly string[] {
    const category = this.text("category") ?? "";
    if (category.length <= categoryLengthMax) return category === "" ? [] : [category];
    return this.#wrong(`'category' must have at most ${categoryLengthMax} characters`);
  }

  variables(): Readonly<Record<string, string>> {
    const given = this.#object("custom_variables");
    const isLong = JSON.stringify(given).length > variablesLengthMax;
    if (isLong) this.#wrong(`'custom_variables' must have at most ${variablesLengthMax} characters`);
    return plainTexts(given);
  }

  attachments(): readonly DraftAttachment[] {
    const value = this.#mail["attachments"] ?? [];
    if (!Array.isArray(value)) return this.#wrong("'attachments' must be an array");
    return value.flatMap((one: unknown, at) => this.#attachment(isJsonObject(one) ? one : {}, `attachments[${at}]`));
  }

  #attachment(one: JsonObject, path: string): readonly DraftAttachment[] {
    const text = (name: string): string => (typeof one[name] === "string" ? one[name] : "");
    const fileName = text("filename");
    if (fileName === "") return this.#wrong(`'${path}.filename' is required`);
    const content = decodeStrictBase64(text("content").replaceAll(/\s/g, ""));
    if (text("content") === "" || content === null) return this.#wrong(`'${path}.content' must be base64-encoded`);
    const contentType = text("type") || mediaTypeOf(fileName);
    return [
      {
        fileName,
        contentType,
        content,
        contentId: text("content_id") || null,
        isInline: text("disposition") === "inline",
      },
    ];
  }
}
