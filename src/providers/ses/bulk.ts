/** Bulk mails: one template, a result for each entry. */
import type { SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { simpleEmail, submittedId, type Caller } from "./compose.ts";
import { SesError, type SesErrorKind } from "./errors.ts";
import { readRecipients, type Sending, type SimpleContent } from "./request.ts";
import { renderTemplate, type ChosenTemplate } from "./templates.ts";

/** Parts that the entries of a bulk mail share. */
export interface BulkDefaults {
  readonly sending: Omit<Sending, "recipients">;
  readonly template: ChosenTemplate;
  readonly data: JsonObject;
  readonly headers: SimpleContent["headers"];
  readonly attachments: SimpleContent["attachments"];
}

/** One destination of a bulk mail; its data and tags replace those of the same name. */
export interface BulkEntry {
  readonly destination: JsonObject;
  readonly tags: Sending["tags"];
  readonly data: JsonObject;
  readonly headers: SimpleContent["headers"];
}

/** Result of one entry. */
export type BulkResult = { readonly messageId: string } | { readonly error: SesError };

/** Most entries of a request. */
const entryCountMax = 50;

/**
 * Sends a mail for each entry; entries that are invalid or that no server receives have an error, and the others are stored.
 * Throws `invalid` for no entries or too many.
 */
export async function sendBulk(
  caller: Caller,
  defaults: BulkDefaults,
  entries: readonly BulkEntry[],
): Promise<readonly BulkResult[]> {
  if (entries.length === 0) throw new SesError("invalid", "At least one destination is required.");
  if (entries.length > entryCountMax) {
    throw new SesError("invalid", `Destination count exceeds ${String(entryCountMax)}.`);
  }
  const planned = await Promise.all(
    entries.map(async (entry) => orError(async () => emailOf(caller, defaults, entry))),
  );
  const emails = planned.filter((one): one is SubmittedEmail => !(one instanceof SesError));
  const submissions = emails.length === 0 ? [] : await caller.session.submitEmails(emails);
  return await Promise.all(
    planned.map(async (one) => {
      if (one instanceof SesError) return { error: one };
      const messageId = await orError(async () => submittedId(submissions[emails.indexOf(one)]));
      return messageId instanceof SesError ? { error: messageId } : { messageId };
    }),
  );
}

async function orError<Value>(attempt: () => Promise<Value>): Promise<Value | SesError> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof SesError) return error;
    throw error;
  }
}

async function emailOf(caller: Caller, defaults: BulkDefaults, entry: BulkEntry): Promise<SubmittedEmail> {
  const { sending, template, data, headers, attachments } = defaults;
  const recipients = readRecipients(entry.destination);
  const rendered = await renderTemplate(caller, template, { ...data, ...entry.data });
  const tags = [...new Map([...sending.tags, ...entry.tags])];
  const content = { ...rendered, headers: replacedHeaders(headers, entry.headers), attachments };
  return simpleEmail(caller, { ...sending, recipients, tags }, content);
}

function replacedHeaders(
  headers: SimpleContent["headers"],
  replacements: SimpleContent["headers"],
): SimpleContent["headers"] {
  const replaced = new Set(replacements.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...replacements];
}

/** Statuses of entries with an error: in version 1 and in version 2. */
const statuses: Readonly<Partial<Record<SesErrorKind, readonly [query: string, rest: string]>>> = {
  rejected: ["MessageRejected", "MESSAGE_REJECTED"],
  templateMissing: ["TemplateDoesNotExist", "TEMPLATE_NOT_FOUND"],
  invalidRendering: ["Failed", "FAILED"],
  missingAttribute: ["Failed", "FAILED"],
};

/** Returns the status of an entry with an error: in version 1 and in version 2. */
export function bulkStatus({ kind }: SesError): readonly [query: string, rest: string] {
  return statuses[kind] ?? ["InvalidParameterValue", "INVALID_PARAMETER"];
}
