/** Export and import of mbox and maildir. */
import { mkdir, readdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeMessageId, encodeMessageId, newServerId, type MessageId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import type { Summary } from "../../src/core/message.ts";
import { exportMaildir, exportMboxToFile } from "../../src/transfer/export-mail.ts";
import { importMaildir, importMbox, type MailTarget } from "../../src/transfer/import-mail.ts";
import { recordEmail } from "../../src/operations/services/reading/email-record.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import { decodeDetail } from "../../src/operations/services/reading/stored-detail.ts";
import { recordSms } from "../../src/operations/services/reading/sms-record.ts";
import type { Store } from "../../src/store/store.ts";
import { epochMs } from "./content.ts";
import { aFolder, anSqliteStore, requestOf, unwatched } from "./stores.ts";
import { codePoint } from "../../src/testing/code-point.test-aid.ts";

async function aServer(store: Store): Promise<ServerId> {
  const id = newServerId();
  await store.createServer({ id, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  return id;
}

interface CarriedBytes {
  readonly raw: Uint8Array;
  readonly mailFrom?: string;
}

async function addMail(store: Store, id: MessageId, { raw, mailFrom = "a@x.test" }: CarriedBytes): Promise<void> {
  const mail = { raw, envelope: { mailFrom, rcptTo: [] }, session: null };
  await store.addMessages([recordEmail(id, mail, readEmail(raw, defaultLimits))]);
}

const idAt = (server: ServerId, ms: number, direction: "Received" | "Sent" = "Received"): MessageId =>
  encodeMessageId({ server, direction, receivedAt: epochMs + ms, random: 5 });

const targetOf = (store: Store, server: ServerId): MailTarget => ({
  store,
  server,
  readEmail: (raw) => readEmail(raw, defaultLimits),
  mailBytesMax: 100_000,
  progress: unwatched,
});

async function importBox(
  target: Pick<MailTarget, "store" | "server">,
  box: string | Uint8Array,
  chunkBytes = 1000,
): Promise<number[]> {
  const bytes = Buffer.from(box as string, "latin1");
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    await Promise.resolve();
  };
  const { messages, existing } = await importMbox(chunks(), targetOf(target.store, target.server));
  return [messages, existing];
}

/** Oldest first. */
async function mailsOf(store: Store, server: ServerId): Promise<readonly { id: MessageId; at: string; raw: string }[]> {
  const mails = [];
  for (const direction of ["Received", "Sent"] as const) {
    const page = { page: 0, itemsPerPage: 1000, receivedAfter: null, direction, afterSequence: null };
    const { json } = await store.listMessages(server, page);
    const summaries = JSON.parse(`[${Buffer.from(json).toString()}]`) as readonly Summary[];
    for (const { id, received } of summaries.toReversed()) {
      mails.push({ id, at: received, raw: Buffer.from((await store.getRaw(id)) ?? []).toString("latin1") });
    }
  }
  return mails;
}

/** Messages as received by SMTP: lines that end with CRLF and contain no other CR or LF. */
const lines = fc.oneof(
  fc.constantFrom(
    "From ",
    "From me to you",
    ">From x",
    ">>From y",
    "From a@b.c Fri Nov 20 10:42:07 2026",
    "",
    ">",
    " From",
    "Subject: x",
  ),
  fc.string({ unit: codePoint, maxLength: 40 }).map((text) =>
    Buffer.from(text)
      .toString("latin1")
      .replaceAll(/[\r\n]/g, ""),
  ),
);
const raws = fc.array(lines, { minLength: 1, maxLength: 12 }).map((all) => all.map((line) => `${line}\r\n`).join(""));

describe("an mbox", () => {
  test("restores bytes, order and timestamps in seconds of any messages", async () => {
    await using opened = await anSqliteStore();
    const { store } = opened;
    const folder = await aFolder();
    let run = 0;
    const property = fc.asyncProperty(
      fc.array(raws, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 300 }),
      async (mails, chunkBytes) => {
        const [from, to] = [await aServer(store), await aServer(store)];
        for (const [at, raw] of mails.entries())
          await addMail(store, idAt(from, at * 400), { raw: Buffer.from(raw, "latin1") });
        const file = join(folder, `${(run += 1)}.mbox`);
        await exportMboxToFile(requestOf(store, [from]), file);
        const box = await readFile(file);
        expect(await importBox({ store, server: to }, box, chunkBytes)).toEqual([mails.length, 0]);
        const back = await mailsOf(store, to);
        expect(back.map(({ raw }) => raw)).toEqual(mails);
        const wanted = await mailsOf(store, from);
        for (const [at, one] of back.entries())
          expect(Math.abs(Date.parse(one.at) - Date.parse(wanted[at]?.at ?? ""))).toBeLessThan(1000);
        expect(await importBox({ store, server: to }, box)).toEqual([0, mails.length]);
        expect(await mailsOf(store, to)).toEqual(back);
      },
    );
    await fc.assert(property, { numRuns: 20 });
  });

  test("has separators, quoting and line endings as in RFC 4155 and mboxrd", async () => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    await addMail(opened.store, idAt(server, 0), {
      raw: Buffer.from("Subject: a\r\n\r\nFrom b\r\n>From c\r\n"),
      mailFrom: "",
    });
    await addMail(opened.store, idAt(server, 1e9), { raw: Buffer.from("Subject: d"), mailFrom: "ü@x.test" });
    const text = recordSms(idAt(server, 5), { from: "+447700900001", to: "+447700900002", text: "hi" });
    await opened.store.addMessages([text]);
    const file = join(await aFolder(), "a.mbox");
    expect(await exportMboxToFile(requestOf(opened.store), file)).toMatchObject({ messages: 2, smsOmitted: 1 });
    expect(await readFile(file, "utf8")).toBe(
      "From MAILER-DAEMON Fri Nov 20 10:42:07 2026\nSubject: a\n\n>From b\n>>From c\n\n" +
        "From - Wed Dec  2 00:28:47 2026\nSubject: d\n\n",
    );
    expect(await readdir(join(file, ".."))).toEqual(["a.mbox"]);
    await expect(exportMboxToFile(requestOf(opened.store), file)).rejects.toThrow("an export never overwrites");
  });

  test("spaces messages of one second a millisecond apart, and a repeated import adds only new ones", async () => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    const mail = "From a@x.test Thu Jan  1 00:00:09 1970\nSubject: same\n\nbody\n\n";
    expect(await importBox({ store: opened.store, server }, mail.repeat(3))).toEqual([3, 0]);
    expect(await importBox({ store: opened.store, server }, mail.repeat(5))).toEqual([2, 3]);
    const times = (await mailsOf(opened.store, server)).map(({ at }) => at.slice(17, -1));
    expect(times).toEqual(["09.000", "09.001", "09.002", "09.003", "09.004"]);
    const [first] = await mailsOf(opened.store, server);
    const detail = decodeDetail((await opened.store.getDetail(first?.id as MessageId)) ?? new Uint8Array());
    expect(detail.message.metadata).toMatchObject({ mailFrom: "a@x.test", rcptTo: [] });
  });

  test.each([
    ["From - Fri Nov 20 10:42:07 2026", "2026-11-20T10:42:07.000Z"],
    ["From 1234@xxx Fri Nov 20 10:42:07 +0100 2026", "2026-11-20T09:42:07.000Z"],
    ["From a b c Fri Nov  6 10:42 2026", "2026-11-06T10:42:00.000Z"],
    ["From a@b.c Fri Nov 20 10:42:07 GMT 2026", "2026-11-20T10:42:07.000Z"],
    ["From a@b.c Fri Nov 20 10:42:07 2026 -0500\r", "2026-11-20T15:42:07.000Z"],
  ])("reads an mbox from another program that begins with %j", async (separator, at) => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    await importBox({ store: opened.store, server }, `${separator}\nSubject: x\n\n\nFrom here on there is text\n\n`);
    expect(await mailsOf(opened.store, server)).toMatchObject([
      { at, raw: "Subject: x\r\n\r\n\r\nFrom here on there is text\r\n" },
    ]);
  });

  test.each([
    ["Subject: no mbox\n", "line 1: not an mbox, which begins with a line such as"],
    ["\n\nFrom nobody\n", "line 3: not an mbox"],
    [
      `From a@b.c Fri Nov 20 10:42:07 2026\n${"x\n".repeat(60_000)}`,
      "line 1: the mail that begins here has more than 100000 bytes",
    ],
    [`From a@b.c Fri Nov 20 10:42:07 2026\n${"x".repeat(100_001)}\n`, "line 2 has more than 100000 bytes"],
  ])("rejects an invalid or too large mbox with the line", async (box, expected) => {
    await using opened = await anSqliteStore();
    await expect(importBox({ store: opened.store, server: await aServer(opened.store) }, box)).rejects.toThrow(
      expected,
    );
  });

  test("resumes an interrupted export from its state file", async () => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    for (let at = 0; at < 40; at += 1) {
      await addMail(opened.store, idAt(server, at), {
        raw: Buffer.from(`Subject: ${at}\r\n\r\n${"x".repeat(700_000)}\r\n`),
      });
    }
    const folder = await aFolder();
    const [whole, file] = [join(folder, "whole.mbox"), join(folder, "part.mbox")];
    await exportMboxToFile(requestOf(opened.store), whole);
    let count = 0;
    const advance = ({ messages = 0 }: { readonly messages?: number }): void => {
      count += messages;
      if (count === 35) throw new Error("killed");
    };
    const request = { ...requestOf(opened.store), progress: { expect: () => undefined, advance } };
    await expect(exportMboxToFile(request, file)).rejects.toThrow("killed");
    expect(JSON.parse(await readFile(`${file}.unfinished`, "utf8"))).toMatchObject({ server, mails: 24 });
    await writeFile(file, "torn", { flag: "a" });
    expect(await exportMboxToFile(requestOf(opened.store), file)).toMatchObject({ messages: 16, existing: 24 });
    expect((await readFile(file)).equals(await readFile(whole))).toBe(true);
    expect((await readdir(folder)).toSorted()).toEqual(["part.mbox", "whole.mbox"]);
    await truncate(file, 0);
    await writeFile(`${file}.unfinished`, "{}");
    await expect(exportMboxToFile(requestOf(opened.store), file)).rejects.toThrow("is not a valid progress file");
  });

  test("contains the messages of one server", async () => {
    await using opened = await anSqliteStore();
    const [one, two] = [await aServer(opened.store), await aServer(opened.store)];
    const file = join(await aFolder(), "a.mbox");
    for (const servers of [null, [one, two]]) {
      await expect(exportMboxToFile(requestOf(opened.store, servers), file)).rejects.toThrow(
        "mbox and maildir contain the mail of one server; select it with --server",
      );
    }
    await expect(importBox({ store: opened.store, server: newServerId() }, "")).rejects.toThrow("There is no server");
  });
});

