import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import type { Context } from "../context.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { decodeDetail, showBodies } from "../services/reading/stored-detail.ts";

/** Mail that is not stored as a message. */
export interface UnstoredMail {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly raw: Uint8Array;
}

/** Returns the bodies of a mail with their links and images. Rejects as parsing and the analysis of bodies do. */
export async function readBodies(
  { readEmail, bodies, closing }: Pick<Context, "readEmail" | "bodies" | "closing">,
  { id, server, raw }: UnstoredMail,
): Promise<Pick<Message, "html" | "text">> {
  const content = await readEmail(raw, server);
  const record = recordEmail(id, { raw, envelope: { mailFrom: null, rcptTo: [] }, session: null }, content);
  return showBodies(decodeDetail(record.detailJson), raw, {
    bodies,
    caller: { key: `scanner of ${server}`, signal: closing },
  });
}
