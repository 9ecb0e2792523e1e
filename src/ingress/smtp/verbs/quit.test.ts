import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

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
