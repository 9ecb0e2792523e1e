/** Composition of mails from a stored one, in a worker process when either is large. */
import { readVisibleText } from "../../../analysis/visible-reader.ts";
import {
  composeAutoreply,
  composeBounce,
  composeComplaint,
  type Autoreply,
  type Bounce,
  type Complaint,
} from "../../../mime/compose/compose-bounce.ts";
import { composeForward, composeReply, type Forward, type Reply } from "../../../mime/compose/compose-reply.ts";
import { type Original, readOriginal } from "../../../mime/compose/original.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { MimeLimits } from "../../../mime/source.ts";

type OfOriginal = "original" | "originalMessageId";

/** Mail to compose from a stored one; survives structured cloning. */
export type Composition =
  | { readonly form: "reply"; readonly mail: Reply }
  | { readonly form: "forward"; readonly mail: Forward }
  | { readonly form: "bounce"; readonly mail: Omit<Bounce, OfOriginal> }
  | { readonly form: "complaint"; readonly mail: Omit<Complaint, OfOriginal> }
  | { readonly form: "autoreply"; readonly mail: Autoreply };

/** Stored mail with its instant of receipt in milliseconds since the Unix epoch. */
interface StoredMail {
  readonly raw: Uint8Array;
  readonly receivedAt: number;
}

/** Parses a mail for replies and forwards; one without a text body is quoted by its visible text. */
export function readStoredMail({ raw, receivedAt }: StoredMail, limits: MimeLimits): Original {
  const original = readOriginal(raw, parseMail(raw, limits), receivedAt);
  if (original.text !== null || original.html === null) return original;
  return { ...original, text: readVisibleText(original.html) };
}

/** Composes a mail from a stored one and returns its raw bytes. */
export async function composeFromOriginal(
  stored: StoredMail,
  { form, mail }: Composition,
  limits: MimeLimits,
): Promise<Uint8Array> {
  const original = readStoredMail(stored, limits);
  const report = { original: stored.raw, originalMessageId: original.messageId };
  if (form === "reply") return await composeReply(original, mail);
  if (form === "forward") return await composeForward(original, mail);
  if (form === "autoreply") return await composeAutoreply(original, mail);
  if (form === "bounce") return await composeBounce({ ...mail, ...report });
  return await composeComplaint({ ...mail, ...report }, original.subject);
}
