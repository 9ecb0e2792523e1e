/** Rules of IMAP that clients depend on, each with a mail of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const server = "abcd1234";
const dataDir = mkdtempSync(join(tmpdir(), "restante-imap-rules-"));
let service: LocalService;
let password: string;
let port: number;

beforeAll(async () => {
  service = await LocalService.start(["--imap-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: `${server}:Shop`,
  });
  port = Number(service.shown("IMAP").split(":").at(-1));
  password = ((await (await service.fetch(`/api/servers/${server}/password`, key)).json()) as { value: string }).value;
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await service.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
});

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

async function signedIn(): Promise<LineClient> {
  const client = await LineClient.open(port);
  await client.line();
  expect((await ask(client, `LOGIN ${server} ${password}`)).at(-1)).toMatch(/^OK/);
  return client;
}

async function selected(): Promise<LineClient> {
  const client = await signedIn();
  expect((await ask(client, "SELECT INBOX")).at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  return client;
}

/** Stores a mail without flags; returns its UID. */
async function append(client: LineClient, mail: string): Promise<number> {
  const [, uid] =
    /APPENDUID \d+ (\d+)/.exec((await ask(client, `APPEND INBOX {${mail.length}+}\r\n${mail}`)).at(-1) ?? "") ?? [];
  return Number(uid);
}

