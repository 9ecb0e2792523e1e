import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpDoor } from "../../../testing/smtp-door.ts";
import { notImplemented } from "./not-implemented.ts";
import { notSmtp } from "./not-smtp.ts";
import { verbs } from "./table.ts";

let door: SmtpDoor;
beforeAll(async () => {
  door = await SmtpDoor.open();
});
afterAll(() => door.server.close());

describe("HELP", () => {
  test("lists every implemented verb", async () => {
    await using client = await door.connect();
    await client.write("HELP MAIL\r\n");
    const reply = await client.expect("214-2.0.0 ");
    const offered = [...verbs].filter(([, verb]) => verb !== notImplemented && verb !== notSmtp).map(([name]) => name);
    for (const name of offered) expect(reply).toMatch(new RegExp(`\\b${name}\\b`));
    expect(offered).toHaveLength(13);
  });
});
