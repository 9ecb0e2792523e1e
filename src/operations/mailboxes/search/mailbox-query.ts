import { foldText } from "../../../core/fold.ts";
import type { MessageId } from "../../../core/ids.ts";
import { readMailDay } from "../../../core/mail-date.ts";
import type { HeaderField } from "../../../core/message.ts";
import { and, not, or, type SearchExpression } from "../../../core/search/search-expression.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { Context } from "../../context.ts";
import { decodeDetail, decodeExcerpt } from "../../services/reading/stored-detail.ts";
import { openMail, readAll } from "../open-mail.ts";

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
function meetsMailTest(test: MailTest, { headers, sizeBytes }: MailFacts): boolean {
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
export async function readMailFacts(context: Context, id: MessageId): Promise<MailFacts | undefined> {
  const detail = await context.store.getDetail(id);
  if (detail === undefined) return undefined;
  const { message } = decodeDetail(detail);
  if (message.type === "Email") {
    return { headers: message.metadata.headers, sizeBytes: decodeExcerpt(detail).sizeBytes };
  }
  const mail = await openMail(context, id);
  if (mail === undefined) return undefined;
  return { headers: parseMail(await readAll(mail), context.limits).headers, sizeBytes: mail.sizeBytes };
}

/**
 * Search in a mailbox. What the store can decide is `stored`; the other terms need the messages that a client knows, or the
 * header fields of a mail.
 *
 * - `uids`: the UID is in a set.
 * - `modSequence`: the message or its marks have changed with this number or a greater one (RFC 7162).
 * - `mail`: the mail meets a test, for which it is read.
 */
export type MailboxQuery = Terms<{ readonly kind: "mail"; readonly test: MailTest }>;

/** Combination of terms; `Mail` is the one that reads a mail. */
type Terms<Mail> =
  | { readonly kind: "and"; readonly of: readonly Terms<Mail>[] }
  | { readonly kind: "or"; readonly of: readonly Terms<Mail>[] }
  | { readonly kind: "not"; readonly of: Terms<Mail> }
  | { readonly kind: "stored"; readonly expression: SearchExpression }
  | { readonly kind: "uids"; readonly has: (uid: number) => boolean }
  | { readonly kind: "modSequence"; readonly from: number }
  | Mail;

/** Step of a search, in which terms of one kind are combined. */
export type MailboxPlan = Terms<{ readonly kind: "mail"; readonly meets: (facts: MailFacts) => boolean }>;

/** Kinds in the order of their cost: those that narrow the messages come before those that read them. */
const costs: Readonly<Record<MailboxPlan["kind"], number>> = {
  uids: 0,
  modSequence: 1,
  stored: 2,
  not: 3,
  and: 3,
  or: 3,
  mail: 4,
};

/**
 * Returns the steps of a query: in each combination the store searches once, and each mail is read once, for those messages
 * only that the other terms leave undecided.
 */
export function planQuery(query: MailboxQuery): MailboxPlan {
  if (query.kind === "and" || query.kind === "or") return join(query.kind, query.of.map(planQuery));
  if (query.kind === "not") return negate(planQuery(query.of));
  if (query.kind !== "mail") return query;
  const { test } = query;
  return { kind: "mail", meets: (facts) => meetsMailTest(test, facts) };
}

function negate(plan: MailboxPlan): MailboxPlan {
  if (plan.kind === "stored") return { kind: "stored", expression: not(plan.expression) };
  if (plan.kind === "uids") return { kind: "uids", has: (uid) => !plan.has(uid) };
  if (plan.kind === "mail") return { kind: "mail", meets: (facts) => !plan.meets(facts) };
  return plan.kind === "not" ? plan.of : { kind: "not", of: plan };
}

function join(kind: "and" | "or", plans: readonly MailboxPlan[]): MailboxPlan {
  const all = plans.flatMap((plan) => (plan.kind === kind ? plan.of : [plan]));
  const stored = all.flatMap((plan) => (plan.kind === "stored" ? [plan.expression] : []));
  const uids = all.flatMap((plan) => (plan.kind === "uids" ? [plan.has] : []));
  const mail = all.flatMap((plan) => (plan.kind === "mail" ? [plan.meets] : []));
  const isAnd = kind === "and";
  const joined: readonly MailboxPlan[] = [
    ...(stored.length === 0 ? [] : [{ kind: "stored" as const, expression: (isAnd ? and : or)(...stored) }]),
    ...(uids.length === 0 ? [] : [{ kind: "uids" as const, has: combined(isAnd, uids) }]),
    ...(mail.length === 0 ? [] : [{ kind: "mail" as const, meets: combined(isAnd, mail) }]),
    ...all.filter(({ kind: one }) => one !== "stored" && one !== "uids" && one !== "mail"),
  ];
  const [only] = joined;
  if (only !== undefined && joined.length === 1) return only;
  return { kind, of: joined.toSorted((a, b) => costs[a.kind] - costs[b.kind]) };
}

function combined<Value>(isAnd: boolean, tests: readonly ((value: Value) => boolean)[]): (value: Value) => boolean {
  return isAnd ? (value) => tests.every((test) => test(value)) : (value) => tests.some((test) => test(value));
}

/** Returns the number of steps that search in the store or read mails. */
export function costlyStepCount(plan: MailboxPlan): number {
  if (plan.kind === "and" || plan.kind === "or") return plan.of.reduce((sum, one) => sum + costlyStepCount(one), 0);
  if (plan.kind === "not") return costlyStepCount(plan.of);
  return plan.kind === "stored" || plan.kind === "mail" ? 1 : 0;
}
