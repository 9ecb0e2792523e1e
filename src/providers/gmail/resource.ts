/** Mails as Gmail shows them: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages */
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { escapeHtml } from "../formats/html-text.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { MailboxMessage } from "../mailbox.ts";
import { invalidArgument } from "./errors.ts";
import { bytesText, headerPayload, wholePayload } from "./payload.ts";
import { idsOf, type User } from "./user.ts";

/** Content of mails that a request asks for. */
export interface MailFormat {
  readonly format: "full" | "metadata" | "minimal" | "raw";
  /** Names of the header fields in `metadata`; none for all. */
  readonly names: readonly string[];
}

/** Reads `format` and `metadataHeaders`. */
export function formatOf(fields: FormFields): MailFormat {
  const format = (fieldOf(fields, "format") ?? "full").toLowerCase();
  if (!isFormat(format)) throw invalidArgument(`Invalid value at 'format' (TYPE_ENUM), "${format.slice(0, 50)}"`);
  return { format, names: fields.filter(([name]) => name === "metadataHeaders").map(([, value]) => value) };
}

function isFormat(text: string): text is MailFormat["format"] {
  return ["full", "metadata", "minimal", "raw"].includes(text);
}

/** Returns a mail in a format. */
export async function mailResource(user: User, mail: MailboxMessage, format: MailFormat): Promise<JsonObject> {
  const { excerpt, sequence } = await user.mailbox.outline(mail.id);
  const labelIds = user.labels.idsOf(mail);
  return {
    ...(await idsOf(user, mail)),
    ...(labelIds.length > 0 && { labelIds }),
    snippet: escapeHtml(excerpt),
    ...(await contentOf(user, mail, format)),
    sizeEstimate: mail.sizeBytes,
    historyId: String(sequence),
    internalDate: String(Date.parse(mail.message.received)),
  };
}

async function contentOf(
  { mailbox }: User,
  { id }: MailboxMessage,
  { format, names }: MailFormat,
): Promise<JsonObject> {
  if (format === "minimal") return {};
  const raw = await mailbox.getRaw(id);
  if (format === "raw") return { raw: bytesText(raw) };
  return { payload: format === "metadata" ? headerPayload(raw, names) : wholePayload(raw) };
}

/** Returns the ids and labels of a mail, as responses to changes show it. */
export async function mailReference(user: User, mail: MailboxMessage): Promise<JsonObject> {
  const labelIds = user.labels.idsOf(mail);
  return { ...(await idsOf(user, mail)), ...(labelIds.length > 0 && { labelIds }) };
}
