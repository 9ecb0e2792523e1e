/** Requests to send mail: https://docs.mailtrap.io/developers/email-sending/transactional */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { isAbsent, isJsonObject, plainTexts, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { invalid } from "./errors.ts";

/** Template of a mail, and its variables. */
export interface TemplateChoice {
  readonly id: string;
  readonly data: JsonObject;
}

/** Valid request to send mail. */
export interface MailtrapSend {
  readonly draft: EmailDraft;
  readonly template: TemplateChoice | null;
  readonly category: string | null;
  readonly variables: Readonly<Record<string, string>>;
}

const recipientCountMax = 1000;
const categoryLengthMax = 255;
const variablesLengthMax = 1000;
const batchCountMax = 500;
const templateFields = ["subject", "text", "html", "category"] as const;

/** Returns the JSON object of a body; throws a rejection for anything else. */
export function readMailtrapObject(body: Uint8Array): JsonObject {
  const value = readJsonObject(body);
  if (value === undefined) throw invalid(["invalid JSON in request body"]);
  return value;
}

/** Returns the mails of a batch, each with the members of `base` that it lacks; throws a rejection for an invalid batch. */
export function readBatch(body: Uint8Array): readonly JsonObject[] {
  const { base, requests } = readMailtrapObject(body);
  if (!Array.isArray(requests) || requests.length === 0) throw invalid(["'requests' is required"]);
  if (requests.length > batchCountMax) throw invalid([`'requests' must have at most ${batchCountMax} messages`]);
  if (!isAbsent(base) && !isJsonObject(base)) throw invalid(["'base' must be an object"]);
  return requests.map((one: unknown) => (isJsonObject(one) ? { ...base, ...one } : {}));
}

/** Reads a mail; throws a rejection with all of its errors. */
export function readMailtrapSend(mail: JsonObject): MailtrapSend {
  const errors: string[] = [];
  const reader = new Reader(mail, errors);
  const from = reader.sender();
  const lists = { to: reader.mailboxes("to"), cc: reader.mailboxes("cc"), bcc: reader.mailboxes("bcc") };
  if (errors.length === 0 && Object.values(lists).flat().length === 0) {
    errors.push("'to', 'cc' or 'bcc' address is required");
  }
  const template = reader.template();
  const subject = reader.text("subject");
  const bodies = { text: reader.text("text"), html: reader.text("html") };
  if (template === null) reader.checkContent();
  const send: MailtrapSend = {
    draft: {
      ...lists,
      from: from ?? { name: "", address: "" },
      replyTo: reader.replyTo(),
      subject: subject ?? "",
      ...bodies,
      headers: reader.headers(),
      attachments: reader.attachments(),
    },
    template,
    category: reader.category(),
    variables: reader.variables(),
  };
  if (errors.length > 0) throw invalid(errors);
  return send;
}

/** Reader of the members of a mail, which collects their errors. */
class Reader {
  readonly #mail: JsonObject;
  readonly #errors: string[];

  constructor(mail: JsonObject, errors: string[]) {
    this.#mail = mail;
    this.#errors = errors;
  }

  /** Returns a string; null for an absent or empty one. */
  text(field: string): string | null {
    const value = this.#mail[field];
    if (typeof value === "string") return value === "" ? null : value;
    if (!isAbsent(value)) this.#errors.push(`'${field}' must be a string`);
    return null;
  }

  sender(): DraftMailbox | undefined {
    if (isAbsent(this.#mail["from"])) this.#errors.push("'from' is required");
    return this.#mailbox("from", this.#mail["from"]);
  }

  replyTo(): readonly DraftMailbox[] {
    const mailbox = this.#mailbox("reply_to", this.#mail["reply_to"]);
    return mailbox === undefined ? [] : [mailbox];
  }

  mailboxes(field: "to" | "cc" | "bcc"): readonly DraftMailbox[] {
    const value = this.#mail[field];
    if (isAbsent(value)) return [];
    if (!Array.isArray(value) || value.length > recipientCountMax) {
      this.#errors.push(`'${field}' must be an array of at most ${recipientCountMax} addresses`);
      return [];
    }
    return value.flatMap((one: unknown) => this.#mailbox(field, one ?? {}) ?? []);
  }

  /** Returns a mailbox; undefined for an absent one, and for an invalid one, whose error is noted once for the field. */
  #mailbox(field: string, value: unknown): DraftMailbox | undefined {
    if (isAbsent(value)) return undefined;
    const { email, name } = isJsonObject(value) ? value : {};
    if (typeof email === "string" && isEmailAddress(email) && (isAbsent(name) || typeof name === "string")) {
      return { name: name ?? "", address: email };
    }
    const error = `'${field}' address is invalid`;
    if (!this.#errors.includes(error)) this.#errors.push(error);
    return undefined;
  }

  /** Notes that a mail without a template has no subject or no body. */
  checkContent(): void {
    if ((this.#mail["subject"] ?? "") === "") this.#errors.push("'subject' is required");
    const { text = "", html = "" } = this.#mail;
    if ((text ?? "") === "" && (html ?? "") === "") this.#errors.push("must specify either text or html body");
  }

  template(): TemplateChoice | null {
    const id = this.text("template_uuid");
    if (id === null) return null;
    for (const field of templateFields) {
      if (!isAbsent(this.#mail[field])) this.#errors.push(`'${field}' is not allowed with 'template_uuid'`);
    }
    return { id, data: this.#object("template_variables") };
  }

  #object(field: string): JsonObject {
    const value = this.#mail[field];
    if (isJsonObject(value)) return value;
    // PHP serialises an empty object as an empty array.
    const isEmpty = isAbsent(value) || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) this.#errors.push(`'${field}' must be an object`);
    return {};
  }

  headers(): EmailDraft["headers"] {
    return Object.entries(this.#object("headers")).flatMap(([name, value]) => {
      if (isHeaderName(name) && typeof value === "string") return [[name, value] as const];
      this.#errors.push("'headers' is invalid");
      return [];
    });
  }

  category(): string | null {
    const category = this.text("category");
    if (category !== null && category.length > categoryLengthMax) {
      this.#errors.push(`'category' must have at most ${categoryLengthMax} characters`);
    }
    return category;
  }

  variables(): Readonly<Record<string, string>> {
    const given = this.#object("custom_variables");
    if (JSON.stringify(given).length > variablesLengthMax) {
      this.#errors.push(`'custom_variables' must have at most ${variablesLengthMax} characters`);
    }
    return plainTexts(given);
  }

  attachments(): readonly DraftAttachment[] {
    const value = this.#mail["attachments"];
    if (isAbsent(value)) return [];
    if (!Array.isArray(value)) {
      this.#errors.push("'attachments' must be an array");
      return [];
    }
    return value.flatMap((one: unknown, at) => this.#attachment(isJsonObject(one) ? one : {}, `attachments[${at}]`));
  }

  #attachment({ content, filename, type, disposition, content_id: id }: JsonObject, path: string): DraftAttachment[] {
    if (typeof filename !== "string" || filename === "") {
      this.#errors.push(`'${path}.filename' is required`);
      return [];
    }
    const bytes =
      typeof content === "string" && content !== "" ? decodeStrictBase64(content.replaceAll(/\s/g, "")) : null;
    if (bytes === null) {
      this.#errors.push(`'${path}.content' must be base64-encoded`);
      return [];
    }
    const isInline = disposition === "inline";
    const contentId = typeof id === "string" && id !== "" ? id : null;
    const contentType = typeof type === "string" && type !== "" ? type : mediaTypeOf(filename);
    return [{ fileName: filename, contentType, content: bytes, contentId, isInline }];
  }
}
