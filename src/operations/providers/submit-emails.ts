/** Mails that applications submit through the API of a provider. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { EmailSubmission, SubmittedEmail } from "../../providers/email.ts";
import type { InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { reparseMark } from "../inbound/reparse-mails.ts";
import { announce } from "../services/events/announce.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { composeEmail, estimateBytes } from "./compose-email.ts";
import type { ProviderCaller } from "./provider-caller.ts";
import { routeEmails, type RoutedEmail } from "./route-email.ts";
import { scheduleEmails } from "./schedule-emails.ts";

/** Dependencies of {@link submitEmails}. */
export type SubmissionContext = Pick<
  Context,
  "store" | "clock" | "ids" | "limits" | "events" | "settings" | "readEmail" | "admission" | "quotas"
>;

/** Longest wait of a request for the admission of its mails, in milliseconds. */
const admissionWaitMsMax = 10_000;
/** Memory per byte of mail that is admitted; see `mail-admission.ts`. */
const costPerByte = 5;

/** Implements `submitEmails` of the contract of providers. */
export async function submitEmails(
  context: SubmissionContext,
  caller: ProviderCaller,
  emails: readonly SubmittedEmail[],
): Promise<readonly EmailSubmission[]> {
  const routed = await routeEmails(context, caller, emails);
  const accepted = routed.filter(({ copies }) => copies.length > 0);
  const [first] = accepted;
  if (first === undefined) return routed.map(() => ({ refusal: "no_server" }));
  const bytes = accepted.reduce((sum, { email, copies }) => sum + copies.length * estimateBytes(email), 0);
  checkCallSize(context, bytes);
  const release = await context.admission.admit(bytes, first.copies[0]?.server ?? "", admissionWaitMsMax);
  try {
    const submissions = await storeAll(context, caller, accepted);
    return routed.map((one) => submissions.get(one) ?? { refusal: "no_server" });
  } finally {
    release?.();
  }
}

/** Stores all mails or none: scheduled ones first, which are withdrawn when the others cannot be stored. */
async function storeAll(
  context: SubmissionContext,
  caller: ProviderCaller,
  emails: readonly RoutedEmail[],
): Promise<ReadonlyMap<RoutedEmail, EmailSubmission>> {
  const [later, now] = [
    emails.filter((one) => isScheduled(context, one.email)),
    emails.filter((one) => !isScheduled(context, one.email)),
  ];
  const scheduled = later.length === 0 ? [] : await scheduleEmails(context, caller, later);
  try {
    const stored = await storeNow(context, caller, now);
    return new Map([...later.map(paired(scheduled)), ...now.map(paired(stored))]);
  } catch (error) {
    for (const { uuid } of scheduled) await context.store.scheduledMessages.cancelScheduledMessage(uuid);
    throw error;
  }
}

function paired(submissions: readonly EmailSubmission[]) {
  return (email: RoutedEmail, position: number): readonly [RoutedEmail, EmailSubmission] => [
    email,
    submissions[position] ?? { refusal: "no_server" },
  ];
}

function isScheduled({ clock }: Pick<Context, "clock">, { sendAt }: SubmittedEmail): boolean {
  return sendAt !== null && sendAt > clock.now();
}

async function storeNow(
  context: SubmissionContext,
  caller: ProviderCaller,
  emails: readonly RoutedEmail[],
): Promise<readonly EmailSubmission[]> {
  if (emails.length === 0) return [];
  const count = emails.reduce((sum, { copies }) => sum + copies.length, 0);
  return context.quotas.spend("email", count, () => storeAdmitted(context, caller, emails));
}

/** Throws `message_too_large` for mails that together exceed the memory for incoming mail. */
function checkCallSize({ limits }: Pick<Context, "limits">, bytes: number): void {
  const bytesMax = Math.max(limits.messageBytesMax, limits.mailWorkBytesMax / costPerByte);
  if (bytes <= bytesMax) return;
  throw new Problem("message_too_large", {
    text: `The mails of one request exceed ${String(bytesMax)} bytes; send them in several requests`,
  });
}

/** Mail with its records, the first of which has the UUID of the submission. */
interface PreparedEmail {
  readonly submission: { readonly uuid: MessageId; readonly providerId: string };
  readonly records: readonly NewMessage[];
  readonly isUnreadable: boolean;
}

async function storeAdmitted(
  context: SubmissionContext,
  caller: ProviderCaller,
  emails: readonly RoutedEmail[],
): Promise<readonly EmailSubmission[]> {
  for (;;) {
    const prepared: PreparedEmail[] = [];
    for (const one of emails) prepared.push(await prepare(context, caller, one));
    const records = prepared.flatMap((one) => one.records);
    const outcomes = await insert(context, prepared, records);
    if (outcomes.some(({ outcome }) => outcome === "collision")) continue;
    announce(context, records, outcomes);
    const stored = new Set(records.filter((_, at) => outcomes[at]?.outcome === "stored"));
    return prepared.map((one) =>
      one.records.some((record) => stored.has(record)) ? one.submission : { refusal: "no_server" },
    );
  }
}

async function insert(
  context: SubmissionContext,
  prepared: readonly PreparedEmail[],
  records: readonly NewMessage[],
): Promise<readonly InsertOutcome[]> {
  const isUnreadable = prepared.some((one) => one.isUnreadable);
  const companions = reparseMark({ defects: isUnreadable ? ["unreadable"] : [] }, context.clock.now());
  return context.store.addMessages(records, companions).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "quota_exceeded") {
      context.quotas.suspect([...new Set(records.map(({ id }) => decodeMessageId(id).server))]);
    }
    throw error;
  });
}

async function prepare(
  context: SubmissionContext,
  { provider }: ProviderCaller,
  { email, copies }: RoutedEmail,
): Promise<PreparedEmail> {
  const [first] = copies;
  if (first === undefined) throw new Error("a mail without recipients was not refused");
  const ids = copies.map(({ server }) => context.ids.next(server, "Received").id);
  const [uuid] = ids as [MessageId, ...MessageId[]];
  const date = context.clock.now();
  const identity = { uuid, server: first.server, provider, date, scheduledAt: null };
  const { raw, origin } = await composeEmail(context, email, identity);
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
  const content = await context.readEmail(raw, first.server);
  const records = copies.map(({ recipients: rcptTo }, at) => {
    const envelope = { mailFrom: email.mailFrom, rcptTo };
    return recordEmail(ids[at] ?? uuid, { raw, envelope, session: null, provider: origin }, content);
  });
  const isUnreadable = content.defects.includes("unreadable");
  return { submission: { uuid, providerId: origin.id }, records, isUnreadable };
}
