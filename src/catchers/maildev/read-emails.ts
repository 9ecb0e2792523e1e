import type { MessageId } from "../../core/ids.ts";
import { type OpenedMessage, openMessages } from "../../operations/services/reading/get-message.ts";
import { measureMails } from "../../operations/mailboxes/open-mail.ts";
import { bodyOf, type JsonSegment } from "../json-stream.ts";
import { readMarks } from "../change-mailbox.ts";
import type { CatcherCall } from "../catcher.ts";
import { type Email, toEmail, type Version } from "./email.ts";

/** Messages whose sizes and marks are read together. */
const batchCountMax = 50;

/** E-mail with its bodies. */
export interface OpenedEmail {
  readonly email: Email;
  readonly opened: OpenedMessage;
}

/** Yields the e-mails of messages one at a time, without those that are deleted meanwhile. */
export async function* readEmails(
  call: CatcherCall,
  ids: readonly MessageId[],
  version: Version,
): AsyncGenerator<OpenedEmail, void> {
  const { context, principal, server } = call;
  // The response has started, so it is finished late rather than cut off.
  const room = { reserve: async (bytes: number): Promise<void> => call.room.reserve(bytes, true) };
  for (let from = 0; from < ids.length; from += batchCountMax) {
    const batch = ids.slice(from, from + batchCountMax);
    const sizes = await measureMails(context, server, batch);
    const sizeOf = new Map(batch.map((id, index) => [id, sizes[index] ?? 0]));
    const marked = await readMarks(call, batch);
    const seen = new Set(marked.filter(({ marks }) => marks.flags.includes("seen")).map(({ id }) => id));
    for await (const opened of openMessages({ ...context, room, gone: call.signal() }, principal, batch)) {
      const { id } = opened.message;
      const state = { sizeBytes: sizeOf.get(id) ?? 0, isRead: seen.has(id) };
      yield { email: toEmail(opened.message, state, version), opened };
    }
  }
}

/** Yields the JSON of an e-mail. */
export function* emailSegments({ email, opened }: OpenedEmail): Generator<JsonSegment, void> {
  yield JSON.stringify(email).slice(0, -1);
  for (const name of ["html", "text"] as const) {
    const body = bodyOf(opened, name);
    if (body === null || body.byteLength === 0) continue;
    yield `,"${name}":"`;
    yield body;
    yield '"';
  }
  yield "}";
}
