import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

describe("NOOP", () => {
  test("is accepted at any time, with and without argument, and changes nothing", async () => {
    await using client = await smtp.connect();
    await client.play(["NOOP", "250 2.0.0"], ["noop whatever this is", "250 2.0.0"]);
    await using addressed = await smtp.addressed();
    await addressed.play(["NOOP", "250"], ["DATA", "354"], [".", "250"]);
    expect(smtp.mails).toEqual([""]);
  });
});
