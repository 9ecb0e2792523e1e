/** Search fields of messages that an older version stored. */
import { mainTurns } from "../../core/shared-turns.ts";
import type { MessageId } from "../../core/ids.ts";
import type { MessageFields } from "../../store/search-field-store.ts";
import type { Context } from "../context.ts";
import type { EmailReader } from "../services/reading/email-content.ts";
import { searchFieldsOf } from "../services/reading/search-fields.ts";
import { decodeDetail, storedCodesOf } from "../services/reading/stored-detail.ts";

/** Messages that are read in sequence and written together. */
const batchCountMax = 20;

/** Dependencies of {@link fillSearchFields}. */
export interface FillingContext extends Pick<Context, "store"> {
  readonly readEmail: EmailReader;
}

/** Result of one step. */
export interface FilledFields {
  /** Place after which the next step continues; null at the end. */
  readonly after: MessageId | null;
  readonly count: number;
  /** First error of a message that could not be read; it is tried again when the next pass comes to it. */
  readonly error: Error | null;
}

/**
 * Reads the next messages without search fields, one at a time, and stores their fields. Rejects when the store is
 * unavailable; a message that cannot be read is passed over.
 */
export async function fillSearchFields(context: FillingContext, after: MessageId | null): Promise<FilledFields> {
  const { searchFields } = context.store;
  const ids = await searchFields.listWithoutFields(after, batchCountMax);
  const filled: MessageFields[] = [];
  let failure: Error | null = null;
  for (const id of ids) {
    await mainTurns.next();
    try {
      const fields = await readFields(context, id);
      if (fields !== undefined) filled.push(fields);
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (filled.length > 0) await searchFields.putFields(filled);
  return { after: ids.at(-1) ?? null, count: filled.length, error: failure };
}

/** Returns the fields of a message; undefined when it no longer exists. */
async function readFields({ store, readEmail }: FillingContext, id: MessageId): Promise<MessageFields | undefined> {
  const bytes = await store.getDetail(id);
  const raw = await store.getRaw(id);
  if (bytes === undefined || raw === undefined) return undefined;
  const { message } = decodeDetail(bytes);
  const { from, to, cc, bcc, metadata, provider } = message;
  const read = raw.length === 0 ? null : await readEmail(raw);
  // Of a mail that cannot be parsed, the names that were stored.
  const attachments =
    read === null || read.defects.includes("unreadable")
      ? message.attachments.map(({ fileName }) => ({ fileName, isInline: false }))
      : read.attachments;
  // Where the analysis of the bodies is stored, the message shows its codes.
  const codes = storedCodesOf(message) ?? read?.codes ?? [];
  const searched = { from, to, cc, bcc, headers: metadata.headers, attachments, codes, provider };
  return { id, fields: searchFieldsOf(searched), sizeBytes: raw.length };
}
