/** Servers that hide what a reader deletes: by POP3 and IMAP, for that reader alone, in later and concurrent sessions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const server = "abcd1234";
const dataDir = mkdtempSync(join(tmpdir(), "restante-hidden-mails-"));
let service: LocalService;
let password: string;

async function start(): Promise<void> {
  service = await LocalService.start(["--imap-port=0", "--pop3-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: `${server}:Shop`,
  });
}

const json = async <Body>(path: string, options: RequestInit = {}): Promise<Body> =>
  (await (await service.fetch(path, key, options)).json()) as Body;
const setting = async (readerDeletion: string): Promise<unknown> =>
  json(`/api/servers/${server}`, { method: "PUT", body: JSON.stringify({ readerDeletion }) });
const send = async (...subjects: readonly string[]): Promise<void> => {
  for (const subject of subjects) await service.send(`x@${server}.restante.test`, subject);
};

beforeAll(async () => {
  await start();
  password = (await json<{ value: string }>(`/api/servers/${server}/password`)).value;
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await service.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
  await setting("hide");
});

const portOf = (listener: "IMAP" | "POP3"): number => Number(service.shown(listener).split(":").at(-1));

/** Sends a command; returns the untagged lines before its response, and that response without the tag. */
async function ask(client: LineClient, command: string): Promise<readonly string[]> {
  client.send(`t ${command}\r\n`);
  const lines: string[] = [];
  for (let line = await client.line(); line !== null; line = await client.line()) {
    if (line.startsWith("t ")) return [...lines, line.slice(2)];
    lines.push(line);
  }
  return [...lines, "closed"];
}

async function imap(secret = password): Promise<LineClient> {
  const client = await LineClient.open(portOf("IMAP"));
  await client.line();
  expect((await ask(client, `LOGIN ${server} ${secret}`)).at(-1)).toMatch(/^OK/);
  return client;
}

