/** Maildir (cr.yp.to/proto/maildir.html): mail is written to tmp, result to new, and result to cur when it is read. */
import { mkdir, open, readdir, rename, utimes } from "node:fs/promises";
import { join } from "node:path";
import { decodeMessageId, parseMessageId, type MessageId } from "../core/ids.ts";
import type { WholeMessage } from "../store/store.ts";
import { requireFolder } from "./regular-file.ts";
import { toLf } from "./line-ends.ts";

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
}

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

/** Returns the mails of a maildir in order of delivery, from their names. Throws when the path is not a maildir. */
export async function listMaildir(path: string): Promise<readonly FiledMail[]> {
  const mails: FiledMail[] = [];
  for (const folder of readFolders) {
    const names = await readdir(join(path, folder)).catch((error: unknown) => {
      throw new Error(`${path} is not a maildir: it has no folder ${folder}`, { cause: error });
    });
    await requireFolder(join(path, folder));
    for (const name of names) if (!name.startsWith(".")) mails.push(readName(join(path, folder, name), name));
  }
  return mails.toSorted((a, b) => compareTimes(a, b) || (a.uniqueName < b.uniqueName ? -1 : 1));
}

function compareTimes(a: FiledMail, b: FiledMail): number {
  return (a.deliveredAt ?? 0) - (b.deliveredAt ?? 0);
}

function readName(path: string, name: string): FiledMail {
  const uniqueName = name.split(":", 1)[0] ?? name;
  const [, seconds, micros] = /^(\d{1,12})\.(?:[^.]*?M(\d{1,6}))?/.exec(uniqueName) ?? [];
  const [, hex = ""] = /R([0-9a-f]{32})\.restante(?:,|$)/.exec(uniqueName) ?? [];
  const id = parseMessageId(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")) ?? null;
  const deliveredAt = seconds === undefined ? null : Number(seconds) * 1000 + Math.floor(Number(micros ?? 0) / 1000);
  return { path, uniqueName, id, deliveredAt: deliveredAt === null || deliveredAt >= 2 ** 47 ? null : deliveredAt };
}

/** Returns the file name of a message, which is the same in every export. */
export function maildirName(id: MessageId): string {
  const { receivedAt } = decodeMessageId(id);
  const micros = (receivedAt % 1000) * 1000;
  return `${Math.floor(receivedAt / 1000)}.M${micros}R${id.replaceAll("-", "")}.restante`;
}

/** Writes a message atomically; the modification time of the file is that of the message. */
export async function writeToMaildir(path: string, { id, raw }: Pick<WholeMessage, "id" | "raw">): Promise<void> {
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
  await rename(temporary, join(path, "new", name));
}
