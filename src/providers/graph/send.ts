/** Sending, of drafts and without one: https://learn.microsoft.com/graph/api/user-sendmail */
import type { DraftAttachment, SubmittedEmail } from "../email.ts";
import { emailOf } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { ProviderResponse } from "../provider.ts";
import { type Draft, filesOf, openDraft, removeDraft } from "./drafts.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, openMailbox } from "./ids.ts";
import { isMime, type MessageFields, objectOf, readMembers, readMessage, readMime } from "./request.ts";
import { empty } from "./response.ts";

/** Sends a mail: `POST /sendMail`, as JSON or in MIME. */
export const sendMail: Handler = async (call) => {
  if (isMime(call.request)) {
    const { fields, files, mime } = readMime(call.request);
    return submit(call, { fields, files, raw: mime?.raw ?? null });
  }
  const body = readMembers(call.request);
  const message = objectOf(body, "message");
  if (message === undefined) throw rejection("ErrorInvalidParameter", "The required parameter Message is missing.");
  const { fields, files } = readMessage(message);
  return submit(call, { fields, files, raw: null, savesCopy: body.flag("saveToSentItems") ?? true });
};

/** Sends a draft, which is removed then: `POST /messages/:id/send`. */
export const sendDraft: Handler = async (call) =>
  sendDraftOf(call, await openDraft(call, call.request.params["id"] ?? ""));

/** Sends a draft, and removes it. */
export async function sendDraftOf(call: Call, draft: Draft): Promise<ProviderResponse> {
  const contents = filesOf(call);
  const raw = draft.mime === null ? null : await contents.read({ pieces: draft.mime });
  const files: DraftAttachment[] = [];
  for (const file of draft.attachments)
    files.push({ ...file, fileName: file.name, content: await contents.read(file) });
  const response = await submit(call, { fields: draft, files, raw, messageId: draft.internetMessageId });
  await removeDraft(call, draft.id);
  return response;
}

/** Mail to submit. */
interface Submission {
  readonly fields: MessageFields;
  readonly files: readonly DraftAttachment[];
  /** Whole mail, which is sent as it is; null for the mail of the properties. */
  readonly raw: Uint8Array | null;
  readonly messageId?: string;
  /** Whether a copy is stored as sent in the mailbox of the user; true by default. */
  readonly savesCopy?: boolean;
}

/** Header field of responses with the id of the accepted mail, which Graph does not return. */
const acceptedIdHeader = "x-restante-message-id";

/** Submits a mail, and stores its copy; a mail that arrives later has none. */
async function submit(call: Call, submission: Submission): Promise<ProviderResponse> {
  const { session } = call;
  const mailbox = await openMailbox(call);
  const email = emailOfFields(submission, mailbox.address);
  if (email.recipients.length === 0) {
    const reason = "A message can't be sent because it contains no recipients.";
    throw rejection("ErrorInvalidRecipients", `At least one recipient isn't valid., ${reason}`);
  }
  const [submitted] = await session.submitEmails([email]);
  if (submitted === undefined || submitted.refusal !== undefined) throw rejection("ErrorInvalidRecipients");
  const { savesCopy = true } = submission;
  const raw = savesCopy ? await onProblem("not_found", session.getRaw(submitted.uuid), () => null) : null;
  if (raw !== null) {
    const marks = { flags: ["seen"], tags: email.facts.tags } as const;
    await mailbox.place({ raw, direction: "Sent", marks, providerIdOf: graphIdOf });
  }
  const accepted = empty(call, 202);
  return { ...accepted, headers: { ...accepted.headers, [acceptedIdHeader]: submitted.providerId } };
}

/** Returns the mail of the properties, whose sender is the user unless they name another. */
function emailOfFields({ fields, files, raw, messageId }: Submission, user: string): SubmittedEmail {
  const { from, to, cc, bcc, replyTo, subject, body, importance, categories: tags, sendAt } = fields;
  const priority = importance === "normal" ? [] : [["Importance", importance] as const];
  const draft = {
    ...body,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    from: from ?? { name: "", address: user },
    headers: [...priority, ...fields.headers],
    attachments: files,
  };
  const identify = (uuid: string) => ({ providerId: graphIdOf(uuid), messageId: messageId ?? null });
  const email = emailOf(draft, { tags, sendAt, identify });
  return raw === null ? email : { ...email, content: raw };
}
