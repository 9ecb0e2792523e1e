/** Requests to send mail: https://developers.mailersend.com/api/v1/email#request-parameters */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { isAbsent, isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { rejection, throwIssues, type Issue } from "./errors.ts";

/** Valid request to send mail. */
export type MailerSendSend = ReturnType<typeof sendOf>;

const countsMax = { to: 50, cc: 10, bcc: 10, rcpt_to: 50 } as const;
const subjectLengthMax = 998;
const tagCountMax = 5;
const attachmentBytesMax = 25 * 1024 * 1024;
const scheduleMsMax = 72 * 3_600_000;

/** Returns the JSON value of a body; throws a rejection for anything else. */
export function readMailerSendBody(body: Uint8Array): unknown {
  const value = readJson(body);
  if (value === undefined) throw rejection(422, "JSON contains a syntax error. #MS42227");
  return value;
}

/** Returns the JSON object of a body; throws a rejection for anything else. */
export function readMailerSendObject(body: Uint8Array): JsonObject {
  const value = readMailerSendBody(body);
  if (!isJsonObject(value)) throw rejection(422, "JSON contains a decoding error. #MS42228");
  return value;
}

/** Returns the text of the error of an absent field; its name is written with spaces. */
export function requiredText(field: string): string {
  return `The ${field.replaceAll("_", " ")} field is required. #MS42209`;
}

/** Reads a request to send mail; throws a rejection with the errors of all fields. */
export function readMailerSendSend(value: unknown, now: number): MailerSendSend {
  if (!isJsonObject(value)) throw rejection(422, "The bulk request item is invalid. #MS42231");
  const reader = new Reader(value);
  const send = sendOf(reader, now);
  throwIssues(reader.issues);
  return send;
}

function sendOf(reader: Reader, now: number) {
  const templateId = reader.text("template_id") || null;
  const rcptTo = reader.isAbsent("rcpt_to") ? null : reader.mailboxes("rcpt_to");
  const hidden = reader.isAbsent("to") ? rcptTo : null;
  const to = hidden === null ? reader.mailboxes("to") : [];
  const lists = { to, cc: reader.mailboxes("cc"), bcc: [...(hidden ?? []), ...reader.mailboxes("bcc")] };
  const isWhole = templateId === null;
  const from = reader.from(isWhole);
  const bodies = { text: reader.text("text"), html: reader.text("html") };
  const send = {
    /** `from` is null and the subject is "" where only the template has them. */
    draft: {
      ...lists,
      from,
      replyTo: reader.replyTo(),
      subject: reader.subject(isWhole),
      ...bodies,
      headers: reader.headers(),
      attachments: reader.attachments(),
    },
    /** Recipients of the envelope instead of those of the header fields; null for none. */
    rcptTo,
    templateId,
    tags: reader.tags(),
    /** Data of recipients, whose addresses are in lower case; null when the request has none, so that nothing is rendered. */
    personalization: reader.personalization([...Object.values(lists).flat(), ...(rcptTo ?? [])]),
    sendAt: reader.sendAt(now),
  };
  if (isWhole && bodies.text === null && bodies.html === null) {
    const text = "You must provide one of html, text or template_id. #MS42211";
    reader.issues.push(["html", text], ["text", text]);
  }
  return send;
}

/** Reader of the fields of a mail, which collects their errors. */
class Reader {
  readonly issues: Issue[] = [];
  readonly #body: JsonObject;

  constructor(body: JsonObject) {
    this.#body = body;
  }

  /** Notes an error of a field, in place of which there is nothing. */
  #wrong(field: string, text: string): readonly [] {
    this.issues.push([field, text]);
    return [];
  }

  #notText(field: string): readonly [] {
    return this.#wrong(field, `The ${field} must be a string. #MS42221`);
  }

  /** Returns whether a field is absent or null. */
  isAbsent(field: string): boolean {
    return isAbsent(this.#body[field]);
  }

  /** Returns a string; null for an absent or invalid one. */
  text(field: string): string | null {
    const value = this.#body[field];
    if (typeof value === "string") return value;
    if (!isAbsent(value)) this.#notText(field);
    return null;
  }

  /** Returns the objects of an array, each with its field in dot notation. */
  #objects(field: string): readonly { readonly path: string; readonly object: JsonObject }[] {
    return this.#list(field).flatMap((object, at) => {
      const path = `${field}.${at}`;
      return isJsonObject(object) ? [{ path, object }] : this.#wrong(path, `The ${path} must be an array.`);
    });
  }

  #list(field: string): readonly unknown[] {
    const value = this.#body[field];
    if (Array.isArray(value)) return value;
    return isAbsent(value) ? [] : this.#wrong(field, `The ${field} must be an array.`);
  }

  /** Returns recipients; `to` needs one at least. */
  mailboxes(field: keyof typeof countsMax): readonly DraftMailbox[] {
    const { length } = this.#list(field);
    if (field === "to" && length === 0) return this.#wrong(field, requiredText(field));
    if (length > countsMax[field]) return this.#wrong(field, `The ${field} recipient limit is exceeded. #MS42205`);
    const known = new Set<string>();
    return this.#objects(field).flatMap(({ path, object }) => {
      const mailboxes = this.#mailbox(path, object);
      for (const { address } of mailboxes) {
        const text = `${address} is duplicated in the ${field} recipients list. #MS42201`;
        if (known.has(address.toLowerCase())) this.#wrong(`${path}.email`, text);
        known.add(address.toLowerCase());
      }
      return mailboxes;
    });
  }

  /** Returns one mailbox; none for an invalid one. */
  #mailbox(path: string, given: unknown): readonly DraftMailbox[] {
    const { email, name } = isJsonObject(given) ? given : {};
    const isValid = typeof email === "string" && isEmailAddress(email);
    const text = isAbsent(email) || email === "" ? requiredText : validAddressText;
    if (!isValid) this.#wrong(`${path}.email`, text(`${path}.email`));
    if (!isAbsent(name) && typeof name !== "string") this.#notText(`${path}.name`);
    return isValid ? [{ name: typeof name === "string" ? name : "", address: email }] : [];
  }

  /** Returns the sender; null where the template may have it. */
  from(isRequired: boolean): DraftMailbox | null {
    const value = this.#body["from"];
    if (!isRequired && (isAbsent(value) || (isJsonObject(value) && isAbsent(value["email"])))) return null;
    return this.#mailbox("from", value)[0] ?? null;
  }

  /** Returns the address of `reply_to`: an object, or an array with one, which older SDKs send; an empty one is absent. */
  replyTo(): readonly DraftMailbox[] {
    const [value] = [this.#body["reply_to"]].flat();
    const isEmpty = isAbsent(value) || (isJsonObject(value) && (value["email"] ?? "") === "");
    return isEmpty ? [] : this.#mailbox("reply_to", value);
  }

  subject(isRequired: boolean): string {
    const subject = this.text("subject") ?? "";
    if (isRequired && (this.#body["subject"] ?? "") === "") this.#wrong("subject", requiredText("subject"));
    if (subject.length > subjectLengthMax) {
      this.#wrong("subject", `The subject must not be greater than ${subjectLengthMax} characters.`);
    }
    return subject;
  }

  /** Returns custom header fields, and those that members of their own stand for. */
  headers(): EmailDraft["headers"] {
    const own = this.#objects("headers").flatMap(({ path, object: { name, value } }) => {
      const text = `The ${path}.name may only contain alphanumeric characters and hyphens. #MS42220`;
      if (typeof name !== "string" || !/^[A-Za-z0-9-]+$/.test(name)) return this.#wrong(`${path}.name`, text);
      return typeof value === "string" ? [[name, value] as const] : this.#notText(`${path}.value`);
    });
    const references = this.#list("references").flatMap((one) => (typeof one === "string" ? [bracketed(one)] : []));
    const members = [
      ["In-Reply-To", bracketed(this.text("in_reply_to") ?? "")],
      ["References", references.join(" ")],
      ["List-Unsubscribe", this.text("list_unsubscribe") ?? ""],
      ["Precedence", this.#body["precedence_bulk"] === true ? "bulk" : ""],
    ] as const;
    return [...own, ...members.filter(([, value]) => value !== "")];
  }

  attachments(): readonly DraftAttachment[] {
    return this.#objects("attachments").flatMap(
      ({ path, object: { content: given, filename: fileName, ...others } }) => {
        const [name, field] = [`${path}.filename`, `${path}.content`];
        if (typeof fileName !== "string" || fileName === "") return this.#wrong(name, requiredText(name));
        const content = typeof given === "string" ? decodeStrictBase64(given) : null;
        const text = "The attachment content must be a Base64 encoded string. #MS42215";
        if (content === null) return this.#wrong(field, text);
        if (content.byteLength > attachmentBytesMax) {
          this.#wrong(field, `The ${field} size exceeds the threshold of 25 MB. #MS42206`);
        }
        const { disposition, id } = others;
        const isInline = disposition === "inline";
        const contentId = typeof id === "string" && id !== "" ? id : isInline ? fileName : null;
        return [{ fileName, contentType: mediaTypeOf(fileName), content, contentId, isInline }];
      },
    );
  }

  tags(): readonly string[] {
    const tags = this.#list("tags");
    if (tags.length > tagCountMax) this.#wrong("tags", `The tags must not have more than ${tagCountMax} items.`);
    return tags.flatMap((tag, at) => (typeof tag === "string" && tag !== "" ? [tag] : this.#notText(`tags.${at}`)));
  }

  /** Returns the data of recipients; null when the request has none. */
  personalization(recipients: readonly DraftMailbox[]) {
    const entries = this.#objects("personalization");
    if (entries.length === 0) return null;
    const addresses = new Set(recipients.map(({ address }) => address.toLowerCase()));
    const found = entries.map(({ path, object: { email, data } }) => {
      const key = typeof email === "string" ? email.toLowerCase() : "";
      const text = "One or more emails in the variables field do not exist in the recipients field. #MS42217";
      if (!addresses.has(key)) this.#wrong(`${path}.email`, text);
      if (isJsonObject(data)) return [key, data] as const;
      // PHP serialises an empty object as an empty array.
      if (!Array.isArray(data) || data.length > 0) this.#wrong(`${path}.data`, requiredText(`${path}.data`));
      return [key, {}] as const;
    });
    return new Map(found);
  }

  /** Returns the instant of `send_at`, which is in seconds; null when it is absent. */
  sendAt(now: number): number | null {
    const value = this.#body["send_at"];
    if (isAbsent(value) || value === 0) return null;
    const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
    if (!Number.isSafeInteger(seconds)) {
      this.#wrong("send_at", "The send_at timestamp does not match the Unix format. #MS42218");
      return null;
    }
    const instant = (seconds as number) * 1000;
    if (instant <= now) this.#wrong("send_at", "The send_at must be a date in the future. #MS42219");
    if (instant > now + scheduleMsMax) {
      this.#wrong("send_at", "The send_at must be no longer than 72 hours in the future. #MS42218");
    }
    return instant;
  }
}

function validAddressText(field: string): string {
  return `The ${field} must be a valid email address. #MS42208`;
}

/** Returns a message id in angle brackets; "" for "". */
function bracketed(id: string): string {
  return id === "" || id.startsWith("<") ? id : `<${id}>`;
}
