/** Comparison of a search key with one message, for tests of searches. */
import { foldText } from "../../core/fold.ts";
import { type Marks, tagIdentity } from "../../core/marks.ts";
import type { Contact } from "../../core/message.ts";
import { contactValue, foldPart } from "../../core/search/search-fields.ts";
import type { Mail } from "../../mime/parse-mail.ts";
import type { ImapSearchKey, SearchedSet } from "./parse-search.ts";

/** Message of a mailbox. */
export interface ModelMessage {
  readonly uid: number;
  readonly number: number;
  readonly mail: Mail;
  readonly text: string;
  readonly sizeBytes: number;
  readonly receivedAt: number;
  /** Day of the Date field; null without one. */
  readonly sentDay: number | null;
  readonly marks: Marks;
  readonly modSequence: number;
}

/** Numbers of a mailbox that keys refer to. */
export interface ModelMailbox {
  readonly messageCount: number;
  readonly uidMax: number;
  readonly recent: ReadonlySet<number>;
  readonly saved: ReadonlySet<number>;
}

const dayMs = 86_400_000;

/** Comparison of the keys of each kind. */
const comparisons: {
  readonly [Kind in Exclude<ImapSearchKey["kind"], "and" | "or" | "not">]: (
    key: Extract<ImapSearchKey, { kind: Kind }>,
    message: ModelMessage,
    mailbox: ModelMailbox,
  ) => boolean;
} = {
  all: () => true,
  flag: ({ flag }, { marks }) => marks.flags.includes(flag),
  keyword: ({ keyword }, { marks }) => marks.tags.map(tagIdentity).includes(tagIdentity(keyword)),
  recent: (_, { uid }, { recent }) => recent.has(uid),
  modSequence: ({ from }, { modSequence }) => modSequence >= from,
  size: ({ comparison, bytes }, { sizeBytes }) => (comparison === "larger" ? sizeBytes > bytes : sizeBytes < bytes),
  numbers: ({ set }, { uid, number }, { messageCount, saved }) =>
    set === "saved" ? saved.has(uid) : inSet(set, number, messageCount),
  uids: ({ set }, { uid }, { uidMax, saved }) => (set === "saved" ? saved.has(uid) : inSet(set, uid, uidMax)),
  date: (key, { sentDay, receivedAt }) => inDays(key, key.of === "sent" ? sentDay : receivedAt),
  address: ({ field, text }, { mail }) =>
    contactsContain(mail[field], text) ||
    (field !== "from" &&
      !text.includes("@") &&
      mail.headers.some((one) => one.field.toLowerCase() === field && contains(one.value, text))),
  header: ({ name, text }, { mail }) =>
    mail.headers.some(({ field, value }) => field.toLowerCase() === name.toLowerCase() && contains(value, text)),
  content: ({ field, text }, message) => contentContains(field, text, message),
};

/** Returns whether a message matches a key. */
export function matches(key: ImapSearchKey, message: ModelMessage, mailbox: ModelMailbox): boolean {
  if (key.kind === "not") return !matches(key.of, message, mailbox);
  if (key.kind === "and") return key.of.every((one) => matches(one, message, mailbox));
  if (key.kind === "or") return key.of.some((one) => matches(one, message, mailbox));
  const compare = comparisons[key.kind] as (
    one: ImapSearchKey,
    message: ModelMessage,
    mailbox: ModelMailbox,
  ) => boolean;
  return compare(key, message, mailbox);
}

function contentContains(field: "subject" | "body" | "text", term: string, { mail, text }: ModelMessage): boolean {
  const inSubject = contains(mail.subject, term);
  const inBody = contains(text, term);
  if (field !== "text") return field === "subject" ? inSubject : inBody;
  const contacts = [mail.from, mail.to, mail.cc, mail.bcc].flat();
  return (
    inSubject || inBody || contactsContain(contacts, term) || mail.headers.some(({ value }) => contains(value, term))
  );
}

function contains(text: string, term: string): boolean {
  return foldText(text).includes(foldText(term));
}

function contactsContain(contacts: readonly Contact[], term: string): boolean {
  return term === "" || contacts.some((contact) => contactValue(contact).includes(foldPart(term)));
}

function inDays(
  { comparison, day }: { readonly comparison: string; readonly day: number },
  at: number | null,
): boolean {
  if (at === null) return false;
  if (comparison === "before") return at < day;
  return at >= day && (comparison === "since" || at < day + dayMs);
}

function inSet(set: Exclude<SearchedSet, "saved">, number: number, greatest: number): boolean {
  return set.some(({ first, last }) => {
    const ends = [first, last].map((end) => (end === "*" ? greatest : end));
    return number >= Math.min(...ends) && number <= Math.max(...ends);
  });
}
