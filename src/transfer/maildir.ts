/** Maildir (cr.yp.to/proto/maildir.html): mail is written to tmp, result to new, and result to cur when it is read. */
import { mkdir, open, readdir, rename, utimes } from "node:fs/promises";
import { join } from "node:path";
import { decodeMessageId, parseMessageId, type MessageId } from "../core/ids.ts";
import { messageFlags, noMarks, readTag, type Marks, type MessageFlag } from "../core/marks.ts";
import type { WholeMessage } from "../store/store.ts";
import { requireFolder } from "./loose-mails.ts";
import { toLf } from "./read-lines.ts";

const readFolders = ["new", "cur"] as const;

/** Mail in a maildir. */
export interface FiledMail {
  readonly path: string;
  /** File name without flags. */
  readonly uniqueName: string;
  /** Id of the exported message; null for mail of other origin. */
  readonly id: MessageId | null;
  /** Milliseconds since the Unix epoch from the file name; null when it has none. */
  readonly deliveredAt: number | null;
  /** Of the file name, and the name of its folder as tag. */
  readonly marks: Marks;
}

/** Mails of a maildir, and what was found beside them. */
export interface MaildirContent {
  readonly mails: readonly FiledMail[];
  /** Paths of folders that are no maildirs. */
  readonly skipped: readonly string[];
}

/** Letters of flags in file names, in the order of the alphabet, which names have to keep. */
const flagLetters: readonly (readonly [letter: string, flag: MessageFlag])[] = [
  ["D", "draft"],
  ["F", "flagged"],
  ["R", "answered"],
  ["S", "seen"],
  ["T", "deleted"],
];
const ownFolders: ReadonlySet<string> = new Set(["new", "cur", "tmp"]);
/** Folders within folders that are read. */
const depthMax = 20;

/** Creates missing folders of a maildir with mode 0700. Throws an `Error` for the operator when the path contains other files. */
export async function makeMaildir(path: string): Promise<void> {
  const existing = await readdir(path).catch((error: unknown): readonly string[] => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  if (existing.length > 0 && !existing.includes("cur")) {
    throw new Error(`${path} is not a maildir, and is not empty`);
  }
  for (const folder of ["tmp", "cur", "new"]) await mkdir(join(path, folder), { recursive: true, mode: 0o700 });
}

/**
 * Returns the mails of a maildir and of its sub-folders (`.Name` of Maildir++, and folders within folders) in order of delivery,
 * from their names. Throws when the path is not a maildir.
 */
export async function listMaildir(path: string): Promise<MaildirContent> {
  const mails = [...(await listMails(path, noMarks.tags, await foldersOf(path)))];
  const skipped: string[] = [];
  await addSubfolders(path, { mails, skipped, name: "", depth: 0 });
  return { mails: mails.toSorted((a, b) => compareTimes(a, b) || (a.uniqueName < b.uniqueName ? -1 : 1)), skipped };
}

/** Returns the names in a folder; throws when neither `new` nor `cur` is among them. */
async function foldersOf(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch((error: unknown) => {
    throw new Error(`${path} is not a maildir: it is not a folder that can be read`, { cause: error });
  });
  if (readFolders.some((folder) => names.includes(folder))) return names;
  throw new Error(`${path} is not a maildir: it has no folder new or cur`);
}

interface Subfolders {
  readonly mails: FiledMail[];
  readonly skipped: string[];
  readonly name: string;
  readonly depth: number;
}

async function addSubfolders(path: string, { mails, skipped, name, depth }: Subfolders): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() || ownFolders.has(entry.name)) continue;
    const own = join(path, entry.name);
    const folders = await readdir(own);
    if (depth >= depthMax || !["new", "cur"].some((one) => folders.includes(one))) {
      skipped.push(own);
      continue;
    }
    const ownName = `${name}${name === "" ? "" : "/"}${entry.name.replace(/^\./, "").replaceAll(".", "/")}`;
    const tag = readTag(ownName);
    mails.push(...(await listMails(own, tag === undefined ? [] : [tag], folders)));
    await addSubfolders(own, { mails, skipped, name: ownName, depth: depth + 1 });
  }
}

/** Returns the mails of one folder, which has folders of these names. */
async function listMails(path: string, tags: Marks["tags"], folders: readonly string[]): Promise<readonly FiledMail[]> {
  const mails: FiledMail[] = [];
  for (const folder of readFolders.filter((one) => folders.includes(one))) {
    await requireFolder(join(path, folder));
    const names = await readdir(join(path, folder));
    for (const name of names) if (!name.startsWith(".")) mails.push(readName(join(path, folder, name), name, tags));
  }
  return mails;
}

function compareTimes(a: FiledMail, b: FiledMail): number {
  return (a.deliveredAt ?? 0) - (b.deliveredAt ?? 0);
}

function readName(path: string, name: string, tags: Marks["tags"]): FiledMail {
  const uniqueName = name.split(":", 1)[0] ?? name;
  const [, seconds, micros] = /^(\d{1,12})\.(?:[^.]*?M(\d{1,6}))?/.exec(uniqueName) ?? [];
  const [, hex = ""] = /R([0-9a-f]{32})\.restante(?:,|$)/.exec(uniqueName) ?? [];
  const id = parseMessageId(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")) ?? null;
  const deliveredAt = seconds === undefined ? null : Number(seconds) * 1000 + Math.floor(Number(micros ?? 0) / 1000);
  const [, letters = ""] = /:2,([A-Za-z]{0,60})$/.exec(name) ?? [];
  const set = flagLetters.filter(([letter]) => letters.includes(letter)).map(([, flag]) => flag);
  const marks = { flags: messageFlags.filter((flag) => set.includes(flag)), tags };
  const isTime = deliveredAt !== null && deliveredAt < 2 ** 47;
  return { path, uniqueName, id, deliveredAt: isTime ? deliveredAt : null, marks };
}

/** Returns the file name of a message, which is the same in every export. */
export function maildirName(id: MessageId): string {
  const { receivedAt } = decodeMessageId(id);
  const micros = (receivedAt % 1000) * 1000;
  return `${Math.floor(receivedAt / 1000)}.M${micros}R${id.replaceAll("-", "")}.restante`;
}

/**
 * Writes a message atomically, to `cur` with its flags in the name, or without flags to `new`; the modification time of the file
 * is that of the message.
 */
export async function writeToMaildir(
  path: string,
  { id, raw, marks }: Pick<WholeMessage, "id" | "raw" | "marks">,
): Promise<void> {
  const name = maildirName(id);
  const temporary = join(path, "tmp", name);
  const handle = await open(temporary, "w", 0o600);
  try {
    await handle.writeFile(Buffer.from(toLf(raw), "latin1"));
  } finally {
    await handle.close();
  }
  const seconds = decodeMessageId(id).receivedAt / 1000;
  await utimes(temporary, seconds, seconds);
  const letters = flagLetters.flatMap(([letter, flag]) => (marks?.flags.includes(flag) === true ? [letter] : []));
  const target = letters.length === 0 ? join(path, "new", name) : join(path, "cur", `${name}:2,${letters.join("")}`);
  await rename(temporary, target);
}
