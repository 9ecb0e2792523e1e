/** Mailbox of {@link file://./services.test-aid.ts}: a list of mails whose bodies are not parsed. */
import { notFound } from "../../core/errors.ts";
import { foldAddress, foldText } from "../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import { changeMarks, type Marks, noMarks } from "../../core/marks.ts";
import type { Direction, Message } from "../../core/message.ts";
import { evaluate } from "../../core/search/search-expression.ts";
import { contactValue, encodeSearchFields } from "../../core/search/search-fields.ts";
import { meetsTerm, type SearchFacts } from "../../core/search/term-match.ts";
import { parseMail } from "../../mime/parse-mail.ts";
import type { MailboxChange, MailboxFilter, MailboxMessage, MailboxOutline, ProviderMailbox } from "../mailbox.ts";

/** Mail with its source. */
export interface MemoryMail extends MailboxMessage {
  readonly raw: Uint8Array;
}

/** Mails of a memory mailbox in the order of their receipt, and their changes. */
export interface MemoryMails {
  readonly mails: MemoryMail[];
  readonly changes: MailboxChange[];
}

/** Returns a message without content, with the given members. */
export function emptyMessage(id: MessageId, members: Partial<Message> = {}): Message {
  const { server, receivedAt } = decodeMessageId(id);
  const nothing = { links: [], codes: [], body: null };
  return {
    id,
    type: "Email",
    server,
    from: [],
    to: [],
    cc: [],
    bcc: [],
    received: new Date(receivedAt).toISOString(),
    subject: "",
    html: { ...nothing, images: [] },
    text: nothing,
    attachments: [],
    metadata: { headers: [], ehlo: null, mailFrom: null, rcptTo: [] },
    defects: [],
    ...members,
  };
}

/** Returns a mail with what its header section says; its text is the body of the source. */
export function memoryMail(id: MessageId, raw: Uint8Array, marks: Marks = noMarks): MemoryMail {
  const { from, to, cc, bcc, subject, headers } = parseMail(raw, defaultLimits);
  const body = Buffer.from(raw)
    .toString("utf8")
    .replace(/^.*?\r?\n\r?\n/s, "");
  const metadata = { headers, ehlo: null, mailFrom: null, rcptTo: [] };
  const message = emptyMessage(id, { from, to, cc, bcc, subject, metadata, text: { links: [], codes: [], body } });
  return { id, direction: decodeMessageId(id).direction, message, marks, sizeBytes: raw.length, raw };
}

/** Returns a mailbox of mails, which it changes. */
export function memoryMailbox(
  { mails, changes }: MemoryMails,
  nextId: (direction: Direction) => MessageId,
): ProviderMailbox {
  const note = (kind: MailboxChange["kind"], id: MessageId): void => {
    changes.push({ sequence: changes.length + 1, kind, id });
  };
  const find = (id: string): MemoryMail => {
    const found = mails.find((one) => one.id === id);
    if (found === undefined) throw notFound("Message");
    return found;
  };
  const matching = ({ expression, direction }: MailboxFilter): readonly MessageId[] =>
    mails
      .filter((mail) => direction === null || mail.direction === direction)
      .filter((mail) => evaluate(expression, (term) => meetsTerm(term, factsOf(mail))) === true)
      .map(({ id }) => id);
  const read = async (ids: readonly MessageId[]) => ids.flatMap((id) => mails.find((one) => one.id === id) ?? []);
  return {
    address: "me@server.example",
    list: async ({ skip = 0, top, first = "newest", before, ...filter }) => {
      const found = matching(filter);
      const ordered = first === "newest" ? found.toReversed() : found;
      const rest = ordered.slice(before === undefined ? 0 : ordered.indexOf(before) + 1);
      return { ids: rest.slice(skip, skip + top), hasMore: rest.length > skip + top, cursor: changes.length };
    },
    count: async (filter) => matching(filter).length,
    read,
    readHeads: read,
    outline: async (id) => outlineOf(find(id), changes),
    thread: async (id) => [find(id).id],
    get: async (id) => find(id),
    getRaw: async (id) => find(id).raw,
    ...checksOf(find),
    getAttachment: async () => Promise.reject(notFound("Attachment")),
    mark: async (ids, change) => {
      for (const mail of mails.filter(({ id }) => ids.includes(id))) {
        mails[mails.indexOf(mail)] = { ...mail, marks: changeMarks(mail.marks, change) };
        note("marked", mail.id);
      }
    },
    listTags: async () => [...new Set(mails.flatMap(({ marks }) => marks.tags))].toSorted(),
    ...removalsOf(mails, find, note),
    place: async ({ raw, direction, marks }) => {
      const id = nextId(direction);
      mails.push(memoryMail(id, raw, marks));
      note("added", id);
      return id;
    },
    changes: async (cursor, limit) => {
      if (cursor > changes.length) return undefined;
      const page = changes.slice(cursor, cursor + limit);
      return { changes: page, cursor: cursor + page.length, hasMore: changes.length > cursor + page.length };
    },
  };
}

function removalsOf(
  mails: MemoryMail[],
  find: (id: string) => MemoryMail,
  note: (kind: MailboxChange["kind"], id: MessageId) => void,
): Pick<ProviderMailbox, "remove" | "removeEach"> {
  const remove = (mail: MemoryMail): void => {
    mails.splice(mails.indexOf(mail), 1);
    note("deleted", mail.id);
  };
  return {
    remove: async (id) => {
      remove(find(id));
    },
    removeEach: async (ids) => {
      for (const mail of mails.filter(({ id }) => ids.includes(id))) remove(mail);
    },
  };
}

function outlineOf({ id, message }: MemoryMail, changes: readonly MailboxChange[]): MailboxOutline {
  return { excerpt: message.subject, sequence: changes.findLast((one) => one.id === id)?.sequence ?? 0 };
}

/** Returns checks that find nothing. */
function checksOf(find: (id: string) => MemoryMail): Pick<ProviderMailbox, "checkSpam" | "checkHtml"> {
  return {
    checkSpam: async (id) => {
      find(id);
      return { score: 0, threshold: 5, rules: [] };
    },
    checkHtml: async (id) => (find(id).message.html.body === null ? null : []),
  };
}

function factsOf({ message, marks, sizeBytes, id }: MemoryMail): SearchFacts {
  const { from, to, cc, bcc, subject, text, html, attachments } = message;
  const addresses = (contacts: Message["from"]): readonly string[] =>
    contacts.map(({ email, phone }) => foldAddress(email ?? phone ?? ""));
  const fields = {
    from: from.map(contactValue),
    to: to.map(contactValue),
    cc: cc.map(contactValue),
    bcc: bcc.map(contactValue),
    attachment: attachments.map(({ fileName }) => foldText(fileName)),
  };
  return {
    addresses: { from: addresses(from), to: addresses([...to, ...cc, ...bcc]) },
    labels: {},
    texts: { subject: foldText(subject), body: foldText(`${text.body ?? ""} ${html.body ?? ""}`) },
    fields: encodeSearchFields(fields),
    marks,
    sizeBytes,
    receivedAt: decodeMessageId(id).receivedAt,
    sequence: null,
  };
}
