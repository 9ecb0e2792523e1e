import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";
import { notImplemented, notSmtp, verbs } from "./table.ts";

let smtp: SmtpTestServer;
beforeEach(async () => {
  smtp = await SmtpTestServer.open();
});
afterEach(() => smtp.server.close());

describe("RSET", () => {
  test("aborts the transaction and keeps the state of EHLO and AUTH", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA==", "235"],
      ["MAIL FROM:<a@b.example>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["RSET", "250 2.0.0"],
      ["RCPT TO:<b@b.example>", "503"],
      ["MAIL FROM:<c@b.example>", "250"],
      ["RCPT TO:<d@b.example>", "250"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals).toMatchObject([
      { mailFrom: "c@b.example", recipients: [{ address: "d@b.example" }], session: { protocol: "ESMTPA" } },
    ]);
  });

  test("is accepted at any time, also before EHLO, and rejects an argument", async () => {
    await using client = await smtp.connect();
    await client.play(["RSET", "250"], ["rset ", "250"], ["RSET now", "501 5.5.4"]);
  });
});

describe("NOOP", () => {
  test("is accepted at any time, with and without argument, and changes nothing", async () => {
    await using client = await smtp.connect();
    await client.play(["NOOP", "250 2.0.0"], ["noop whatever this is", "250 2.0.0"]);
    await using addressed = await smtp.addressed();
    await addressed.play(["NOOP", "250"], ["DATA", "354"], [".", "250"]);
    expect(smtp.mails).toEqual([""]);
  });
});

describe("VRFY", () => {
  test("replies 252 for every address without resolving it", async () => {
    await using client = await smtp.connect();
    await client.play(
      ["VRFY someone@abcd1234.restante.test", "252 2.0.0"],
      ["VRFY nobody@b.example", "252 2.0.0"],
      ["VRFY 用户@例子.example SMTPUTF8", "252 2.0.0"],
      ["VRFY", "501 5.5.4"],
    );
    expect(smtp.operations.resolved).toEqual([]);
  });
});

describe("HELP", () => {
  test("lists every implemented verb", async () => {
    await using client = await smtp.connect();
    await client.write("HELP MAIL\r\n");
    const reply = await client.expect("214-2.0.0 ");
    const offered = [...verbs].filter(([, verb]) => verb !== notImplemented && verb !== notSmtp).map(([name]) => name);
    for (const name of offered) expect(reply).toMatch(new RegExp(`\\b${name}\\b`));
    expect(offered).toHaveLength(14);
  });
});

describe("QUIT", () => {
  test("replies, closes, and reads nothing that follows", async () => {
    await using client = await smtp.connect();
    await client.write("QUIT\r\nNOOP\r\n");
    await client.expect("221 2.0.0");
    expect(await client.rest()).toBe("");
  });

  test("drops an unfinished transaction", async () => {
    await using client = await smtp.addressed();
    await client.play(["QUIT", "221"]);
    expect(smtp.operations.arrivals).toEqual([]);
  });

  test("rejects an argument", async () => {
    await using client = await smtp.connect();
    await client.play(["QUIT now", "501 5.5.4"], ["quit", "221"]);
  });
});

describe("a standard verb that is not implemented", () => {
  test.each(["EXPN staff", "ETRN b.example", "TURN", "ATRN", "SEND FROM:<a@b.example>", "SOML", "SAML", "expn staff"])(
    "%s is answered with 502",
    async (line) => {
      await using client = await smtp.greeted();
      await client.play([line, "502 5.5.1"], ["NOOP", "250"]);
    },
  );
});

describe("an unknown command", () => {
  test.each(["", " ", "NOOPS", "MAIL-FROM:<a@b.example>", "X", ".", " NOOP", "__proto__", "toString", "用户"])(
    "%j is answered with 500",
    async (line) => {
      await using client = await smtp.greeted();
      await client.play([line, "500 5.5.2"], ["NOOP", "250"]);
      expect(smtp.metrics.refusals.at(-1)).toBe("syntax");
    },
  );
});

describe("an HTTP request", () => {
  test.each(["GET / HTTP/1.1", "POST / HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT mailosaur.com:443 HTTP/1.1"])(
    "%s ends the session before its body could be read as commands",
    async (line) => {
      await using client = await smtp.connect();
      const body = "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nDATA\r\nevil\r\n.\r\n";
      await client.write(`${line}\r\nHost: 127.0.0.1\r\n\r\n${body}`);
      await client.expect("421 4.7.0");
      expect(await client.rest()).toBe("");
      expect(smtp.operations.arrivals).toEqual([]);
    },
  );
});
