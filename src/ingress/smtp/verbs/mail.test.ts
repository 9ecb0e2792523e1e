import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ limits: { messageBytesMax: 1000 } });
});
afterAll(() => smtp.server.close());

describe("MAIL", () => {
  test.each([
    ["MAIL FROM:<a@b.example>", "250 2.1.0"],
    ["mail from:<a@b.example>", "250 2.1.0"],
    ["MAIL FROM: <a@b.example>", "250 2.1.0"],
    ["MAIL FROM:a@b.example", "250 2.1.0"],
    ["MAIL FROM:<>", "250 2.1.0"],
    ["MAIL FROM:<x@>", "250 2.1.0"],
    ["MAIL FROM:<@relay.example:a@b.example>", "250 2.1.0"],
    ["MAIL FROM:<jörg@münchen.example>", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> SIZE=1000", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> SIZE=1001", "552 5.3.4"],
    ["MAIL FROM:<a@b.example> SIZE=99999999999999999999", "552 5.3.4"],
    ["MAIL FROM:<a@b.example> SIZE=0", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> SIZE=-1", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> SIZE=1e3", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> SIZE", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> BODY=8BITMIME", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> body=7bit", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> BODY=BINARYMIME", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> SMTPUTF8", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> SMTPUTF8=yes", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> RET=HDRS ENVID=QQ314159", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> RET=NONE", "501 5.5.4"],
    ["MAIL FROM:<a@b.example> AUTH=<>", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> AUTH=e+3Dmc2@example.com", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> size=1 SIZE=1", "250 2.1.0"],
    ["MAIL FROM:<a@b.example> REQUIRETLS", "555 5.5.4"],
    ["MAIL FROM:<a@b.example> =x", "501 5.5.4"],
    ["MAIL FROM:<a@b.example>SIZE=1", "501 5.1.7"],
    ["MAIL", "501 5.5.4"],
    ["MAIL FROM:", "501 5.5.4"],
    ["MAIL TO:<a@b.example>", "501 5.5.4"],
    ["MAIL <a@b.example>", "501 5.5.4"],
    ["MAIL FROM:<a@b.example", "501 5.1.7"],
    ["MAIL FROM:<a b@c.example>", "501 5.1.7"],
    ["MAIL FROM:<a@b.example\r>", "501 5.5.2"],
    ["MAIL FROM:<a@b\0.example>", "501 5.5.2"],
    ["MAIL FROM:<a@b.example\u2028X-Injected: 1>", "501 5.5.2"],
    [Buffer.from("MAIL FROM:<j\xf6rg@b.example>\r\n", "latin1"), "501 5.1.7"],
  ])("answers %j with %s", async (line, expected) => {
    await using client = await smtp.greeted();
    await client.play([line, expected]);
  });

  test("requires EHLO or HELO", async () => {
    await using client = await smtp.connect();
    await client.play(["MAIL FROM:<a@b.example>", "503 5.5.1"]);
  });

  test("is rejected within a transaction, which continues", async () => {
    await using client = await smtp.addressed();
    await client.play(["MAIL FROM:<other@b.example>", "503 5.5.1"], ["DATA", "354"], [".", "250"]);
    expect(smtp.operations.arrivals.at(-1)?.mailFrom).toBe("sender@client.example");
  });

  test("starts no transaction when it is rejected", async () => {
    await using client = await smtp.greeted();
    await client.play(["MAIL FROM:<a@b.example> SIZE=1001", "552"], ["RCPT TO:<a@b.example>", "503 5.5.1"]);
  });

  test.each([
    ["MAIL FROM:<>", "", "ESMTP"],
    ["MAIL FROM:<John.Doe@B.Example>", "John.Doe@B.Example", "ESMTP"],
    ["MAIL FROM:<@one.example,@two.example:a@b.example>", "a@b.example", "ESMTP"],
    ["MAIL FROM:<x@>", "x@", "ESMTP"],
    ['MAIL FROM:<"a b"@c.example> SMTPUTF8', '"a b"@c.example', "UTF8SMTP"],
  ])("%j stores %j as the sender of a mail by %s", async (line, mailFrom, protocol) => {
    await using client = await smtp.greeted();
    await client.play([line, "250"], ["RCPT TO:<a@b.example>", "250"], ["DATA", "354"], [".", "250"]);
    const arrival = smtp.operations.arrivals.at(-1);
    expect(arrival?.mailFrom).toBe(mailFrom);
    expect(arrival?.session.protocol).toBe(protocol);
  });
});

test("defers a mail whose SIZE exceeds the remaining memory budget", async () => {
  const small = await SmtpTestServer.open({ limits: { messageBytesMax: 1000, smtpBytesInFlightMax: 1500 } });
  {
    await using holder = await small.addressed();
    await holder.write(`BDAT 900\r\n${"x".repeat(900)}`);
    expect(await holder.reply()).toMatch(/^250/);
    await using client = await small.greeted();
    await client.play(["MAIL FROM:<a@b.example> SIZE=601", "452 4.3.1"]);
    await client.play(["MAIL FROM:<a@b.example> SIZE=600", "250 2.1.0"], ["RSET", "250"]);
    await holder.play(["RSET", "250"]);
    await client.play(["MAIL FROM:<a@b.example> SIZE=1000", "250 2.1.0"]);
  }
  await small.server.close();
});

test("rejects MAIL before AUTH where authentication is required", async () => {
  const strict = await SmtpTestServer.open({ isAuthRequired: true });
  {
    await using client = await strict.greeted();
    const credentials = Buffer.from("\0abcd1234\0secret").toString("base64");
    await client.play(["MAIL FROM:<>", "530 5.7.0"], [`AUTH PLAIN ${credentials}`, "235"], ["MAIL FROM:<>", "250"]);
  }
  await strict.server.close();
});