describe("a maildir", () => {
  test("restores ids, directions and bytes to the same or another server, and resumes", async () => {
    await using first = await anSqliteStore();
    await using second = await anSqliteStore();
    const server = await aServer(first.store);
    const other = await aServer(second.store);
    await second.store.createServer({ id: server, name: "", password: "p", createdAt: epochMs, expiresAt: null });
    for (let at = 0; at < 9; at += 1) {
      const id = idAt(server, at * 123, at % 3 === 0 ? "Sent" : "Received");
      await addMail(first.store, id, { raw: Buffer.from(`Subject: ${at}\r\n\r\nFrom x\r\n`) });
    }
    const box = join(await aFolder(), "box");
    expect(await exportMaildir(requestOf(first.store), box)).toMatchObject({ messages: 9, existing: 0 });
    const [name = ""] = await readdir(join(box, "new"));
    expect(Math.round((await stat(join(box, "new", name))).mtimeMs)).toBeGreaterThan(epochMs - 1);
    // A user reads one message and deletes another.
    await rename(join(box, "new", name), join(box, "cur", `${name}:2,RS`));
    await rm(join(box, "new", (await readdir(join(box, "new")))[0] ?? ""));
    await writeFile(join(box, "tmp", "torn"), "half");
    expect(await exportMaildir(requestOf(first.store), box)).toMatchObject({ messages: 1, existing: 8 });
    expect(await importMaildir(box, targetOf(second.store, server))).toMatchObject({ messages: 9, existing: 0 });
    expect(await mailsOf(second.store, server)).toEqual(await mailsOf(first.store, server));
    expect(await importMaildir(box, targetOf(second.store, server))).toMatchObject({ messages: 0, existing: 9 });
    await importMaildir(box, targetOf(second.store, other));
    const result = (await mailsOf(second.store, other)).map(({ id }) => ({ ...decodeMessageId(id), server }));
    expect(result).toEqual((await mailsOf(first.store, server)).map(({ id }) => decodeMessageId(id)));
  });

  test("imports a maildir from another program, with the time from the file name, the Date field or the file", async () => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    const box = await aFolder();
    for (const folder of ["tmp", "new", "cur"]) await mkdir(join(box, folder));
    const write = async (name: string, text: string): Promise<void> => writeFile(join(box, name), text);
    await write("cur/1700000000.M123456P1.host,S=9:2,S", "Subject: a\n\nb\n");
    await write("new/1700000001.2.host", "Subject: c\r\n\r\nd");
    await write("new/odd-name", "Date: Fri, 20 Nov 2026 10:42:07 +0200 (EET)\nSubject: e\n\n");
    await write("new/no-date", "Subject: f\n\n");
    await utimes(join(box, "new/no-date"), 1_600_000_000, 1_600_000_000);
    await write("new/.hidden", "x");
    const expected = [
      { at: "2020-09-13T12:26:40.000Z", raw: "Subject: f\r\n\r\n" },
      { at: "2023-11-14T22:13:20.123Z", raw: "Subject: a\r\n\r\nb\r\n" },
      { at: "2023-11-14T22:13:21.000Z", raw: "Subject: c\r\n\r\nd" },
      { at: "2026-11-20T08:42:07.000Z", raw: "Date: Fri, 20 Nov 2026 10:42:07 +0200 (EET)\r\nSubject: e\r\n\r\n" },
    ];
    expect(await importMaildir(box, targetOf(opened.store, server))).toMatchObject({ messages: 4 });
    const mails = await mailsOf(opened.store, server);
    expect(mails).toMatchObject(expected);
    await rename(join(box, "new/1700000001.2.host"), join(box, "cur/1700000001.2.host:2,FS"));
    expect(await importMaildir(box, targetOf(opened.store, server))).toMatchObject({ messages: 0, existing: 4 });
    expect(await mailsOf(opened.store, server)).toEqual(mails);
  });

  test("is rejected for a non-empty target, a missing source, or an oversized message", async () => {
    await using opened = await anSqliteStore();
    const server = await aServer(opened.store);
    const folder = await aFolder();
    await writeFile(join(folder, "letter"), "");
    await expect(exportMaildir(requestOf(opened.store), folder)).rejects.toThrow("is not a maildir");
    await expect(importMaildir(folder, targetOf(opened.store, server))).rejects.toThrow("is not a maildir");
    const box = join(folder, "box");
    await exportMaildir(requestOf(opened.store), box);
    await writeFile(join(box, "new", "1.2.x"), Buffer.alloc(100_001));
    await expect(importMaildir(box, targetOf(opened.store, server))).rejects.toThrow(
      "1.2.x has more than 100000 bytes",
    );
  });
});