async function selected(secret = password): Promise<LineClient> {
  const client = await imap(secret);
  expect((await ask(client, "SELECT INBOX")).at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  return client;
}

/** Returns the subjects that a reader sees by IMAP. */
async function subjectsOf(secret = password): Promise<readonly string[]> {
  await using client = await selected(secret);
  const lines = await ask(client, "FETCH 1:* BODY.PEEK[HEADER.FIELDS (SUBJECT)]");
  return lines.flatMap((line) => /^Subject: (.*)$/.exec(line)?.[1] ?? []);
}

async function pop3(secret: string, ...commands: readonly string[]): Promise<readonly (string | null)[]> {
  await using client = await LineClient.open(portOf("POP3"));
  await client.line();
  const answers = [];
  for (const command of [`USER ${server}`, `PASS ${secret}`, ...commands]) answers.push(await client.ask(command));
  return answers.slice(2);
}

/** Waits for the next untagged response of IDLE that is no keep-alive. */
async function nextOf(client: LineClient): Promise<string | null> {
  for (;;) {
    const line = await client.line();
    if (line === null || !line.startsWith("* OK")) return line;
  }
}

describe("a server that hides what readers delete", () => {
  test("hides messages from the POP3 reader that deletes them, for good, and from nobody else", async () => {
    await send("first", "second", "third");
    expect(await pop3(password, "DELE 1", "DELE 3", "QUIT")).toEqual([
      expect.stringMatching(/^\+OK/),
      expect.stringMatching(/^\+OK/),
      "+OK Bye",
    ]);
    expect((await pop3(password, "STAT"))[0]).toMatch(/^\+OK 1 /);
    expect((await pop3(key, "STAT"))[0]).toMatch(/^\+OK 3 /);
    expect(await subjectsOf()).toEqual(["second"]);
    expect(await subjectsOf(key)).toEqual(["first", "second", "third"]);
    expect(new Set(await service.subjects(server, key))).toEqual(new Set(["first", "second", "third"]));
    expect(await json("/api/audit?itemsPerPage=1")).toMatchObject([
      {
        action: "message.delete_by_reader",
        key: `password of ${server}`,
        server,
        target: null,
        details: { protocol: "POP3", hidden: 2 },
      },
    ]);
    await service.stop();
    await start();
    expect((await pop3(password, "STAT"))[0]).toMatch(/^\+OK 1 /);
    // The setting decides about deletions, not about what was hidden before.
    await setting("delete");
    expect(await subjectsOf()).toEqual(["second"]);
  });

  test("shows hidden messages neither in marks nor in lists of the API", async () => {
    await send("a");
    await pop3(password, "DELE 1", "QUIT");
    const [marked] = await json<readonly { readonly id: string }[]>(`/api/servers/${server}/marks`);
    expect(Object.keys(marked ?? {}).toSorted()).toEqual(["flags", "id", "sequence", "tags"]);
    expect(await json(`/api/messages/${marked?.id ?? ""}/marks`)).toEqual({ flags: [], tags: [] });
  });

  test("hides from every session of the reader that expunges, and keeps UIDs, counts and numbers of the others", async () => {
    await send("a", "b", "c");
    await using reader = await selected();
    await using twin = await selected();
    await using idler = await selected();
    await using other = await selected(key);
    const uids = (await ask(other, "UID SEARCH ALL"))[0]?.split(" ").slice(2) ?? [];
    idler.send("i IDLE\r\n");
    expect(await idler.line()).toBe("+ idling");
    expect(await ask(reader, String.raw`STORE 2 +FLAGS (\Deleted)`)).toEqual([
      expect.stringMatching(/^\* 2 FETCH \(FLAGS \(\\Deleted/),
      "OK STORE completed",
    ]);
    expect(await ask(reader, "EXPUNGE")).toEqual(["* 2 EXPUNGE", "OK EXPUNGE completed"]);
    expect(await nextOf(idler)).toBe("* 2 EXPUNGE");
    // RFC 9051 section 7.5.1: no EXPUNGE during FETCH by numbers, so the message is still there.
    expect((await ask(twin, "FETCH 2 RFC822.SIZE"))[0]).toMatch(/^\* 2 FETCH /);
    expect(await ask(twin, "NOOP")).toContain("* 2 EXPUNGE");
    expect((await ask(other, "NOOP")).join("\n")).not.toContain("EXPUNGE");
    expect((await ask(twin, "UID SEARCH ALL"))[0]).toBe(`* SEARCH ${uids[0]} ${uids[2]}`);
    expect((await ask(other, "UID SEARCH ALL"))[0]).toBe(`* SEARCH ${uids.join(" ")}`);
    expect(await ask(twin, `UID FETCH ${uids[1]} FLAGS`)).toEqual(["OK FETCH completed"]);
    expect((await ask(twin, "UID SEARCH SUBJECT b"))[0]).toBe("* SEARCH");
    await send("d");
    expect(await ask(twin, "NOOP")).toContain("* 3 EXISTS");
    expect(await ask(other, "NOOP")).toContain("* 4 EXISTS");
    await using later = await imap();
    expect(await ask(later, "SELECT INBOX")).toContain("* 3 EXISTS");
    expect(await subjectsOf()).toEqual(["a", "c", "d"]);
  });

  test("counts what the reader sees in STATUS", async () => {
    await send("a", "b", "c");
    await using reader = await selected();
    await using other = await imap(key);
    const status = async (client: LineClient): Promise<string | undefined> =>
      (await ask(client, "STATUS INBOX (MESSAGES UNSEEN RECENT DELETED UIDNEXT UIDVALIDITY)"))[0];
    const size = async (client: LineClient): Promise<number> =>
      Number(/SIZE (\d+)/.exec((await ask(client, "STATUS INBOX (SIZE)"))[0] ?? "")?.[1]);
    await ask(reader, String.raw`STORE 1 +FLAGS.SILENT (\Seen \Deleted)`);
    await ask(reader, String.raw`STORE 2 +FLAGS.SILENT (\Deleted)`);
    await ask(reader, "EXPUNGE");
    expect(await status(reader)).toMatch(/MESSAGES 1 UNSEEN 1 RECENT 0 DELETED 0 UIDNEXT/);
    expect(await status(other)).toMatch(/MESSAGES 3 UNSEEN 2 RECENT 0 DELETED 0 UIDNEXT/);
    const validity = (line = ""): string | undefined => /UIDVALIDITY \d+/.exec(line)?.[0];
    expect(validity(await status(reader))).toBe(validity(await status(other)));
    expect(await size(reader)).toBeLessThan(await size(other));
  });

  test("keeps the flag Deleted in the session that sets it, so that no other reader expunges by it", async () => {
    await send("a", "b");
    await using reader = await imap();
    const opened = await ask(reader, "SELECT INBOX");
    expect(opened.find((line) => line.includes("PERMANENTFLAGS"))).not.toContain(String.raw`\Deleted`);
    await ask(reader, String.raw`STORE 1:2 FLAGS.SILENT (\Flagged \Deleted)`);
    await ask(reader, String.raw`UID STORE 1:* -FLAGS.SILENT (\Answered)`);
    await ask(reader, String.raw`STORE 2 -FLAGS.SILENT (\Deleted)`);
    expect((await ask(reader, "SEARCH DELETED"))[0]).toBe("* SEARCH 1");
    expect((await ask(reader, "SEARCH UNDELETED FLAGGED"))[0]).toBe("* SEARCH 2");
    expect(await ask(reader, "FETCH 1:2 FLAGS")).toEqual([
      expect.stringContaining(String.raw`\Deleted`),
      expect.not.stringContaining(String.raw`\Deleted`),
      "OK FETCH completed",
    ]);
    await using other = await selected(key);
    expect((await ask(other, "FETCH 1:2 FLAGS")).join("\n")).not.toContain(String.raw`\Deleted`);
    expect(await ask(other, "EXPUNGE")).toEqual(["OK EXPUNGE completed"]);
    expect(await ask(reader, "CLOSE")).toEqual(["OK CLOSE completed"]);
    expect(await ask(reader, "SELECT INBOX")).toContain("* 1 EXISTS");
    expect(await subjectsOf(key)).toEqual(["a", "b"]);
  });

  test("reports hidden messages once by mod-sequences", async () => {
    await send("a", "b");
    await using reader = await imap();
    const highest = (lines: readonly string[]): number => Number(/HIGHESTMODSEQ (\d+)/.exec(lines.join("\n"))?.[1]);
    const before = highest(await ask(reader, "SELECT INBOX (CONDSTORE)"));
    await using twin = await selected();
    await ask(twin, String.raw`STORE 1:2 +FLAGS (\Seen)`);
    await ask(twin, String.raw`STORE 1 +FLAGS (\Deleted)`);
    await ask(twin, "UID EXPUNGE 1:*");
    expect(await ask(reader, "NOOP")).toEqual([
      "* 1 EXPUNGE",
      expect.stringMatching(/^\* 1 FETCH \(UID \d+ FLAGS \(\\Seen .*MODSEQ/),
      "OK Completed",
    ]);
    expect(await ask(reader, `UID FETCH 1:* FLAGS (CHANGEDSINCE ${before})`)).toHaveLength(2);
    await using later = await imap();
    expect(highest(await ask(later, "SELECT INBOX (CONDSTORE)"))).toBeGreaterThan(before);
    expect((await ask(later, `SEARCH MODSEQ ${before + 1}`))[0]).toMatch(/^\* SEARCH 1 \(MODSEQ \d+\)$/);
  });

  test("moves a message away from the reader alone, and shows the copy to all", async () => {
    await send("a");
    await using reader = await selected();
    const lines = await ask(reader, "MOVE 1 Sent");
    expect(lines).toEqual([expect.stringMatching(/^\* OK \[COPYUID /), "* 1 EXPUNGE", "OK MOVE completed"]);
    expect(await subjectsOf()).toEqual([]);
    expect(await subjectsOf(key)).toEqual(["a"]);
    await using other = await imap(key);
    expect(await ask(other, "SELECT Sent")).toContain("* 1 EXISTS");
    expect(await ask(reader, "SELECT Sent")).toContain("* 1 EXISTS");
  });

  test("knows a key whose secret was rotated, and takes each other key for another reader", async () => {
    const create = { method: "POST", body: JSON.stringify({ server, name: "poller" }) };
    const poller = await json<{ id: string; key: string }>("/api/keys", create);
    await send("a");
    await pop3(poller.key, "DELE 1", "QUIT");
    const rotated = await json<{ key: string }>(`/api/keys/${poller.id}/rotate`, { method: "POST", body: "{}" });
    expect(await subjectsOf(rotated.key)).toEqual([]);
    expect(await subjectsOf((await json<{ key: string }>("/api/keys", create)).key)).toEqual(["a"]);
  });
});
