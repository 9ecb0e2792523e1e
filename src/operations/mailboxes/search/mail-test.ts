import { foldText } from "../../../core/fold.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { HeaderField } from "../../../core/message.ts";
import { readMailDay } from "../../../core/mail-date.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { Context } from "../../context.ts";
import { decodeDetail, decodeExcerpt } from "../../services/reading/stored-detail.ts";
import { openMail } from "../open-mail.ts";

/**
 * Condition that only the mail itself decides.
 *
 * - `header`: a field with the name (lower case; null for any) contains the term (folded by `foldText`); the empty term: there is a field.
 * - `sent`: the day of the Date field, as written and without its zone, is from one day on and before another; days are
 *   midnight in UTC, null for no such bound.
 * - `size`: the mail has more or fewer bytes.
 */
export type MailTest =
  | { readonly kind: "header"; readonly name: string | null; readonly term: string }
  | { readonly kind: "sent"; readonly from: number | null; readonly before: number | null }
  | { readonly kind: "size"; readonly comparison: "larger" | "smaller"; readonly bytes: number };

/** Facts about a mail. */
export interface MailFacts {
  /** Unfolded and decoded. */
  readonly headers: readonly HeaderField[];
  readonly sizeBytes: number;
}

/** Returns whether a mail meets a test. */
export function meetsMailTest(test: MailTest, { headers, sizeBytes }: MailFacts): boolean {
  if (test.kind === "header") {
    const { name, term } = test;
    return headers.some(({ field, value }) => isNamed(field, name) && foldText(value).includes(term));
  }
  if (test.kind === "size") return test.comparison === "larger" ? sizeBytes > test.bytes : sizeBytes < test.bytes;
  const day = readMailDay(headers.find(({ field }) => field.toLowerCase() === "date")?.value ?? "");
  return day !== null && (test.from === null || day >= test.from) && (test.before === null || day < test.before);
}

function isNamed(field: string, name: string | null): boolean {
  return name === null || field.toLowerCase() === name;
}

/** Reads the facts about a message; those of an SMS are of the mail that shows it. Undefined when it no longer exists. */
export async function readMailFacts(
  context: Pick<Context, "store" | "limits">,
  id: MessageId,
): Promise<MailFacts | undefined> {
  const detail = await context.store.getDetail(id);
  if (detail === undefined) return undefined;
  const { message } = decodeDetail(detail);
  if (message.type === "Email") {
    return { headers: message.metadata.headers, sizeBytes: decodeExcerpt(detail).sizeBytes };
  }
  const mail = await openMail(context, id);
  if (mail === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of mail.read()) chunks.push(chunk);
  return { headers: parseMail(Buffer.concat(chunks), context.limits).headers, sizeBytes: mail.sizeBytes };
}
