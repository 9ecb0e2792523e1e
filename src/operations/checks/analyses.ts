import type { DnsSource } from "../../authentication/dns.ts";
import type { CheckResult } from "../../authentication/mail-authentication.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import { type MessageId, decodeMessageId } from "../../core/ids.ts";
import type { SpamVerdict } from "../../core/spam.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../services/reading/get-message.ts";
import type { SenderInspection, HtmlCompatibility } from "../services/inspection/inspection.ts";
import { dnsOf } from "../services/inspection/inspect-stored.ts";
import type { LoadRaw } from "../services/inspection/inspector.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";
import type { MailReports } from "../../core/mail-reports.ts";
import { foldPart } from "../../core/search/search-fields.ts";

/** Compares the HTML of a mail with the features of email clients; null without HTML. Rejects with `not_found`. */
export async function getCompatibility(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<HtmlCompatibility | null> {
  openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  return context.inspector.inspect(load, { kind: "compatibility" }, callerOf(principal, context));
}

/** Spam verdict and the engine that gave it. */
export interface SpamAnalysis extends SpamVerdict {
  /** `SpamAssassin`, or `restante` for the service's own rules. */
  readonly engine: string;
  /** Error of the configured filter; null without one. */
  readonly engineProblem: string | null;
}

/** Returns the spam analysis of a mail. Rejects with `not_found`, also for SMS. */
export async function getSpamAnalysis(context: Context, principal: Principal, idText: string): Promise<SpamAnalysis> {
  const { receivedAt } = decodeMessageId(openMessageId(principal, idText));
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  return judgeMail(context, { load, receivedAt, caller: callerOf(principal, context) });
}

/** Mail to analyse, and the caller. */
interface JudgedMail {
  readonly load: LoadRaw;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly caller: WorkerCaller;
}

/**
 * Returns the verdict of the configured filter, else of the built-in rules, with its engine. Rejects as `load` and the
 * inspector do.
 */
async function judgeMail(
  { spamFilter, inspector }: Context,
  { load, receivedAt, caller }: JudgedMail,
): Promise<SpamAnalysis> {
  let engineProblem: string | null = null;
  if (spamFilter !== null) {
    try {
      return { ...(await spamFilter.judge(load, caller)), engine: spamFilter.name, engineProblem };
    } catch (error) {
      if (error instanceof Problem) throw error;
      engineProblem = error instanceof Error ? error.message : String(error);
    }
  }
  return {
    ...(await inspector.inspect(load, { kind: "spam", receivedAt }, caller)),
    engine: "restante",
    engineProblem,
  };
}

/** Deliverability report of a mail. */
export interface DeliverabilityReport extends SenderInspection {
  readonly spam: SpamAnalysis & { readonly result: CheckResult };
  /** Source of the DNS answers. */
  readonly dns: DnsSource["kind"];
}

/** Time for all DNS queries in milliseconds; checks that have no answer by then are `Timeout`. */
const dnsMsMax = 5000;

/**
 * Checks a mail by its raw bytes and its SMTP session. The server's zone file, if it has one, replaces DNS. Rejects with
 * `not_found`, also for SMS.
 */
export async function getDeliverability(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<DeliverabilityReport> {
  const { receivedAt } = decodeMessageId(openMessageId(principal, idText));
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const [{ sender, dns }, spam] = await Promise.all([
    checkSender(context, principal, idText),
    judgeMail(context, { load, receivedAt, caller: callerOf(principal, context) }),
  ]);
  return { ...sender, spam: { ...spam, result: spamResult(spam) }, dns };
}

/** Checks of the sender of a mail, and where it came from. */
export interface CheckedSender {
  readonly sender: SenderInspection;
  readonly dns: DnsSource["kind"];
  /** Whether the mail was received by SMTP, so that SPF could be checked. */
  readonly hasSession: boolean;
}

/** Checks the sender of a mail. Rejects with `not_found`, also for SMS. */
export async function checkSender(context: Context, principal: Principal, idText: string): Promise<CheckedSender> {
  const id = openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const { session, message } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const dns = await dnsOf(context, decodeMessageId(id).server);
  const { mailFrom } = message.metadata;
  const { clientAddress = null, ehlo = null } = session ?? {};
  const origin = clientAddress === null || mailFrom === null ? null : { clientAddress, ehlo, mailFrom };
  const inspection = { kind: "sender", origin, dns, deadlineMs: dnsMsMax } as const;
  const sender = await context.inspector.inspect(load, inspection, callerOf(principal, context));
  return { sender, dns: dns.kind, hasSession: origin !== null };
}

/** Returns `Warning` from three fifths of the threshold on. */
function spamResult({ score, threshold }: SpamAnalysis): CheckResult {
  if (score >= threshold) return "Fail";
  return score >= threshold * 0.6 ? "Warning" : "Pass";
}

/** Messages that are compared with a Message-ID in each direction, and ids that are returned. */
const candidateCountMax = 20;
const idCountMax = 10;

/**
 * Returns the reports in a mail, always read in a worker process: a small mail may unpack to megabytes. The mail that they are
 * about is looked for by its Message-ID on the same server. Rejects with `not_found`, also for SMS, and as the inspector does.
 */
export async function getMailReports(context: Context, principal: Principal, idText: string): Promise<MailReports> {
  const id = openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const caller = callerOf(principal, context);
  const reports = await context.inspector.inspect(load, { kind: "reports" }, caller);
  const messageId = reports.original?.messageId ?? null;
  if (reports.original === null || messageId === null) return reports;
  return { ...reports, original: { ...reports.original, ids: await findNamed(context, { id, messageId }, caller) } };
}

/** Returns the ids of the messages with a Message-ID on the server of a message, the newest first, sent ones before received ones. */
async function findNamed(
  { store }: Context,
  { id, messageId }: { readonly id: MessageId; readonly messageId: string },
  { key, signal }: WorkerCaller,
): Promise<readonly MessageId[]> {
  const named: MessageId[] = [];
  const expression = { kind: "part", part: "messageId", term: foldPart(messageId) } as const;
  const page = {
    page: 0,
    itemsPerPage: candidateCountMax,
    receivedAfter: null,
    afterSequence: null,
    caller: key,
    signal,
  };
  for (const direction of ["Sent", "Received"] as const) {
    const { identities } = await store.findMessages(decodeMessageId(id).server, expression, { ...page, direction });
    for (const { id: found } of identities) {
      if (found === id || named.length === idCountMax) continue;
      const detail = await store.getDetail(found);
      if (detail !== undefined && messageIdOf(detail) === bare(messageId)) named.push(found);
    }
  }
  return named;
}

function messageIdOf(detail: Uint8Array): string | null {
  const { headers } = decodeDetail(detail).message.metadata;
  const field = headers.find(({ field: name }) => name.toLowerCase() === "message-id");
  return field === undefined ? null : bare(field.value);
}

function bare(messageId: string): string {
  return messageId.trim().replace(/^<([^<>]*)>$/, "$1");
}
