import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

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
