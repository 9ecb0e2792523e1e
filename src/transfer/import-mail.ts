/** Import of mail from an mbox or a maildir into a server, as if received by SMTP. */
import { createHash } from "node:crypto";
import { decodeMessageId, encodeMessageId, type MessageId, type MessageIdParts, type ServerId } from "../core/ids.ts";
import { readMailDate } from "../core/mail-date.ts";
import type { EmailContent, EmailReader } from "../operations/services/reading/email-bodies.ts";
import { recordEmail } from "../operations/services/reading/email-record.ts";
import { type Marks, noMarks, sameMarks } from "../core/marks.ts";
import type { NewMessage, Store } from "../store/store.ts";
import { toCrLf, toLf } from "./read-lines.ts";
import { type FiledMail, listMaildir } from "./maildir.ts";
import { readMbox } from "./mbox.ts";
import { type IntakeOptions, MessageIntake } from "./message-intake.ts";
import { type LooseLimits, type LooseMail, readEml, readEmlFolder, readRegularFile, readZip } from "./loose-mails.ts";
import { emptyTransfer, type Progress, type TransferResult } from "./progress.ts";

/** Target and options of a mail import. */
export interface MailTarget extends IntakeOptions {
  readonly store: Store;
  readonly readEmail: EmailReader;
  readonly server: ServerId;
  /** Size limit of one mail in bytes; larger mail is an error. */
  readonly mailBytesMax: number;
  readonly progress: Progress;
}

interface OutsideMail {
  readonly raw: Uint8Array;
  readonly mailFrom: string | null;
  readonly place: string;
  /** Parts that its id is derived from. */
  readonly origin: Omit<MessageIdParts, "random"> & { readonly seed: Uint8Array };
  /** Flags and tags; none by default. */
  readonly marks?: Marks;
  /** Id of the message that was exported; null for mail of other origin. */
  readonly id: MessageId | null;
}

/**
 * Imports the mails of an mbox. Mails of the same second get consecutive milliseconds. Ids are derived from position and
 * content, so that a repeated import stores nothing twice, and one of a longer file adds the new mails. Rejects with an `Error`
 * that names the line.
 */
export async function importMbox(chunks: AsyncIterable<Uint8Array>, target: MailTarget): Promise<TransferResult> {
  const { server, readEmail, mailBytesMax } = target;
  const doubtful: number[] = [];
  const read = async function* (): AsyncGenerator<OutsideMail> {
    let [lastSecond, last] = [-1, -1];
    const mails = readMbox(counted(chunks, target), mailBytesMax, (line) => doubtful.push(line));
    for await (const { raw, mailFrom, receivedAt, line } of mails) {
      const second = receivedAt ?? dateOf(await readEmail(raw)) ?? Math.max(0, lastSecond);
      last = second < lastSecond ? second : Math.max(second, last + 1);
      lastSecond = second;
      const origin = { server, direction: "Received", receivedAt: last, seed: raw } as const;
      yield { raw, mailFrom, place: `line ${line}`, origin, id: null };
    }
  };
  return { ...(await importAll(read(), target)), skipped: describeDoubtful(doubtful) };
}

/** Stores mails as they are read. Rejects when their server does not exist, and as the source and {@link MessageIntake} do. */
async function importAll(mails: AsyncIterable<OutsideMail>, target: MailTarget): Promise<TransferResult> {
  const { store, server, progress } = target;
  if ((await store.getServer(server)) === undefined) throw new Error(`There is no server ${server}`);
  const intake = new MessageIntake(store, progress, target);
  try {
    for await (const mail of mails) await take(intake, target, mail);
  } finally {
    await intake.flush();
  }
  return { ...emptyTransfer, servers: 1, messages: intake.storedCount, existing: intake.existingCount };
}

/** Returns a sentence about lines that resemble separators and were taken as content; none without such lines. */
function describeDoubtful(lines: readonly number[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, 5).join(", ");
  const more = lines.length > 5 ? ", …" : "";
  const found =
    lines.length === 1
      ? "1 line resembles a separator and was"
      : `${String(lines.length)} lines resemble separators and were`;
  return [`${found} taken as text of the mail before (${shown}${more})`];
}

/**
 * Imports the mails of a maildir. Mails exported by restante keep their id (in another server, all parts except the server);
 * ids of others are derived from the file name. Their time is that of the file name, of the Date field, or of the file.
 * Rejects with an `Error` that names the file.
 */
