/** IMAP over real sockets: imapflow, imaplib and hand-written commands read, mark, store and delete the mail of a server. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const server = "abcd1234";
const dataDir = mkdtempSync(join(tmpdir(), "restante-imap-"));
const hasPython = spawnSync("python3", ["-c", "import imaplib"]).status === 0;
let service: LocalService;
let password: string;
let port: number;

beforeAll(async () => {
  service = await LocalService.start(["--imap-port=0", "--imaps-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: `${server}:Shop,wxyz9876:Other`,
    RESTANTE_NUMBERS: `+15550001111:${server}`,
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

interface Listed {
  readonly id: string;
  readonly subject: string;
}

const listed = async (): Promise<readonly Listed[]> =>
  (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as Listed[];
const send = async (subject: string): Promise<void> => service.send(`x@${server}.restante.test`, subject);
const marksOf = async (id: string): Promise<{ readonly flags: readonly string[]; readonly tags: readonly string[] }> =>
  (await (await service.fetch(`/api/messages/${id}/marks`, key)).json()) as {
    flags: readonly string[];
    tags: readonly string[];
  };

/** Sends a command; returns the untagged lines before its response, and that response without the tag. */
async function ask(client: LineClient, command: string): Promise<readonly string[]> {
  client.send(`t ${command}\r\n`);
  return await responses(client);
}

async function responses(client: LineClient): Promise<readonly string[]> {
  const lines: string[] = [];
  for (;;) {
    const line = await client.line();
    if (line === null) return [...lines, "closed"];
    if (line.startsWith("t ")) return [...lines, line.slice(2)];
    lines.push(line);
  }
}

