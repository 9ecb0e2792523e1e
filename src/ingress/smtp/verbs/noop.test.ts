import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpDoor } from "../../../testing/smtp-door.ts";

let door: SmtpDoor;
beforeAll(async () => {
  door = await SmtpDoor.open();
});
afterAll(() => door.server.close());

describe("NOOP", () => {
  test("is accepted at any time, with and without argument, and changes nothing", async () => {
    await using client = await door.connect();
    await client.play(["NOOP", "250 2.0.0"], ["noop whatever this is", "250 2.0.0"]);
    await using addressed = await door.addressed();
    await addressed.play(["NOOP", "250"], ["DATA", "354"], [".", "250"]);
    expect(door.mails).toEqual([""]);
  });
});
