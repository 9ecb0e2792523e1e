/** Import of mails in files of their own, with their flags, and of folders within a maildir. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ZipFile } from "yazl";
import { newServerId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import type { Summary } from "../../src/core/message.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import type { Store } from "../../src/store/store.ts";
import { exportMaildir } from "../../src/transfer/export-mail.ts";
import { importEml, importMaildir, type MailTarget } from "../../src/transfer/import-mail.ts";
import { epochMs } from "./content.ts";
import { aFolder, anSqliteStore, requestOf, unwatched } from "./stores.ts";

const mailOf = (name: string): string => `Date: Fri, 27 Nov 2026 10:00:01 +0000\nSubject: ${name}\n\nbody\n`;
const bytesMax = 3_000_000;

async function aTarget(store: Store): Promise<MailTarget> {
  const server = newServerId();
  await store.createServer({ id: server, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  const reading = (raw: Uint8Array) => readEmail(raw, defaultLimits);
  return { store, server, readEmail: reading, mailBytesMax: bytesMax, progress: unwatched };
}

async function summariesOf(store: Store, server: ServerId): Promise<readonly Summary[]> {
  const page = {
    page: 0,
    itemsPerPage: 1000,
    receivedAfter: null,
    direction: "Received",
    afterSequence: null,
  } as const;
  const { json } = await store.listMessages(server, page);
  return JSON.parse(`[${Buffer.from(json).toString()}]`) as readonly Summary[];
}

async function subjectsOf({ store, server }: MailTarget): Promise<readonly string[]> {
  return (await summariesOf(store, server)).map(({ subject }) => subject).toSorted();
}

function randomText(length: number): Buffer {
  return randomBytes(length);
}

/** Writes an archive with entries of these names. */
async function zipAt(path: string, entries: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  await once(zip.outputStream.pipe(createWriteStream(path)), "finish");
  return path;
}

test("a file is one mail, with the time of its Date field, and is imported once", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const path = join(await aFolder(), "one.eml");
  await writeFile(path, mailOf("one"));
  expect(await importEml(path, target, "eml")).toMatchObject({ messages: 1, existing: 0, skipped: [] });
  expect(await importEml(path, target, "eml")).toMatchObject({ messages: 0, existing: 1 });
  expect(await summariesOf(opened.store, target.server)).toMatchObject([
    { subject: "one", received: "2026-11-27T10:00:01.000Z" },
  ]);
});

test("a folder is all of its .eml files, also in folders, and neither links nor FIFOs are read", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const folder = await aFolder();
  await mkdir(join(folder, "inner"));
  await writeFile(join(folder, "a.eml"), mailOf("a"));
  await writeFile(join(folder, "inner", "B.EML"), mailOf("b"));
  await writeFile(join(folder, "notes.txt"), "no mail");
  const { messages, skipped } = await importEml(folder, target, "folder");
  expect(messages).toBe(2);
  expect(skipped).toEqual([expect.stringContaining("1 file or folder that is no mail")]);
  expect(skipped[0]).toContain("notes.txt");
  expect(await subjectsOf(target)).toEqual(["a", "b"]);
  const [link, fifo] = [join(folder, "link.eml"), join(folder, "waits.eml")];
  await symlink("/etc/hostname", link);
  for (const [path, kind] of [
    [link, "eml"],
    [folder, "folder"],
  ] as const) {
    await expect(importEml(path, target, kind)).rejects.toThrow(`${link} is a symbolic link`);
  }
  execFileSync("mkfifo", [fifo]);
  await expect(importEml(fifo, target, "eml")).rejects.toThrow(`${fifo} is not a regular file`);
});

test("an archive is all of its .eml entries, whose names are no paths", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const folder = await aFolder();
  const path = await zipAt(join(folder, "mails.zip"), { "a.eml": mailOf("a"), "x/b.eml": mailOf("b"), "c.txt": "no" });
  // The same length, so that the archive stays valid.
  const hostile = Buffer.from((await readFile(path)).toString("latin1").replaceAll("x/b.eml", "../.eml"), "latin1");
  await writeFile(path, hostile);
  expect(await importEml(path, target, "zip")).toMatchObject({
    messages: 2,
    skipped: [expect.stringContaining("c.txt")],
  });
  expect(await subjectsOf(target)).toEqual(["a", "b"]);
  expect(await readdir(folder)).toEqual(["mails.zip"]);
});

