import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DuplicateGroup } from "../../core/duplicates.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { run } from "../run.ts";

let api: HttpTestServer;
let server: TestServer;
let url: string;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  const listener = api.app.createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
});
afterAll(async () => api[Symbol.asyncDispose]());

async function duplicates(...flags: string[]): Promise<{ code: number; out: string; error: string }> {
  let out = "";
  let error = "";
  const code = await run(["duplicates", ...flags], {
    environment: {
      RESTANTE_URL: url,
      RESTANTE_API_KEY: server.key,
      RESTANTE_SERVER: server.id,
    },
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    clock: new FakeClock(),
  });
  return { code, out, error };
}

test("restante duplicates prints each group and exits with 1 when there is one", async () => {
  expect(await duplicates()).toEqual({ code: 0, out: "", error: "" });
  for (const code of ["804219", "117204"]) {
    await api.deliver(server, {
      to: "ann@a.example",
      subject: "Hi\u001b[31m",
      text: `Your code is ${code}\r\n`,
    });
  }
  const { code, out } = await duplicates("--sent-to=ann@a.example");
  expect(code).toBe(1);
  expect(out).toMatch(
    /^2 x "Hi \[31m" to ann@a\.example\n {2}\S+Z [0-9a-f-]{36}, \d+ ms after the one before\n {2}\S+Z [0-9a-f-]{36}\n/,
  );
  expect(out).toContain("\n  code: 117204 | 804219\n");
  const json = await duplicates("--json");
  expect((JSON.parse(json.out) as DuplicateGroup[])[0]?.count).toBe(2);
  expect((await duplicates("--subject", "other")).code).toBe(0);
  const refused = await duplicates("--messages=0");
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.error).toContain("messages");
});