export async function importMaildir(path: string, target: MailTarget): Promise<TransferResult> {
  let skipped: readonly string[] = [];
  const read = async function* (): AsyncGenerator<OutsideMail> {
    const found = await listMaildir(path);
    ({ skipped } = found);
    target.progress.expect(found.mails.length);
    for (const mail of found.mails) {
      const { bytes, mtimeMs } = await readRegularFile(mail.path, target.mailBytesMax);
      yield await filedMail(mail, { raw: toCrLf(toLf(bytes)), mtimeMs, target });
      target.progress.advance({ done: 1 });
    }
  };
  return { ...(await importAll(read(), target)), skipped: describeSkipped(skipped) };
}

/** Kinds of sources that have a file for each mail. */
const looseSources: Readonly<
  Record<"eml" | "folder" | "zip", (path: string, limits: LooseLimits) => AsyncGenerator<LooseMail>>
> = { eml: readEml, folder: readEmlFolder, zip: readZip };

/**
 * Imports mails in files of their own. Their time is that of the Date field, else of the file; ids are derived from it and the
 * content, so that a repeated import stores nothing twice. Rejects with an `Error` that names the file.
 */
export async function importEml(
  path: string,
  target: MailTarget,
  kind: keyof typeof looseSources,
): Promise<TransferResult> {
  const { server, mailBytesMax, readEmail } = target;
  const skipped: string[] = [];
  const read = async function* (): AsyncGenerator<OutsideMail> {
    const limits = { mailBytesMax, onSkipped: (name: string) => skipped.push(name) };
    for await (const { place, bytes, modifiedAt } of looseSources[kind](path, limits)) {
      const raw = toCrLf(toLf(bytes));
      const receivedAt = dateOf(await readEmail(raw)) ?? Math.max(0, Math.floor(modifiedAt));
      const origin = { server, direction: "Received", receivedAt, seed: raw } as const;
      yield { raw, mailFrom: null, place, origin, id: null };
    }
  };
  return { ...(await importAll(read(), target)), skipped: describeSkipped(skipped) };
}

/** Returns a sentence about paths that were not imported; none without such paths. */
function describeSkipped(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, 5).map((path) => JSON.stringify(path.slice(0, 200)));
  const more = paths.length > 5 ? ", …" : "";
  const noun = paths.length === 1 ? "file or folder that is" : "files or folders that are";
  return [`${String(paths.length)} ${noun} no mail: ${shown.join(", ")}${more}`];
}

async function filedMail(
  { path, uniqueName, id, deliveredAt, marks }: FiledMail,
  { raw, mtimeMs, target }: { readonly raw: Uint8Array; readonly mtimeMs: number; readonly target: MailTarget },
): Promise<OutsideMail> {
  const { server } = target;
  const shared = { raw, mailFrom: null, place: path, marks };
  const seed = Buffer.from(uniqueName);
  if (id !== null) {
    const parts = { ...decodeMessageId(id), server };
    return { ...shared, id: encodeMessageId(parts), origin: { ...parts, seed } };
  }
  const receivedAt = deliveredAt ?? dateOf(await target.readEmail(raw)) ?? Math.max(0, Math.floor(mtimeMs));
  return { ...shared, id, origin: { server, direction: "Received", receivedAt, seed } };
}

/** Returns the instant of the Date field; null when it is missing, unreadable, or not within the instants of ids. */
function dateOf({ headers }: EmailContent): number | null {
  const date = headers.find(({ field }) => field.toLowerCase() === "date")?.value ?? "";
  const instant = readMailDate(date)?.instant ?? null;
  return instant === null || instant < 0 || instant >= 2 ** 47 ? null : instant;
}

async function take(intake: MessageIntake, { readEmail }: MailTarget, mail: OutsideMail): Promise<void> {
  const { raw, mailFrom, origin, id, place, marks = noMarks } = mail;
  const content = await readEmail(raw);
  const marked = sameMarks(marks, noMarks) ? {} : { marks };
  const carried = { raw, envelope: { mailFrom, rcptTo: [] }, session: null };
  const make = (attempt: number): NewMessage => ({
    ...recordEmail(id ?? idFrom(origin, attempt), carried, content),
    ...marked,
  });
  await intake.add({ message: make(0), place, ...(id === null && { again: make }) });
}

/** Returns the id of a mail, which is the same in every import. */
function idFrom({ seed, ...parts }: OutsideMail["origin"], attempt: number): MessageId {
  const digest = createHash("sha256").update(`${attempt}\n`).update(seed).digest();
  return encodeMessageId({ ...parts, random: digest.readUInt32BE(0) });
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  { progress }: Pick<MailTarget, "progress">,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    progress.advance({ done: chunk.length });
  }
}
