import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SmtpTestServer, testServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ limits: { recipientCountMax: 3 } });
});
beforeEach(() => {
  smtp.operations.resolved.length = 0;
});
afterAll(() => smtp.server.close());

describe("RCPT", () => {
  test.each([
    ["RCPT TO:<a@b.example>", "250 2.1.5", "a@b.example"],
    ["rcpt to: a@b.example", "250 2.1.5", "a@b.example"],
    ["RCPT TO:<Postmaster>", "250 2.1.5", "Postmaster"],
    ["RCPT TO:<later@b.example>", "250 2.1.5", "later@b.example"],
    ["RCPT TO:<@relay.example:a@b.example>", "250 2.1.5", "a@b.example"],
    ["RCPT TO:<a@[127.0.0.1]>", "250 2.1.5", "a@[127.0.0.1]"],
    ["RCPT TO:<a@[IPv6:2001:db8::1]>", "250 2.1.5", "a@[IPv6:2001:db8::1]"],
    ["RCPT TO:<a@abcd1234.127.0.0.1>", "250 2.1.5", "a@abcd1234.127.0.0.1"],
    ['RCPT TO:<"a>b c\\"@d"@e.example>', "250 2.1.5", '"a>b c\\"@d"@e.example'],
    ["RCPT TO:<用户@例子.example>", "250 2.1.5", "用户@例子.example"],
    ["RCPT TO:<a@b.example> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;a+2Bb@c.example", "250 2.1.5", "a@b.example"],
    ["RCPT TO:<a@b.example> notify=never", "250 2.1.5", "a@b.example"],
    ["RCPT TO:<a@b.example> NOTIFY=NEVER,SUCCESS", "501 5.5.4", null],
    ["RCPT TO:<a@b.example> ORCPT=nothing", "501 5.5.4", null],
    ["RCPT TO:<a@b.example> SIZE=1", "555 5.5.4", null],
    ["RCPT TO:<>", "501 5.1.3", null],
    ["RCPT TO:<a@>", "501 5.1.3", null],
    ["RCPT TO:<@b.example>", "501 5.1.3", null],
    ["RCPT TO:<a@b@c.example>", "501 5.1.3", null],
    ["RCPT TO:<a@b.example\rBcc: x>", "501 5.5.2", null],
    ["RCPT TO:a b", "555 5.5.4", null],
    ["RCPT FROM:<a@b.example>", "501 5.5.4", null],
    ["RCPT", "501 5.5.4", null],
    ["RCPT TO:<nobody@b.example>", "550 5.1.1", "nobody@b.example"],
    ["RCPT TO:<full@b.example>", "452 4.2.2 The recipient's mailbox is over quota", "full@b.example"],
    ["RCPT TO:<broken@b.example>", "451 4.3.0", "broken@b.example"],
  ])("answers %j with %s after resolving %j", async (line, expected, asked) => {
    await using client = await smtp.greeted();
    await client.play(["MAIL FROM:<>", "250"], [line, expected]);
    expect(smtp.operations.resolved).toEqual(asked === null ? [] : [[asked, null]]);
  });

  test("requires MAIL", async () => {
    await using client = await smtp.greeted();
    await client.play(["RCPT TO:<a@b.example>", "503 5.5.1"]);
  });

  test("defers recipients over recipientCountMax; the mail goes to the others", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<1@b.example>", "250"],
      ["RCPT TO:<nobody@b.example>", "550"],
      ["RCPT TO:<2@b.example>", "250"],
      ["RCPT TO:<3@b.example>", "250"],
      ["RCPT TO:<4@b.example>", "452 4.5.3"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals.at(-1)?.recipients).toEqual([
      { address: "1@b.example", server: testServer },
      { address: "2@b.example", server: testServer },
      { address: "3@b.example", server: testServer },
    ]);
    expect(smtp.metrics.refusals).toContain("too_many_recipients");
  });

  test("keeps repeated recipients, in order", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["RCPT TO:<SOMEONE@abcd1234.restante.test>", "250"],
      ["RCPT TO:<someone@abcd1234.restante.test>", "250"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals.at(-1)?.recipients.map((recipient) => recipient.address)).toEqual([
      "someone@abcd1234.restante.test",
      "SOMEONE@abcd1234.restante.test",
      "someone@abcd1234.restante.test",
    ]);
  });

  test("resolves recipients with the authenticated server", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA==", "235"],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
    );
    expect(smtp.operations.resolved).toEqual([["a@b.example", testServer]]);
  });

  test("logs an unexpected error and continues the session", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<broken@b.example>", "451 4.3.0"],
      ["RCPT TO:<a@b.example>", "250"],
    );
    expect(smtp.log.lines.some((line) => line.level === "error")).toBe(true);
  });
});
