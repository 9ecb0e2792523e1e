import type { Principal } from "../../core/api-key.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import { inspectStored, type InspectStoredContext } from "../services/inspection/inspect-stored.ts";
import type { MailFile, MailFiles } from "../services/reading/mail-files.ts";
import { decodeDetail, decodeExcerpt, type StoredAttachment } from "../services/reading/stored-detail.ts";

/** Attachment of a message, and its place in the mail. */
export interface DescribedAttachment extends StoredAttachment, MailFile {}

/** Attachments of a message, and what its HTML shows as text. */
export interface DescribedMessage extends Pick<MailFiles, "textOfHtml" | "hasCrlf"> {
  /** In MIME order; empty for an SMS. */
  readonly attachments: readonly DescribedAttachment[];
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Describes the attachments of a message. Rejects with `not_found`, and as the inspector does when the mail is large. */
export async function describeAttachments(
  context: InspectStoredContext & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<DescribedMessage> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const { message } = decodeDetail(bytes);
  const { sizeBytes } = decodeExcerpt(bytes);
  if (sizeBytes === 0) return { attachments: [], textOfHtml: null, hasCrlf: { text: false, html: false }, sizeBytes };
  const inspection = { kind: "files" } as const;
  const { files, textOfHtml, hasCrlf } = await inspectStored(
    context,
    { id, sizeBytes, inspection },
    callerOf(principal, context),
  );
  const attachments = message.attachments.flatMap((attachment, index) => {
    const file = files[index];
    return file === undefined ? [] : [{ ...attachment, ...file }];
  });
  return { attachments, textOfHtml, hasCrlf, sizeBytes };
}
