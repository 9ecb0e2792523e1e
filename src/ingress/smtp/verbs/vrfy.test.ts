import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

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
