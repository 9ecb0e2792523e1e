/** POP3 over real sockets: a client reads and deletes mail and SMS of a server, and no other. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const key = "key-of-the-whole-account-1";
const dataDir = mkdtempSync(join(tmpdir(), "restante-pop3-"));
let service: LocalService;
let password: string;
let port: number;

beforeAll(async () => {
  service = await LocalService.start(["--pop3-port=0", "--pop3s-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop,wxyz9876:Other",
    RESTANTE_NUMBERS: "+15550001111:abcd1234",
  });
  port = Number(service.shown("POP3").split(":").at(-1));
  password = ((await (await service.fetch("/api/servers/abcd1234/password", key)).json()) as { value: string }).value;
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await service.fetch("/api/messages?server=abcd1234", key, { method: "DELETE" });
});

const open = async (user = "abcd1234", pass = password): Promise<LineClient> => {
  const client = await LineClient.open(port);
  expect(await client.line()).toMatch(/^\+OK /);
  expect(await client.ask(`USER ${user}`)).toMatch(/^\+OK/);
  expect(await client.ask(`PASS ${pass}`)).toMatch(/^\+OK/);
  return client;
};

describe("a maildrop", () => {
  test("lists, returns and deletes the mails of a server", async () => {
    await service.send("x@abcd1234.restante.test", "first");
    await service.send("x@abcd1234.restante.test", "second");
    await service.send("x@wxyz9876.restante.test", "foreign");
    await using client = await open("abcd1234@restante.test");
    const [, count, octets] = /^\+OK (\d+) (\d+)$/.exec((await client.ask("STAT")) ?? "") ?? [];
    expect(count).toBe("2");
    expect(await client.ask("LIST")).toMatch(/^\+OK 2 messages/);
    const listed = (await client.linesUntil(".")).map((line) => Number(line.split(" ")[1]));
    expect(listed.reduce((sum, size) => sum + size, 0)).toBe(Number(octets));
    const uids = await client.ask("UIDL").then(() => client.linesUntil("."));
    expect(await client.ask("UIDL 2")).toBe(`+OK ${uids[1]}`);
    expect(await client.ask("RETR 1")).toBe(`+OK ${listed[0]} octets`);
    const mail = await client.linesUntil(".");
    expect(mail).toContain("Subject: first");
    expect(mail.map((line) => `${line}\r\n`).join("")).toHaveLength(listed[0] ?? 0);
    expect(await client.ask("TOP 2 0")).toMatch(/^\+OK/);
    expect((await client.linesUntil(".")).at(-1)).toBe("");
    expect(await client.ask("DELE 1")).toMatch(/^\+OK/);
    expect(await client.ask("RETR 1")).toMatch(/^-ERR/);
    expect(await client.ask("STAT")).toMatch(/^\+OK 1 /);
    expect(await client.ask("QUIT")).toMatch(/^\+OK/);
    expect(await client.line()).toBeNull();
    expect(await service.subjects("abcd1234", key)).toEqual(["second"]);
    expect(await service.subjects("wxyz9876", key)).toEqual(["foreign"]);
  });

  test("deletes nothing without QUIT, and nothing that RSET has unmarked", async () => {
    await service.send("x@abcd1234.restante.test", "kept");
    {
      await using client = await open();
      expect(await client.ask("DELE 1")).toMatch(/^\+OK/);
    }
    // The lock is released when the service notices that the client has left.
    await expect
      .poll(async () => {
        await using next = await LineClient.open(port);
        await next.line();
        await next.ask("USER abcd1234");
        return (await next.ask(`PASS ${password}`))?.slice(0, 3);
      })
      .toBe("+OK");
    expect(await service.subjects("abcd1234", key)).toEqual(["kept"]);
  });

  const setting = async (readerDeletion: string): Promise<void> => {
    const body = JSON.stringify({ readerDeletion });
    expect((await service.fetch("/api/servers/abcd1234", key, { method: "PUT", body })).status).toBe(200);
  };

  test("refuses DELE where the server refuses deletion, and QUIT when that was set meanwhile", async () => {
    await service.send("x@abcd1234.restante.test", "kept");
    {
      await using client = await open();
      expect(await client.ask("DELE 1")).toMatch(/^\+OK/);
      await setting("refuse");
      expect(await client.ask("QUIT")).toMatch(/^-ERR \[SYS\/PERM\] .*readerDeletion/);
      expect(await client.line()).toBeNull();
    }
    {
      await using client = await open();
      expect(await client.ask("DELE 1")).toMatch(/^-ERR \[SYS\/PERM\] .*readerDeletion/);
      expect(await client.ask("STAT")).toMatch(/^\+OK 1 /);
      expect(await client.ask("QUIT")).toMatch(/^\+OK/);
    }
    expect(await service.subjects("abcd1234", key)).toEqual(["kept"]);
    await setting("delete");
  });

  test("records the deletions of a session as one entry of the audit log", async () => {
    for (const subject of ["first", "second"]) await service.send("x@abcd1234.restante.test", subject);
    {
      await using client = await open();
      for (const number of [1, 2]) expect(await client.ask(`DELE ${number}`)).toMatch(/^\+OK/);
      expect(await client.ask("QUIT")).toMatch(/^\+OK/);
    }
    const entries: unknown = await (await service.fetch("/api/audit?itemsPerPage=1", key)).json();
    expect(entries).toMatchObject([
      {
        action: "message.delete_by_reader",
        key: "password of abcd1234",
        server: "abcd1234",
        target: null,
        details: { protocol: "POP3", deleted: 2 },
      },
    ]);
  });

  test("shows an SMS as a mail", async () => {
    await service.fetch("/api/sms", key, {
      method: "POST",
      body: JSON.stringify({ from: "+15550002222", to: "+15550001111", text: "Your code is 123 456" }),
    });
    await using client = await open();
    expect(await client.ask("RETR 1")).toMatch(/^\+OK \d+ octets$/);
    const mail = await client.linesUntil(".");
    expect(mail.join("\n")).toMatch(/^From: .*15550002222@sms\.invalid/m);
    expect(mail).toContain("Your code is 123 456");
  });

  test("is open to one session at a time", async () => {
    await using first = await open();
    await using second = await LineClient.open(port);
    await second.line();
    await second.ask("USER abcd1234");
    expect(await second.ask(`PASS ${password}`)).toMatch(/^-ERR \[IN-USE\]/);
    expect(await first.ask("QUIT")).toMatch(/^\+OK/);
    expect(await first.line()).toBeNull();
    await second.ask("USER abcd1234");
    expect(await second.ask(`PASS ${password}`)).toMatch(/^\+OK/);
  });
});

describe("credentials", () => {
  const keyOf = async (body: object): Promise<string> =>
    (
      (await (await service.fetch("/api/keys", key, { method: "POST", body: JSON.stringify(body) })).json()) as {
        key: string;
      }
    ).key;

  test("are the password of the server or a key that may read it", async () => {
    const reading = await keyOf({ server: "abcd1234", scope: "read" });
    await service.send("x@abcd1234.restante.test", "read only");
    {
      await using client = await open("abcd1234", reading);
      expect(await client.ask("DELE 1")).toMatch(/^-ERR \[SYS\/PERM\]/);
      expect(await client.ask("QUIT")).toMatch(/^\+OK/);
    }
    for (const wrong of ["wrong", await keyOf({ server: "wxyz9876" }), await keyOf({ scope: "send" })]) {
      await using client = await LineClient.open(port);
      await client.line();
      await client.ask("USER abcd1234");
      expect(await client.ask(`PASS ${wrong}`)).toMatch(/^-ERR \[AUTH\]/);
      expect(await client.ask("STAT")).toMatch(/^-ERR/);
    }
  });

  test("are accepted by AUTH PLAIN, with and without initial response, and after STLS", async () => {
    const response = Buffer.from(`\0abcd1234\0${password}`).toString("base64");
    {
      await using client = await LineClient.open(port);
      await client.line();
      await client.ask("CAPA");
      expect(await client.linesUntil(".")).toEqual(
        expect.arrayContaining(["STLS", "UIDL", "TOP", "SASL PLAIN XOAUTH2 OAUTHBEARER"]),
      );
      // Clear text in the same packet must not be executed after the handshake.
      client.send("STLS\r\nNOOP\r\n");
      expect(await client.line()).toMatch(/^\+OK/);
      await client.secure();
      await client.ask("CAPA");
      expect(await client.linesUntil(".")).not.toContain("STLS");
      expect(await client.ask(`AUTH PLAIN ${response}`)).toMatch(/^\+OK/);
      expect(await client.ask("QUIT")).toMatch(/^\+OK/);
    }
    await using client = await LineClient.open(Number(service.shown("POP3S").split(":").at(-1)), true);
    await client.line();
    expect(await client.ask("AUTH PLAIN")).toBe("+ ");
    expect(await client.ask(response)).toMatch(/^\+OK/);
  });
});

test("nonsense is refused, and ends the session after a while", async () => {
  await using client = await LineClient.open(port);
  await client.line();
  for (const line of ["RETR 1", "", "PASS x", "FOO", "USER", "x".repeat(70_000)]) {
    expect(await client.ask(line)).toMatch(/^-ERR/);
  }
  let last: string | null = "";
  for (let count = 0; count < 20; count += 1) last = (await client.ask("\u0000\u00ff")) ?? last;
  expect(last).toBe("-ERR Closing: too many errors");
});

test("commands in one packet are answered in order, also when the client closes its side", async () => {
  await service.send("x@abcd1234.restante.test", "one");
  await using client = await LineClient.open(port);
  await client.line();
  client.send(`USER abcd1234\r\nPASS ${password}\r\nSTAT\r\nNOOP\r\nQUIT\r\n`);
  client.end();
  const replies = [];
  for (let count = 0; count < 5; count += 1) replies.push((await client.line())?.slice(0, 5));
  expect(replies).toEqual(["+OK S", "+OK 1", "+OK 1", "+OK R", "+OK B"]);
});
