/** Mails that applications submit through the API of a provider. */
import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { mailWorkBytesPerByte } from "../../core/memory-limits.ts";
import type { EmailSubmission, SubmittedEmail } from "../../providers/email.ts";
import type { NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { type MessageBatch, reparseMark, storeMessages } from "../inbound/store-messages.ts";
import { holdDelays, type HoldDelays } from "../scanner/scan-before-arrival.ts";
import { requestWaitMsMax } from "../services/limits/mail-admission.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { composeEmail, estimateBytes, type IdentifiedEmail, type RoutedEmail, routeEmails } from "./compose-email.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { scheduleEmails } from "./scheduled-email.ts";
import { holdCopies, type HeldContent } from "../inbound/held-messages.ts";
import type { ServerRecipients } from "../inbound/arriving-records.ts";
import type { MessageFaults } from "./request-faults.ts";

/** Implements `submitEmails` of the contract of providers. Rejects with `InjectedFault` when a fault rule applies. */
export async function submitEmails(
  context: Context,
  caller: ProviderCaller,
  emails: readonly SubmittedEmail[],
): Promise<readonly EmailSubmission[]> {
  const routed = await routeEmails(context, caller, emails);
  const accepted = routed.filter(({ copies }) => copies.length > 0);
  const [first] = accepted;
  if (first === undefined) return routed.map(() => ({ refusal: "no_server" }));
  const bytes = accepted.reduce((sum, { email, copies }) => sum + copies.length * estimateBytes(email), 0);
  checkCallSize(context, bytes);
  const faulted = await decideFaults(context, caller, accepted);
  const release = await context.admission.admit(bytes, first.copies[0]?.server ?? "", requestWaitMsMax);
  try {
    const submissions = await storeAll(context, caller, faulted);
    const results = new Map(accepted.map((one, position) => [one, submissions.get(faulted[position] ?? null)]));
    return routed.map((one) => results.get(one) ?? { refusal: "no_server" });
  } finally {
    release?.();
  }
}

async function decideFaults(
  context: Context,
  { faults, transcript, provider, principal: { server } }: ProviderCaller,
  emails: readonly RoutedEmail[],
): Promise<readonly FaultedEmail[]> {
  const messages = emails.map(({ email: { mailFrom: sender }, copies }) => {
    const recipients = copies.flatMap((copy) => {
      return copy.recipients.map((address) => ({ address, server: copy.server }));
    });
    return { sender, recipients };
  });
  const decided = await faults?.decide({ provider, server }, messages);
  const copies = emails.flatMap((one) => one.copies);
  const isOwn = new Set(copies.map((copy) => copy.server)).size === 1;
  const faulted: FaultedEmail[] = [];
  for (const [position, one] of emails.entries()) {
    const own = decided?.[position] ?? noFaults;
    const servers = one.copies.map((copy) => copy.server);
    const hold = await holdDelays(context.store, servers, own.late);
    // Encoded with the record, so that it is not kept while the mail is composed and committed.
    const encodeTranscript = () => transcript?.encode({ count: copies.length, isOwn, hits: own.hits });
    faulted.push({ ...one, faults: own, hold, encodeTranscript });
  }
  return faulted;
}

const noFaults = { hits: [], late: new Map() };

type Submissions = ReadonlyMap<FaultedEmail | null, EmailSubmission>;

/** Stores all mails or none: scheduled and held ones first, which are withdrawn when the others cannot be stored. */
async function storeAll(
  context: Context,
  caller: ProviderCaller,
  emails: readonly FaultedEmail[],
): Promise<Submissions> {
  const later = emails.filter((one) => isScheduled(context, one.email));
  const now = emails.filter((one) => !isScheduled(context, one.email));
  const scheduled = later.length === 0 ? [] : await scheduleEmails(context, caller, later);
  try {
    const stored = await storeNow(context, caller, now);
    return new Map([...later.map((one, position) => [one, scheduled[position] ?? noServer] as const), ...stored]);
  } catch (error) {
    for (const { uuid } of scheduled) await context.store.scheduledMessages.cancelScheduledMessage(uuid);
    throw error;
  }
}

const noServer: EmailSubmission = { refusal: "no_server" };

function isScheduled({ clock }: Context, { sendAt }: SubmittedEmail): boolean {
  return sendAt !== null && sendAt > clock.now();
}

async function storeNow(
  context: Context,
  caller: ProviderCaller,
  emails: readonly FaultedEmail[],
): Promise<Submissions> {
  if (emails.length === 0) return new Map();
  const count = emails.reduce((sum, { copies }) => sum + copies.length, 0);
  return context.quotas.spend("email", count, async () => {
    const held = new Map<FaultedEmail, HeldEmail>();
    try {
      for (const one of emails) if (isHeld(one)) held.set(one, await holdEmail(context, caller, one));
      const submissions = await storeAdmitted(context, caller, { emails, held });
      if (held.size > 0) context.wakeScans();
      return submissions;
    } catch (error) {
      await context.store.scheduledMessages.withdrawHeldMessages([...held.values()].flatMap((one) => one.held));
      throw error;
    }
  });
}

/** Throws `message_too_large` for mails that together exceed the memory for incoming mail. */
function checkCallSize({ limits }: Context, bytes: number): void {
  const bytesMax = Math.max(limits.messageBytesMax, Math.floor(limits.mailWorkBytesMax / mailWorkBytesPerByte));
  if (bytes <= bytesMax) return;
  throw new Problem("message_too_large", {
    text: `The mails of one request exceed ${String(bytesMax)} bytes; send them in several requests`,
  });
}

/** Mail with its records, the first of which has the UUID of the submission unless copies are held. */
interface PreparedEmail {
  readonly email: FaultedEmail;
  readonly submission: EmailSubmission;
  readonly records: readonly NewMessage[];
  /** Whether copies are held. */
  readonly isHeld: boolean;
  readonly isUnreadable: boolean;
}

interface Admitted {
  readonly emails: readonly FaultedEmail[];
  readonly held: ReadonlyMap<FaultedEmail, HeldEmail>;
}

async function storeAdmitted(
  context: Context,
  caller: ProviderCaller,
  { emails, held }: Admitted,
): Promise<Submissions> {
  const { batch, stored } = await storeMessages(context, async () => {
    const prepared: PreparedEmail[] = [];
    for (const one of emails) prepared.push(await prepare(context, caller, { email: one, held: held.get(one) }));
    return toBatch(context, prepared);
  });
  return new Map(
    batch.prepared.map(({ email, submission, records, isHeld: hasHeld }) => [
      email,
      hasHeld || records.some((record) => stored.includes(record)) ? submission : noServer,
    ]),
  );
}

interface PreparedBatch extends MessageBatch {
  readonly prepared: readonly PreparedEmail[];
}

function toBatch({ clock }: Context, prepared: readonly PreparedEmail[]): PreparedBatch {
  const isUnreadable = prepared.some((one) => one.isUnreadable);
  const options = reparseMark({ defects: isUnreadable ? ["unreadable"] : [] }, clock.now());
  return { prepared, records: prepared.flatMap(({ records }) => records), options };
}

async function prepare(
  context: Context,
  caller: ProviderCaller,
  { email: faulted, held }: { readonly email: FaultedEmail; readonly held: HeldEmail | undefined },
): Promise<PreparedEmail> {
  const { email, faults } = faulted;
  const copies = held?.copies ?? faulted.copies;
  const [first] = copies;
  const composed = held?.composed ?? null;
  if (first === undefined) return { email: faulted, ...onlyHeld(composed) };
  const ids = copies.map(({ server }) => context.ids.next(server, "Received").id);
  const [uuid] = ids as [MessageId, ...MessageId[]];
  const { raw, origin } = composed ?? (await composeNow(context, caller, { email, uuid, server: first.server }));
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
  const content = await context.readEmail(raw, first.server);
  const submitted = composed !== null && { submittedAs: composed.uuid };
  const transcript = faulted.encodeTranscript();
  const records = copies.map(({ recipients: rcptTo }, at) => {
    const envelope = { mailFrom: email.mailFrom, rcptTo };
    const mail = { raw, envelope, session: null, provider: origin, faults: faults.hits, transcript, ...submitted };
    return recordEmail(ids[at] ?? uuid, mail, content);
  });
  return {
    email: faulted,
    submission: { uuid: composed?.uuid ?? uuid, providerId: origin.id },
    records,
    isHeld: composed !== null,
    isUnreadable: content.defects.includes("unreadable"),
  };
}

function onlyHeld(composed: ComposedEmail | null): Omit<PreparedEmail, "email"> {
  const submission = composed === null ? noServer : { uuid: composed.uuid, providerId: composed.origin.id };
  return { submission, records: [], isHeld: composed !== null, isUnreadable: false };
}

async function composeNow(
  context: Context,
  { provider }: ProviderCaller,
  { email, uuid, server }: { readonly email: SubmittedEmail; readonly uuid: MessageId; readonly server: ServerId },
): Promise<IdentifiedEmail> {
  return composeEmail(context, email, { uuid, server, provider, date: context.clock.now(), scheduledAt: null });
}

/** Mail with its servers and its faults. */
export interface FaultedEmail extends RoutedEmail {
  readonly faults: MessageFaults;
  /** Returns the encoded transcript of the request; undefined without one. */
  readonly encodeTranscript: () => string | undefined;
  /** Delays of fault rules and scanners. */
  readonly hold: HoldDelays;
}

/** Mail that was composed already, with the UUID of its submission. */
interface ComposedEmail extends IdentifiedEmail {
  readonly uuid: MessageId;
}

/** Mail of which some copies are held. */
interface HeldEmail {
  /** Null when none of the servers exists. */
  readonly composed: ComposedEmail | null;
  readonly held: readonly MessageId[];
  /** Copies that are stored at once. */
  readonly copies: readonly ServerRecipients[];
}

/** Whether copies of a mail are delivered later. */
function isHeld({ copies, hold }: FaultedEmail): boolean {
  return copies.some(({ server }) => hold.delays.has(server));
}

/**
 * Holds the copies of a mail that are delivered later. The first one has the UUID of the submission, so the provider's API
 * finds the mail at once. Rejects as {@link holdCopies}; then none is held.
 */
async function holdEmail(
  context: Context,
  { provider }: ProviderCaller,
  { email, copies, faults: { hits }, hold, encodeTranscript }: FaultedEmail,
): Promise<HeldEmail> {
  const now = context.clock.now();
  let composed: ComposedEmail | null = null;
  const composeAs = async (uuid: MessageId, isFirst: boolean, copy: ServerRecipients): Promise<HeldContent> => {
    const identity = { uuid, server: copy.server, provider, date: now, scheduledAt: null };
    const own = isFirst || composed === null ? await composeEmail(context, email, identity) : composed;
    if (own.raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
    if (isFirst) composed = { ...own, uuid };
    const { origin, raw } = own;
    const stored = { origin, mailFrom: email.mailFrom, copies: [copy], isComposed: false, faults: hits };
    const transcript = encodeTranscript();
    return { content: { ...stored, ...(transcript !== undefined && { transcript }) }, raw };
  };
  const late = copies.flatMap((copy) => {
    const { server } = copy;
    const delayMs = hold.delays.get(server);
    if (delayMs === undefined) return [];
    const compose = async (uuid: MessageId, isFirst: boolean): Promise<HeldContent> => composeAs(uuid, isFirst, copy);
    return [{ server, delayMs, compose }];
  });
  const { held, unheld } = await holdCopies(context, late, hold);
  return {
    composed: held.length > 0 ? composed : null,
    held,
    copies: copies.filter(({ server }) => !hold.delays.has(server) || unheld.has(server)),
  };
}
