import { foldText } from "../../core/fold.ts";
import { tagIdentity } from "../../core/marks.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart, type SearchPart } from "../../core/search/search-fields.ts";
import type { MailboxQuery, MailTest } from "../../operations/mailboxes/search/mailbox-query.ts";
import type { ImapSearchKey, SearchedSet } from "./parse-search.ts";
import { type NumberRange, resolveSequenceSet } from "./sequence-set.ts";

/** Facts that a session knows of its mailbox, which searches refer to. */
export interface SearchedMailbox {
  /** UIDs in ascending order. */
  readonly uids: Uint32Array;
  readonly isRecent: (uid: number) => boolean;
  /** Whether a message has the flag `\Deleted`, where that is known to the session only. */
  readonly isDeleted?: (uid: number) => boolean;
  /** Whether the result that the session saved (`$`) contains a message. */
  readonly isSaved: (uid: number) => boolean;
  /** Returns the tag that a client sees as a keyword. */
  readonly tagOf: (keyword: string) => string;
}

const dayMs = 86_400_000;
const everything: MailboxQuery = { kind: "uids", has: () => true };
const isSms: SearchExpression = { kind: "type", type: "SMS" };

/** Fields that the store compares as parts. */
const headerParts: ReadonlyMap<string, SearchPart> = new Map([
  ["from", "from"],
  ["to", "to"],
  ["cc", "cc"],
  ["bcc", "bcc"],
  ["reply-to", "replyTo"],
  ["message-id", "messageId"],
]);

/**
 * Returns the query of a search key in a mailbox. Text is compared without case, and names and addresses without repeated
 * blanks.
 */
export function resolveSearch(key: ImapSearchKey, mailbox: SearchedMailbox): MailboxQuery {
  if (key.kind === "and" || key.kind === "or") {
    return { kind: key.kind, of: key.of.map((one) => resolveSearch(one, mailbox)) };
  }
  if (key.kind === "not") return { kind: "not", of: resolveSearch(key.of, mailbox) };
  if (key.kind === "flag" && key.flag === "deleted" && mailbox.isDeleted)
    return { kind: "uids", has: mailbox.isDeleted };
  if (key.kind === "recent") return { kind: "uids", has: mailbox.isRecent };
  if (key.kind === "numbers" || key.kind === "uids") {
    return { kind: "uids", has: hasUid(key.kind, key.set, mailbox) };
  }
  return key.kind === "modSequence" ? key : queryOfContent(key, mailbox);
}

type ContentKey = StoredKey | (ImapSearchKey & { readonly kind: "all" | "header" | "size" | "date" });

function queryOfContent(key: ContentKey, mailbox: SearchedMailbox): MailboxQuery {
  if (key.kind === "all") return everything;
  if (key.kind === "header") return headerQuery(key.name.toLowerCase(), key.text);
  if (key.kind === "size") return sizeQuery(key);
  if (key.kind === "date") return dateQuery(key);
  const stored: MailboxQuery = { kind: "stored", expression: expressionOf(key, mailbox) };
  const test = headerTestOf(key);
  return test === null ? stored : { kind: "or", of: [stored, { kind: "mail", test }] };
}

/**
 * Returns what the header section of a mail may contain although the store does not find it: any field for TEXT, and the names of
 * groups of recipients, which are no addresses. Null for no such test.
 */
function headerTestOf(key: StoredKey): MailTest | null {
  if (key.kind !== "address" && key.kind !== "content") return null;
  const term = foldText(key.text);
  if (term === "") return null;
  if (key.kind === "content") return key.field === "text" ? { kind: "header", name: null, term } : null;
  return key.text.includes("@") || key.field === "from" ? null : { kind: "header", name: key.field, term };
}

type StoredKey = ImapSearchKey & { readonly kind: "flag" | "keyword" | "address" | "content" };

function expressionOf(key: StoredKey, mailbox: SearchedMailbox): SearchExpression {
  if (key.kind === "flag") return { kind: "flag", flag: key.flag };
  if (key.kind === "keyword") return { kind: "tag", tag: tagIdentity(mailbox.tagOf(key.keyword)) };
  if (key.kind === "address") return partTerm(key.field, key.text);
  if (key.field !== "text") return textTerm(key.field, key.text);
  return or(textTerm("subject", key.text), textTerm("body", key.text), partTerm("any", key.text));
}

/** Returns a term; the empty text is in everything. */
function partTerm(part: SearchPart | "any", text: string): SearchExpression {
  const term = foldPart(text);
  return term === "" ? { kind: "always" } : { kind: "part", part, term };
}

function textTerm(field: "subject" | "body", text: string): SearchExpression {
  const term = foldText(text);
  return term === "" ? { kind: "always" } : { kind: "text", field, term };
}

function headerQuery(name: string, text: string): MailboxQuery {
  const term = foldText(text);
  const part = headerParts.get(name);
  if (term !== "" && name === "subject") return { kind: "stored", expression: textTerm("subject", text) };
  if (foldPart(text) !== "" && part !== undefined) return { kind: "stored", expression: partTerm(part, text) };
  return { kind: "mail", test: { kind: "header", name, term } };
}

/** The store knows the size of raw mails; that of the mail that shows an SMS is measured. */
function sizeQuery({ comparison, bytes }: ImapSearchKey & { readonly kind: "size" }): MailboxQuery {
  const ofMail = and({ kind: "size", comparison, bytes }, not(isSms));
  const ofSms: MailboxQuery = {
    kind: "and",
    of: [
      { kind: "stored", expression: isSms },
      { kind: "mail", test: { kind: "size", comparison, bytes } },
    ],
  };
  return { kind: "or", of: [{ kind: "stored", expression: ofMail }, ofSms] };
}

function dateQuery({ of, comparison, day }: ImapSearchKey & { readonly kind: "date" }): MailboxQuery {
  const from = comparison === "before" ? null : day;
  const before = { before: day, on: day + dayMs, since: null }[comparison];
  if (of === "sent") return { kind: "mail", test: { kind: "sent", from, before } };
  return { kind: "stored", expression: { kind: "received", from, before } };
}

/** Returns a test for a set of message numbers or UIDs; numbers of no message are in no set. */
function hasUid(
  kind: "numbers" | "uids",
  set: SearchedSet,
  { uids, isSaved }: SearchedMailbox,
): (uid: number) => boolean {
  if (set === "saved") return isSaved;
  if (uids.length === 0) return () => false;
  if (kind === "uids") return isWithin(resolveSequenceSet(set, uids.at(-1) ?? 0));
  const uidOf = (number: number): number => uids[Math.min(number, uids.length) - 1] ?? 0;
  const ranges = resolveSequenceSet(set, uids.length).filter(({ first }) => first <= uids.length);
  return isWithin(ranges.map(({ first, last }) => ({ first: uidOf(first), last: uidOf(last) })));
}

/** Returns a test for ascending ranges. */
function isWithin(ranges: readonly NumberRange[]): (number: number) => boolean {
  return (number) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle]?.last ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.first ?? Infinity) <= number;
  };
}