async function open(user = server, pass = password): Promise<LineClient> {
  const client = await LineClient.open(port);
  expect(await client.line()).toMatch(/^\* OK \[CAPABILITY IMAP4rev1 /);
  expect((await ask(client, `LOGIN ${user} "${pass}"`)).at(-1)).toMatch(/^OK/);
  return client;
}

async function selected(mailbox = "INBOX"): Promise<LineClient> {
  const client = await open();
  expect((await ask(client, `SELECT ${mailbox}`)).at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  return client;
}

describe("imapflow", () => {
  const connect = async (): Promise<ImapFlow> => {
    const auth = { user: server, pass: password };
    const client = new ImapFlow({
      host: "127.0.0.1",
      port,
      secure: false,
      auth,
      logger: false,
      tls: { rejectUnauthorized: false },
    });
    await client.connect();
    return client;
  };

  test("signs in with STARTTLS, and lists the mailboxes with their counts", async () => {
    await send("one");
    const client = await connect();
    expect(client.secureConnection).toBe(true);
    const mailboxes = await client.list({ statusQuery: { messages: true, unseen: true, uidNext: true } });
    expect(
      mailboxes.map(({ path, specialUse, status }) => [path, specialUse, status?.messages, status?.unseen]),
    ).toEqual([
      ["INBOX", String.raw`\Inbox`, 1, 1],
      ["Sent", String.raw`\Sent`, 0, 0],
    ]);
    await client.logout();
  });

  test("reads, marks, stores, moves and deletes mail", async () => {
    await send("first");
    await send("second");
    const client = await connect();
    const inbox = await client.mailboxOpen("INBOX");
    expect(inbox).toMatchObject({ path: "INBOX", exists: 2, readOnly: false });
    const query = { uid: true, flags: true, envelope: true, size: true, bodyStructure: true, internalDate: true };
    const mails = await client.fetchAll("1:*", query);
    expect(mails.map(({ envelope, bodyStructure }) => [envelope?.subject, bodyStructure?.type])).toEqual([
      ["first", "text/plain"],
      ["second", "text/plain"],
    ]);
    const { source } = (await client.fetchOne("2", { source: true })) as { source: Buffer };
    expect(source.toString()).toBe("Subject: second\r\n\r\nHello\r\n");
    expect(source).toHaveLength(mails[1]?.size ?? 0);
    const { content } = await client.download("1", "1");
    expect(Buffer.concat(await Array.fromAsync(content as AsyncIterable<Buffer>)).toString()).toBe("Hello\r\n");

    await client.messageFlagsAdd("1", [String.raw`\Seen`, "invoice"]);
    const [second, first] = await listed();
    expect(await marksOf(first?.id ?? "")).toEqual({ flags: ["seen"], tags: ["invoice"] });
    const body = JSON.stringify({ flags: ["flagged"], tags: ["a tag", "x"] });
    await service.fetch(`/api/messages/${second?.id ?? ""}/marks`, key, { method: "PUT", body });
    await client.noop();
    expect(await client.search({ subject: "second" })).toEqual([2]);
    const flags = (await client.fetchAll("1:*", { flags: true })).map((mail) => [...(mail.flags ?? [])]);
    expect(flags).toEqual([
      [String.raw`\Seen`, "invoice"],
      [String.raw`\Flagged`, "x"],
    ]);

    const raw = "From: a@example.com\r\nSubject: appended\r\n\r\nText\r\n";
    const appended = await client.append("INBOX", raw, [String.raw`\Seen`]);
    expect(appended).toMatchObject({ destination: "INBOX", uidValidity: inbox.uidValidity });
    expect((await listed()).map(({ subject }) => subject)).toEqual(["appended", "second", "first"]);
    const uid = mails[0]?.uid ?? 0;
    const moved = await client.messageMove(`${uid}`, "Sent", { uid: true });
    expect(moved && [...(moved.uidMap?.keys() ?? [])]).toEqual([uid]);
    expect(await client.status("Sent", { messages: true, unseen: true })).toMatchObject({ messages: 1, unseen: 0 });
    await client.messageDelete("1");
    expect((await listed()).map(({ subject }) => subject)).toEqual(["appended"]);
    await client.logout();
  });

  test("is told of new mail while it idles", async () => {
    const client = await connect();
    await client.mailboxOpen("INBOX");
    const exists = Promise.withResolvers<number>();
    client.on("exists", ({ count }: { count: number }) => {
      exists.resolve(count);
    });
    const idling = client.idle();
    await send("new");
    expect(await exists.promise).toBe(1);
    await client.noop();
    await idling;
    await client.logout();
  });
});

describe.skipIf(!hasPython)(`imaplib${hasPython ? "" : " (SKIPPED: there is no python3 on this machine)"}`, () => {
  const script = `
import imaplib, sys
mailbox = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
mailbox.login("abcd1234", sys.argv[2])
_, [count] = mailbox.select()
_, [found] = mailbox.search(None, "SUBJECT", "two")
_, data = mailbox.fetch(found.split()[-1], "(RFC822)")
print(count.decode(), data[0][1].decode().splitlines()[0])
mailbox.store("1", "+FLAGS", "(\\\\Deleted)")
mailbox.expunge()
mailbox.logout()
`;
  test("finds, reads and deletes mail", async () => {
    await send("one");
    await send("two");
    const { stdout } = await promisify(execFile)("python3", ["-c", script, String(port), password]);
    expect(stdout).toBe("2 Subject: two\n");
    expect((await listed()).map(({ subject }) => subject)).toEqual(["two"]);
  });
});

describe("a session", () => {
  test("speaks IMAP4rev2 once it is enabled, and decodes parts", async () => {
    const encoded = Buffer.from("a\0b").toString("base64");
    const raw = `Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`;
    await using client = await open();
    expect(await ask(client, "ENABLE IMAP4rev2 X-OTHER")).toEqual(["* ENABLED IMAP4rev2", "OK ENABLE completed"]);
    client.send(`t APPEND INBOX {${raw.length}+}\r\n${raw}\r\n`);
    expect((await responses(client)).at(-1)).toMatch(/^OK \[APPENDUID /);
    const opened = await ask(client, "SELECT INBOX");
    expect(opened.join("\n")).not.toContain("RECENT");
    expect(opened).toContain('* LIST () "/" "INBOX"');
    expect(await ask(client, "FETCH 1 (BINARY.SIZE[1] BINARY.PEEK[1] BINARY.PEEK[1]<1.5> BINARY[7])")).toEqual([
      "* 1 FETCH (BINARY.SIZE[1] 3 BINARY[1] ~{3}",
      String.raw`a${"\0"}b BINARY[1]<1> ~{2}`,
      expect.stringContaining(`\0b BINARY[7] NIL`),
      "OK FETCH completed",
    ]);
    expect((await ask(client, "SEARCH SUBJECT x")).at(0)).toBe('* ESEARCH (TAG "t") ALL 1');
  });

  test("reports mod-sequences, and changes flags only of messages that have not changed since", async () => {
    for (const subject of ["a", "b"]) await send(subject);
    await using client = await selected();
    const status = (await ask(client, "STATUS INBOX (HIGHESTMODSEQ)")).join("");
    const highest = Number(/HIGHESTMODSEQ (\d+)/.exec(status)?.[1]);
    const [, first] = await listed();
    const body = JSON.stringify({ flags: ["seen"], tags: [] });
    await service.fetch(`/api/messages/${first?.id ?? ""}/marks`, key, { method: "PUT", body });
    expect(await ask(client, "NOOP")).toEqual([
      expect.stringMatching(`^\\* 1 FETCH \\(UID \\d+ FLAGS \\(.Seen .Recent\\) MODSEQ \\(${highest + 1}\\)\\)$`),
      "OK Completed",
    ]);
    const fetched = await ask(client, `FETCH 1:* (FLAGS) (CHANGEDSINCE ${highest})`);
    expect(fetched.at(0)).toContain(`FLAGS (\\Seen \\Recent) MODSEQ (${highest + 1})`);
    expect(fetched).toHaveLength(2);
    const stored = await ask(client, `STORE 1:2 (UNCHANGEDSINCE ${highest}) +FLAGS.SILENT (\\Flagged)`);
    expect(stored.at(-1)).toBe("OK [MODIFIED 1] STORE completed");
    expect((await ask(client, `SEARCH MODSEQ ${highest + 2}`)).at(0)).toBe(`* SEARCH 2 (MODSEQ ${highest + 2})`);
    expect((await ask(client, "FETCH 1:2 FLAGS")).slice(0, 2)).toEqual([
      String.raw`* 1 FETCH (FLAGS (\Seen \Recent))`,
      String.raw`* 2 FETCH (FLAGS (\Flagged \Recent))`,
    ]);
  });

  test("searches in what it knows of the mailbox, and saves results", async () => {
    for (const subject of ["a red fox", "a blue fox", "a red hen"]) await send(subject);
    await using client = await selected();
    expect(await ask(client, "SEARCH SUBJECT red")).toEqual(["* SEARCH 1 3", "OK SEARCH completed"]);
    expect(await ask(client, "SEARCH RETURN (SAVE COUNT) NOT SUBJECT hen")).toEqual([
      '* ESEARCH (TAG "t") COUNT 2',
      "OK SEARCH completed",
    ]);
    await ask(client, String.raw`STORE $ +FLAGS.SILENT \Flagged`);
    expect((await ask(client, "SEARCH FLAGGED BODY hello 1:*")).at(0)).toBe("* SEARCH 1 2");
    expect((await ask(client, "SEARCH CHARSET KOI8-R SUBJECT x")).at(-1)).toMatch(/^NO \[BADCHARSET/);
    expect((await ask(client, "SEARCH FROM")).at(-1)).toMatch(/^BAD/);
  });

  test("shows an SMS as a mail", async () => {
    await service.fetch("/api/sms", key, {
      method: "POST",
      body: JSON.stringify({ from: "+15550002222", to: "+15550001111", text: "Your code is 123 456" }),
    });
    await using client = await selected();
    expect((await ask(client, "FETCH 1 (ENVELOPE BODY.PEEK[TEXT])")).join("\n")).toMatch(
      /15550002222.*"sms\.invalid".*Your code is 123 456/s,
    );
  });

  test("reports deletions with the numbers that the client knows", async () => {
    for (const subject of ["a", "b", "c", "d"]) await send(subject);
    await using client = await selected();
    const [, c, b] = await listed();
    for (const one of [b, c]) await service.fetch(`/api/messages/${one?.id ?? ""}`, key, { method: "DELETE" });
    const fetched = await ask(client, "FETCH 1:4 (UID BODY.PEEK[TEXT])");
    expect(fetched.filter((line) => line.endsWith("EXPUNGE"))).toEqual([]);
    expect(fetched.filter((line) => line.includes("FETCH ("))).toHaveLength(2);
    expect(await ask(client, "NOOP")).toEqual(["* 3 EXPUNGE", "* 2 EXPUNGE", "OK Completed"]);
    expect((await ask(client, "FETCH 1:2 (BODY.PEEK[HEADER.FIELDS (Subject)])")).join("")).toMatch(
      /Subject: a.*Subject: d/s,
    );
  });

  test("keeps UIDs, which ascend, and its UIDVALIDITY when the server is emptied", async () => {
    await send("a");
    await using client = await open();
    const values = async (): Promise<readonly number[]> => {
      const lines = (await ask(client, "SELECT INBOX")).join("\n");
      return ["UIDVALIDITY", "UIDNEXT"].map((name) => Number(new RegExp(`\\[${name} (\\d+)\\]`).exec(lines)?.[1]));
    };
    const [validity, next = 0] = await values();
    await service.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
    await send("b");
    await ask(client, "NOOP");
    const uid = Number(/UID (\d+)/.exec((await ask(client, "UID FETCH 1:* UID")).at(-2) ?? "")?.[1]);
    expect(uid).toBeGreaterThanOrEqual(next);
    expect(await values()).toEqual([validity, uid + 1]);
  });

  test("sets the flag Seen only by a fetch that reads the text", async () => {
    await send("a");
    await using client = await selected();
    const [mail] = await listed();
    const flags = async () => (await marksOf(mail?.id ?? "")).flags;
    await ask(client, "FETCH 1 (FLAGS BODY.PEEK[] BODY.PEEK[TEXT]<0.3> RFC822.HEADER)");
    await ask(client, "EXAMINE INBOX");
    await ask(client, "FETCH 1 BODY[]");
    expect(await flags()).toEqual([]);
    await ask(client, "SELECT INBOX");
    expect((await ask(client, "FETCH 1 BODY[TEXT]")).join("")).toContain(String.raw`FLAGS (\Seen)`);
    expect(await flags()).toEqual(["seen"]);
  });

  test("cannot change anything with a key that may only read", async () => {
    const created = await service.fetch("/api/keys", key, {
      method: "POST",
      body: JSON.stringify({ server, scope: "read" }),
    });
    await send("a");
    await using client = await open(server, ((await created.json()) as { key: string }).key);
    expect((await ask(client, "SELECT INBOX")).at(-1)).toMatch(/^OK \[READ-ONLY\]/);
    for (const command of [String.raw`STORE 1 +FLAGS \Deleted`, "EXPUNGE", "COPY 1 Sent", "MOVE 1 Sent"]) {
      expect((await ask(client, command)).at(-1)).toMatch(/^NO \[NOPERM\]/);
    }
    client.send("t APPEND INBOX {3+}\r\na\r\n\r\n");
    expect((await responses(client)).at(-1)).toMatch(/^NO \[NOPERM\]/);
    expect(await service.subjects(server, key)).toEqual(["a"]);
  });

  test("takes credentials by AUTHENTICATE PLAIN, with and without initial response, and over implicit TLS", async () => {
    const response = Buffer.from(`\0${server}\0${password}`).toString("base64");
    {
      await using client = await LineClient.open(port);
      await client.line();
      expect((await ask(client, `AUTHENTICATE PLAIN ${response}`)).at(-1)).toMatch(/^OK \[CAPABILITY /);
    }
    await using client = await LineClient.open(Number(service.shown("IMAPS").split(":").at(-1)), true);
    expect(await client.line()).not.toContain("STARTTLS");
    client.send("t AUTHENTICATE PLAIN\r\n");
    expect(await client.line()).toBe("+ ");
    client.send(`${response}\r\n`);
    expect((await responses(client)).at(-1)).toMatch(/^OK/);
    expect((await ask(client, "LOGOUT")).at(0)).toMatch(/^\* BYE/);
  });

  test("does not execute what was sent in clear before the handshake", async () => {
    await using client = await LineClient.open(port);
    await client.line();
    client.send("t STARTTLS\r\nx NOOP\r\n");
    expect(await client.line()).toMatch(/^t OK/);
    await client.secure();
    expect(await ask(client, "NOOP")).toEqual(["OK Completed"]);
  });

  test("does not see other servers, and refuses wrong passwords", async () => {
    await using client = await LineClient.open(port);
    await client.line();
    for (const user of [server, "wxyz9876", "nobody"]) {
      expect((await ask(client, `LOGIN ${user} wrong`)).at(-1)).toMatch(/^NO \[AUTHENTICATIONFAILED\]/);
    }
    expect((await ask(client, `LOGIN wxyz9876 "${password}"`)).at(-1)).toMatch(/^NO/);
    expect((await ask(client, "SELECT INBOX")).at(-1)).toMatch(/^BAD/);
  });

  test("ends after too many wrong commands, and refuses literals before the client sends them", async () => {
    await using client = await open();
    client.send("t APPEND INBOX {99999999999}\r\n");
    expect((await responses(client)).at(-1)).toMatch(/^NO \[TOOBIG\]/);
    client.send("t LOGIN {70000}\r\n");
    expect((await responses(client)).at(-1)).toMatch(/^BAD \[TOOBIG\]/);
    // The refused LOGIN is the first wrong command.
    let last: string | null = "";
    for (let count = 0; count < 20; count += 1) {
      client.send("nonsense\r\n");
      last = await client.line();
    }
    expect(last).toBe("* BYE Too many errors");
  });

  test("answers pipelined commands in order, also when the client closes its side", async () => {
    await using client = await open();
    client.send("a SELECT INBOX\r\nb FETCH 1:* FLAGS\r\nc STATUS Sent (MESSAGES)\r\nd LOGOUT\r\n");
    client.end();
    const lines: string[] = [];
    for (let line = await client.line(); line !== null; line = await client.line()) lines.push(line);
    const tagged = lines.filter((line) => /^[a-d] /.test(line)).map((line) => line.slice(0, 4));
    expect(tagged).toEqual(["a OK", "b BA", "c OK", "d OK"]);
  });
});
