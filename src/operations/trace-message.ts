import type { Principal } from "../core/api-key.ts";
import type { SmtpSession } from "../core/smtp-session.ts";
import { parseMail } from "../mime/parse-mail.ts";
import type { Part, TransferEncoding } from "../mime/part.ts";
import { openMessageId, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";
import { decodeDetail } from "./stored-detail.ts";

/** A part of a mail as its outline shows it. */
export interface PartOutline {
  readonly mediaType: string;
  readonly charset: string | null;
  readonly transferEncoding: TransferEncoding;
  readonly disposition: "attachment" | "inline" | null;
  readonly fileName: string | null;
  readonly contentId: string | null;
  /** Body as written, in bytes. */
  readonly sizeBytes: number;
  readonly children: readonly PartOutline[];
}

/** How a message came and how it is built. */
export interface Trace {
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
  /** The connection that brought it; null where none did. */
  readonly session: SmtpSession | null;
  /** The part tree; null where the message is no mail. */
  readonly root: PartOutline | null;
}

/** The trace of one message; rejects with `not_found`. Takes time linear in the mail. */
export async function traceMessage(
  context: Pick<Context, "store" | "limits">,
  principal: Principal,
  idText: string,
): Promise<Trace> {
  const id = openMessageId(principal, idText);
  const { session } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const raw = orNotFound(await context.store.getRaw(id), "Message");
  const root = raw.byteLength === 0 ? null : outline(parseMail(raw, context.limits).root);
  return { sizeBytes: raw.byteLength, session, root };
}

/** As deep as `partDepthMax` lets a tree be. */
function outline(part: Part): PartOutline {
  const { mediaType, charset, transferEncoding, disposition, fileName, contentId } = part;
  const sizeBytes = part.bodyEnd - part.bodyStart;
  const children = part.children.map(outline);
  return { mediaType, charset, transferEncoding, disposition, fileName, contentId, sizeBytes, children };
}
