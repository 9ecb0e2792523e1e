import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";
import { notImplemented } from "./not-implemented.ts";
import { notSmtp } from "./not-smtp.ts";
import { verbs } from "./table.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

describe("HELP", () => {
  test("lists every implemented verb", async () => {
    await using client = await smtp.connect();
    await client.write("HELP MAIL\r\n");
    const reply = await client.expect("214-2.0.0 ");
    const offered = [...verbs].filter(([, verb]) => verb !== notImplemented && verb !== notSmtp).map(([name]) => name);
    for (const name of offered) expect(reply).toMatch(new RegExp(`\\b${name}\\b`));
    expect(offered).toHaveLength(14);
  });
});