const modSeqOf = (line: string | undefined): number => Number(/MODSEQ \(?(\d+)/.exec(line ?? "")?.[1]);

test("a server that refuses deletion keeps its messages, whichever command deletes", async () => {
  const setting = async (readerDeletion: string): Promise<void> => {
    const body = JSON.stringify({ readerDeletion });
    expect((await service.fetch(`/api/servers/${server}`, key, { method: "PUT", body })).status).toBe(200);
  };
  const deletions = [
    String.raw`STORE 1 +FLAGS (\Deleted)`,
    String.raw`UID STORE 1:* FLAGS.SILENT (\Seen \Deleted)`,
    "EXPUNGE",
    "UID EXPUNGE 1:*",
    "MOVE 1 Sent",
    "UID MOVE 1:* Sent",
  ];
  await using former = await selected();
  await append(former, "Subject: kept\r\n\r\nText\r\n");
  expect((await ask(former, String.raw`STORE 1 +FLAGS (\Deleted)`)).at(-1)).toMatch(/^OK/);
  await setting("refuse");
  for (const command of ["EXPUNGE", "MOVE 1 Sent", "CLOSE"]) {
    expect((await ask(former, command)).at(-1)).toMatch(/^NO \[NOPERM\] .*readerDeletion/);
  }
  await using client = await signedIn();
  const opened = await ask(client, "SELECT INBOX");
  const permanent = opened.find((line) => line.includes("PERMANENTFLAGS")) ?? "";
  expect(permanent).toContain(String.raw`\Seen`);
  expect(permanent).not.toContain(String.raw`\Deleted`);
  expect(opened.at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  for (const command of deletions) {
    expect((await ask(client, command)).at(-1)).toMatch(/^NO \[CANNOT\] .*readerDeletion/);
  }
  expect((await ask(client, String.raw`STORE 1 +FLAGS (\Seen)`)).at(-1)).toMatch(/^OK/);
  expect((await ask(client, "CLOSE")).at(-1)).toMatch(/^OK/);
  expect(await service.subjects(server, key)).toEqual(["kept"]);
  await setting("delete");
  await ask(client, "SELECT INBOX");
  expect((await ask(client, "EXPUNGE")).at(-1)).toMatch(/^OK/);
  expect(await service.subjects(server, key)).toEqual([]);
  const entries: unknown = await (await service.fetch("/api/audit?itemsPerPage=1", key)).json();
  const details = { protocol: "IMAP", deleted: 1 };
  expect(entries).toMatchObject([
    { action: "message.delete_by_reader", key: `password of ${server}`, server, details },
  ]);
});

describe("an IMAP session", () => {
  test("reports the mod-sequence of a message that FETCH marks as seen, also when flags are fetched", async () => {
    await using client = await selected();
    const uid = await append(client, "Subject: a\r\n\r\nText\r\n");
    await ask(client, "FETCH 1 MODSEQ");
    const [line] = await ask(client, "FETCH 1 (FLAGS BODY[TEXT]<0.1>)");
    expect(line).toMatch(/^\* 1 FETCH \(FLAGS \(.Seen .Recent\) BODY\[TEXT\]<0> \{1\}$/);
    const rest = (await ask(client, "FETCH 1 (MODSEQ)"))[0];
    expect(modSeqOf(rest)).toBeGreaterThan(uid);
    await ask(client, String.raw`STORE 1 -FLAGS.SILENT (\Seen)`);
    const answer = (await ask(client, "FETCH 1 (FLAGS BODY[TEXT]<0.1>)")).join("\n");
    expect(answer).toMatch(/T MODSEQ \(\d+\)\)\nOK/);
    expect(modSeqOf(answer)).toBeGreaterThan(modSeqOf(rest));
  });

  test("reports the mod-sequence of the ends of a search that returns the ends only", async () => {
    await using client = await selected();
    const uids = [];
    for (const subject of ["a", "b", "c"]) uids.push(await append(client, `Subject: ${subject}\r\n\r\nText\r\n`));
    await ask(client, String.raw`STORE 2 +FLAGS.SILENT (\Flagged)`);
    const changed = modSeqOf((await ask(client, "FETCH 2 MODSEQ"))[0]);
    const found = async (returns: string): Promise<number> =>
      modSeqOf((await ask(client, `SEARCH RETURN (${returns}) MODSEQ 1`))[0]);
    expect([await found("MIN"), await found("MAX"), await found("MIN MAX")]).toEqual([uids[0], uids[2], uids[2]]);
    expect([await found("MIN COUNT"), await found("ALL"), await found("")]).toEqual([changed, changed, changed]);
  });

  test("reports no flags of a message that was deleted before STORE", async () => {
    await using client = await selected();
    await append(client, "Subject: a\r\n\r\nText\r\n");
    await append(client, "Subject: b\r\n\r\nText\r\n");
    await ask(client, "FETCH 1:2 MODSEQ");
    const listed = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { id: string }[];
    await service.fetch(`/api/messages/${listed.at(-1)?.id ?? ""}`, key, { method: "DELETE" });
    const answer = await ask(client, String.raw`STORE 1:2 +FLAGS (\Flagged)`);
    expect(answer).toEqual([
      expect.stringMatching(/^\* 2 FETCH \(FLAGS \(.Flagged .Recent\) MODSEQ \(\d+\)\)$/),
      "OK STORE completed",
    ]);
  });

  test("sends a section with NUL as literal8, and others as literals", async () => {
    await using client = await selected();
    await append(client, `Subject: a\r\n\r\nT\0xt${"x".repeat(100_000)}\0\r\n`);
    const labels = ["BODY.PEEK[TEXT]<0.1>", "BODY.PEEK[TEXT]<1.1>", "BODY.PEEK[TEXT]", "BODY.PEEK[HEADER]"];
    const forms = [];
    for (const label of labels) {
      const [line = ""] = await ask(client, `FETCH 1 ${label}`);
      forms.push(/(~?)\{\d+\}$/.exec(line)?.[1]);
    }
    expect(forms).toEqual(["", "~", "~", ""]);
  });

  test("lists the keywords in use when a mailbox is selected", async () => {
    await using client = await selected();
    await append(client, "Subject: a\r\n\r\nText\r\n");
    await ask(client, "STORE 1 +FLAGS ($Label1 blue)");
    const lines = await ask(client, "SELECT INBOX");
    expect(lines.find((line) => line.startsWith("* FLAGS"))).toMatch(/ \$Label1 blue\)$/);
    expect(lines.find((line) => line.includes("PERMANENTFLAGS"))).toMatch(/ \$Label1 blue \\\*\)\]/);
  });

  test("shows new messages as recent to the first session that is notified of them", async () => {
    await using writer = await signedIn();
    await append(writer, "Subject: a\r\n\r\nText\r\n");
    await using reader = await signedIn();
    expect(await ask(reader, "EXAMINE INBOX")).toContain("* 1 RECENT");
    await using first = await signedIn();
    expect(await ask(first, "SELECT INBOX")).toContain("* 1 RECENT");
    expect((await ask(writer, "STATUS INBOX (RECENT)"))[0]).toBe('* STATUS "INBOX" (RECENT 0)');
    await using second = await signedIn();
    expect(await ask(second, "SELECT INBOX")).toContain("* 0 RECENT");
    await append(writer, "Subject: b\r\n\r\nText\r\n");
    expect(await ask(first, "NOOP")).toEqual(["* 2 EXISTS", "* 2 RECENT", "OK Completed"]);
    expect(await ask(second, "NOOP")).toEqual(["* 2 EXISTS", "* 0 RECENT", "OK Completed"]);
    expect((await ask(first, "SEARCH RECENT"))[0]).toBe("* SEARCH 1 2");
    expect((await ask(second, "SEARCH OLD"))[0]).toBe("* SEARCH 1 2");
    expect((await ask(second, "FETCH 2 FLAGS"))[0]).toBe("* 2 FETCH (FLAGS ())");
    await using rev2 = await signedIn();
    await ask(rev2, "ENABLE IMAP4rev2");
    expect((await ask(rev2, "SELECT INBOX")).join("\n")).not.toMatch(/recent/i);
  });

  test("finds names of groups of recipients, and text in any header field", async () => {
    await using client = await selected();
    await append(
      client,
      "From: a@x.example\r\nTo: Old Friends: b@x.example, c@x.example;\r\nX-Campaign: Spring sale\r\n\r\nText\r\n",
    );
    await append(client, "From: friends@x.example\r\nTo: d@x.example\r\n\r\nsale\r\n");
    const found = async (criteria: string): Promise<string | undefined> => (await ask(client, `SEARCH ${criteria}`))[0];
    expect(await found('TO "old fri"')).toBe("* SEARCH 1");
    expect(await found("NOT TO friends")).toBe("* SEARCH 2");
    expect(await found("TEXT spring")).toBe("* SEARCH 1");
    expect(await found("TEXT sale")).toBe("* SEARCH 1 2");
    expect(await found("TEXT winter")).toBe("* SEARCH");
  });

  test("shows source routes in the envelope", async () => {
    await using client = await selected();
    await append(client, "From: Ann <@a.example, @b.example : ann@c.example>\r\nTo: bob@x.example\r\n\r\nText\r\n");
    expect((await ask(client, "FETCH 1 ENVELOPE"))[0]).toContain('(("Ann" "@a.example,@b.example" "ann" "c.example"))');
  });

  test("sorts and threads the messages that a search finds", async () => {
    await using client = await selected();
    const mails = [
      "Subject: Re: Lunch\r\nDate: Fri, 2 Jan 2026 10:00:00 +0000\r\nFrom: Zoe <zoe@x.example>\r\nMessage-ID: <2@x>\r\nIn-Reply-To: <1@x>\r\n\r\nlonger text\r\n",
      "Subject: Lunch\r\nDate: Fri, 2 Jan 2026 10:30:00 +0200\r\nFrom: Adam <adam@x.example>\r\nMessage-ID: <1@x>\r\n\r\na\r\n",
      "Subject: another\r\nDate: Thu, 1 Jan 2026 10:00:00 +0000\r\nFrom: Bob <Bob@x.example>\r\nMessage-ID: <3@x>\r\n\r\nb\r\n",
    ];
    for (const mail of mails) await append(client, mail);
    const answer = async (command: string): Promise<string | undefined> => (await ask(client, command))[0];
    expect((await ask(client, "CAPABILITY"))[0]).toMatch(/ SORT .*THREAD=REFERENCES/);
    expect(await answer("SORT (DATE) UTF-8 ALL")).toBe("* SORT 3 2 1");
    expect(await answer("SORT (REVERSE DATE) US-ASCII ALL")).toBe("* SORT 1 2 3");
    expect(await answer("SORT (SUBJECT REVERSE ARRIVAL) UTF-8 ALL")).toBe("* SORT 3 2 1");
    expect(await answer("SORT (FROM) UTF-8 NOT SUBJECT another")).toBe("* SORT 2 1");
    expect(await answer("SORT (REVERSE SIZE) UTF-8 ALL")).toBe("* SORT 1 2 3");
    expect(await answer("SORT (DATE) UTF-8 SUBJECT none")).toBe("* SORT");
    expect(await answer("THREAD REFERENCES UTF-8 ALL")).toBe("* THREAD (3)(2 1)");
    expect(await answer("THREAD ORDEREDSUBJECT UTF-8 ALL")).toBe("* THREAD (3)(2 1)");
    expect(await answer("UID SORT (DATE) UTF-8 ALL")).toMatch(/^\* SORT \d+ \d+ \d+$/);
    expect(await answer("UID THREAD REFERENCES UTF-8 SUBJECT none")).toBe("* THREAD");
    for (const wrong of [
      "SORT () UTF-8 ALL",
      "SORT (REVERSE) UTF-8 ALL",
      "SORT (X) UTF-8 ALL",
      "THREAD X UTF-8 ALL",
      "SORT (DATE)",
    ]) {
      expect(await answer(wrong)).toMatch(/^BAD/);
    }
    expect(await answer("SORT (DATE) KOI8-R ALL")).toMatch(/^NO \[BADCHARSET/);
  });

  test("says why it has no other mailboxes", async () => {
    await using client = await signedIn();
    for (const command of ["CREATE a", "DELETE Sent", "RENAME INBOX a"]) {
      expect(await ask(client, command)).toEqual([
        expect.stringMatching(/^NO \[CANNOT\] Mailboxes follow from the direction/),
      ]);
    }
  });
});
