import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpDoor } from "../../../testing/smtp-door.ts";

let door: SmtpDoor;
beforeAll(async () => {
  door = await SmtpDoor.open();
});
afterAll(() => door.server.close());

describe("VRFY", () => {
  test("replies 252 for every address without resolving it", async () => {
    await using client = await door.connect();
    await client.play(
      ["VRFY someone@abcd1234.restante.test", "252 2.0.0"],
      ["VRFY nobody@b.example", "252 2.0.0"],
      ["VRFY 用户@例子.example SMTPUTF8", "252 2.0.0"],
      ["VRFY", "501 5.5.4"],
    );
    expect(door.operations.resolved).toEqual([]);
  });
});
