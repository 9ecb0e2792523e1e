/** Mails that applications send, insert and import. */
import { digitsOfUuid } from "../formats/uuid.ts";
import type { MessageId } from "../../core/ids.ts";
import type { MessageFlag, Marks } from "../../core/marks.ts";
import type { Contact } from "../../core/message.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { invalidArgument, tooLarge } from "./errors.ts";
import { sentTag } from "./labels.ts";
import { mailBytesMax, recipientCountMax } from "./provider.ts";
import { rawOf, textsOf, withMail, type GivenMail } from "./request.ts";
import { mailReference, openMail } from "./mails.ts";
import type { User } from "./user.ts";

/** `POST /messages/send` */
export const sendMessage: Handler = withMail(async (user, mail) => sendMail(user, mailOf(mail)));

/** `POST /messages` and `POST /messages/import`: stores a mail without sending it. */
export const insertMessage: Handler = withMail(async (user, mail) => {
  const id = await placeMail(user, mailOf(mail), textsOf(mail.members, "labelIds"));
  return mailReference(user, await openMail(user, id));
});

/** Returns the mail of a request; throws without one. */
export function mailOf({ members, raw }: GivenMail): Uint8Array {
  const given = raw ?? rawOf(members);
  if (given === null) {
    throw invalidArgument("'raw' RFC822 payload message string or uploading message via /upload/* URL required");
  }
  if (given.byteLength > mailBytesMax) throw tooLarge();
  return given;
}

/**
 * Sends a mail, and returns its reference. A mail that arrives in the mailbox of its sender is one mail there, which has the
 * labels SENT and INBOX; of any other mail the mailbox gets a copy.
 */
export async function sendMail(user: User, raw: Uint8Array): Promise<JsonObject> {
  const { from, to, cc, bcc } = readMailHeader(raw);
  const recipients = [...addresses("To", to), ...addresses("Cc", cc), ...addresses("Bcc", bcc)];
  if (recipients.length === 0) throw invalidArgument("Recipient address required");
  if (recipients.length > recipientCountMax) throw invalidArgument("Too many recipients");
  const sender = from[0]?.email ?? "";
  const [submission] = await user.session.submitEmails([
    {
      content: raw,
      mailFrom: isEmailAddress(sender) ? sender : user.mailbox.address,
      recipients: [...new Set(recipients)],
      facts: { tags: [sentTag], metadata: {}, template: null },
      sendAt: null,
      identify: (uuid) => ({ providerId: digitsOfUuid(uuid), messageId: null }),
    },
  ]);
  if (submission === undefined || submission.refusal !== undefined) {
    throw invalidArgument("Invalid To header: no server receives mail for the recipients");
  }
  const [own] = await user.mailbox.readHeads([submission.uuid as MessageId]);
  const id = own?.id ?? (await placeMail(user, raw, ["SENT"]));
  return mailReference(user, own ?? (await openMail(user, id)));
}

function addresses(field: string, contacts: readonly Contact[]): readonly string[] {
  return contacts.map(({ email }) => {
    if (email === null || !isEmailAddress(email)) throw invalidArgument(`Invalid ${field} header`);
    return email;
  });
}

/** Stores a mail with labels in the mailbox, and returns its id. */
export async function placeMail(user: User, raw: Uint8Array, labelIds: readonly string[]): Promise<MessageId> {
  const isDraft = labelIds.includes("DRAFT");
  const isSent = labelIds.includes("SENT");
  const isOutgoing = isDraft || isSent;
  const added = labelIds.filter((id) => id !== "DRAFT" && id !== "SENT");
  const places = ["UNREAD", ...(isOutgoing ? [] : ["INBOX"])].filter((id) => !added.includes(id));
  const { addTags = [], addFlags = [] } = user.labels.changeOf(added, places);
  const flags: readonly MessageFlag[] = [...addFlags, ...(isDraft ? ["draft" as const] : [])];
  const marks: Marks = { flags, tags: [...new Set(addTags)].toSorted() };
  return user.mailbox.place({ raw, direction: isOutgoing ? "Sent" : "Received", marks, providerIdOf: digitsOfUuid });
}
