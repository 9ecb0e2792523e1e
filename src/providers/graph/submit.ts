/** Submission of a mail, and the copy in Sent Items. */
import type { MessageId } from "../../core/ids.ts";
import type { SubmittedEmail } from "../email.ts";
import type { Call } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, openMailbox } from "./ids.ts";
import { empty } from "./response.ts";

/** Mail to submit. */
interface Submission {
  readonly email: SubmittedEmail;
  /** Whether a copy is stored as sent in the mailbox of the user. */
  readonly savesCopy: boolean;
}

/** Header field of responses with the id of the accepted mail, which Graph does not return. */
const acceptedIdHeader = "x-restante-message-id";

/** Submits a mail, and stores its copy; a mail that arrives later has none. */
export async function submit(call: Call, { email, savesCopy }: Submission): Promise<ProviderResponse> {
  const { session } = call;
  const mailbox = await openMailbox(call);
  if (email.recipients.length === 0) {
    const reason = "A message can't be sent because it contains no recipients.";
    throw rejection("ErrorInvalidRecipients", `At least one recipient isn't valid., ${reason}`);
  }
  const [submission] = await session.submitEmails([email]);
  if (submission === undefined || submission.refusal !== undefined) throw rejection("ErrorInvalidRecipients");
  const raw = savesCopy ? await onProblem("not_found", session.getRaw(submission.uuid), () => null) : null;
  if (raw !== null) {
    const marks = { flags: ["seen"], tags: email.facts.tags } as const;
    await mailbox.place({ raw, direction: "Sent", marks, providerIdOf: (id: MessageId) => graphIdOf(id) });
  }
  const accepted = empty(call, 202);
  return { ...accepted, headers: { ...accepted.headers, [acceptedIdHeader]: submission.providerId } };
}