test.each([
  ["an entry that inflates too much", { "bomb.eml": Buffer.alloc(2_500_000, "x") }, "inflates more than 200 times"],
  ["an entry that is larger than a mail", { "big.eml": randomText(bytesMax + 1) }, `has more than ${bytesMax} bytes`],
] as readonly (readonly [string, Readonly<Record<string, Buffer>>, string])[])(
  "an archive with %s is rejected with the name of the entry",
  async (_, entries, expected) => {
    await using opened = await anSqliteStore();
    const target = await aTarget(opened.store);
    const path = await zipAt(join(await aFolder(), "mails.zip"), entries);
    await expect(importEml(path, target, "zip")).rejects.toThrow(expected);
    await expect(importEml(path, target, "zip")).rejects.toThrow(Object.keys(entries)[0] ?? "");
  },
);

test("an archive that is cut off, or is none, is rejected", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const path = await zipAt(join(await aFolder(), "mails.zip"), { "a.eml": mailOf("a") });
  const bytes = await readFile(path);
  for (const content of [bytes.subarray(0, bytes.length - 30), Buffer.from("no archive"), Buffer.alloc(0)]) {
    await writeFile(path, content);
    await expect(importEml(path, target, "zip")).rejects.toThrow("is not a ZIP archive that can be read");
  }
  const damaged = Buffer.from(bytes);
  damaged.fill(0xff, 40, 60);
  await writeFile(path, damaged);
  await expect(importEml(path, target, "zip")).rejects.toThrow("cannot be read");
});

test("flags in the names of a maildir are imported and exported", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const box = await aFolder();
  for (const folder of ["tmp", "new", "cur"]) await mkdir(join(box, folder));
  await writeFile(join(box, "cur", "1795806065.M1P1.host:2,FS"), mailOf("both"));
  await writeFile(join(box, "cur", "1795806066.M1P1.host:2,DRTa"), mailOf("others"));
  await writeFile(join(box, "new", "1795806067.M1P1.host"), mailOf("none"));
  await importMaildir(box, target);
  const copy = join(await aFolder(), "copy");
  await exportMaildir(requestOf(opened.store, [target.server]), copy);
  const flagsOf = async (folder: string): Promise<readonly string[]> =>
    (await readdir(join(copy, folder))).map((name) => name.split(":")[1] ?? "").toSorted();
  expect([await flagsOf("cur"), await flagsOf("new")]).toEqual([["2,DRT", "2,FS"], [""]]);
  const again = await aTarget(opened.store);
  await importMaildir(copy, again);
  const third = join(await aFolder(), "third");
  await exportMaildir(requestOf(opened.store, [again.server]), third);
  const flags = (await readdir(join(third, "cur"))).map((name) => name.split(":")[1] ?? "");
  expect(flags.toSorted()).toEqual(["2,DRT", "2,FS"]);
});

test("folders within a maildir are imported with their names as tags, and others are named", async () => {
  await using opened = await anSqliteStore();
  const target = await aTarget(opened.store);
  const box = await aFolder();
  for (const folder of ["new", "cur", ".Sub/cur", ".Sub.Deep/new", "fs/cur", "other"]) {
    await mkdir(join(box, folder), { recursive: true });
  }
  await writeFile(join(box, ".Sub", "cur", "1795806068.M1.host:2,"), mailOf("sub"));
  await writeFile(join(box, ".Sub.Deep", "new", "1795806069.M1.host"), mailOf("deep"));
  await writeFile(join(box, "fs", "cur", "1795806070.M1.host:2,S"), mailOf("fs"));
  const { messages, skipped } = await importMaildir(box, target);
  expect(messages).toBe(3);
  expect(skipped.join("")).toMatch(/1 file or folder that is no mail: .*other/);
  const summaries = await summariesOf(opened.store, target.server);
  const marked = await opened.store.marks.readMarks(
    target.server,
    summaries.map(({ id }) => id),
  );
  const tagsOf = new Map(marked.map(({ id, marks }) => [id, marks.tags]));
  const marks = summaries.map(({ id, subject }) => [subject, tagsOf.get(id)] as const);
  expect(Object.fromEntries(marks)).toEqual({ sub: ["Sub"], deep: ["Sub/Deep"], fs: ["fs"] });
});
