import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

describe("HELO", () => {
  test("answers with one line and no extensions", async () => {
    await using client = await smtp.connect();
    await client.play(["HELO client.example", /^250 mx\.restante\.test$/], ["HELO", "501 5.5.4"]);
  });

  test("disables AUTH and records SMTP with the mail", async () => {
    await using client = await smtp.connect();
    await client.play(
      ["HELO client.example", "250"],
      ["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA==", "503 5.5.1"],
      ["MAIL FROM:<a@b.example>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals.at(-1)?.session.protocol).toBe("SMTP");
  });

  test("aborts a transaction", async () => {
    await using client = await smtp.addressed();
    await client.play(["HELO client.example", "250"], ["DATA", "503 5.5.1"]);
  });
});
