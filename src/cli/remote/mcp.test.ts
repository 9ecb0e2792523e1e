import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeServiceFile } from "../../app/service-file.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { Call } from "../command.ts";
import { createApi, smtpOf } from "./mcp.ts";

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), "restante-mcp-cli-"))));
afterEach(() => rmSync(dataDir, { recursive: true }));

const callWith = (environment: Record<string, string>): Call => ({
  operands: [],
  flags: new Map([["data-dir", dataDir]]),
  argv: [],
  terminal: { environment, out: () => undefined, error: () => undefined, clock: new FakeClock() },
});
const { signal } = new AbortController();
const request = { method: "GET", path: "/api/servers", query: { a: "b c", none: undefined }, bytesMax: 5 } as const;

test("says how to start a service when none runs, and when the key is unknown", async () => {
  await expect(createApi(callWith({}))(request, signal)).rejects.toThrow(
    /start restante serve, or set RESTANTE_URL\. Ask the user/,
  );
  const url = { RESTANTE_URL: "http://127.0.0.1:9" };
  await expect(createApi(callWith(url))(request, signal)).rejects.toThrow("set RESTANTE_API_KEY");
});

test("says where it expected the service when that does not respond", async () => {
  const environment = { RESTANTE_URL: "http://127.0.0.1:9", RESTANTE_API_KEY: "secret-key" };
  const failure: unknown = await createApi(callWith(environment))(request, signal).catch((error: unknown) => error);
  expect(String(failure)).toMatch(
    /^Unreachable: restante does not respond at http:\/\/127\.0\.0\.1:9 .*correct RESTANTE_URL/,
  );
  expect(String(failure)).not.toContain("secret-key");
});

test("sends the key, and reads no more of a response than was asked for", async () => {
  const received: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    received.push(url, headers.authorization);
    response.end("x".repeat(100_000));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const environment = { RESTANTE_URL: `http://127.0.0.1:${String(port)}/`, RESTANTE_API_KEY: "a-test-key" };
  const { bytes, isCut, status } = await createApi(callWith(environment))(request, signal);
  expect([status, isCut, Buffer.from(bytes).toString()]).toEqual([200, true, "xxxxx"]);
  expect(received).toEqual(["/api/servers?a=b%20c", "Bearer a-test-key"]);
  server.close();
  server.closeAllConnections();
});

test("rejects with the reason of a cancelled call", async () => {
  const environment = { RESTANTE_URL: "http://127.0.0.1:9", RESTANTE_API_KEY: "a-test-key" };
  const aborted = AbortSignal.abort(new Error("cancelled by the client"));
  await expect(createApi(callWith(environment))(request, aborted)).rejects.toThrow("cancelled by the client");
});

test("finds the SMTP listener of a service that was started after the command", () => {
  expect(smtpOf({}, dataDir)).toBe("unknown");
  const address = {
    pid: process.pid,
    url: "http://127.0.0.1:9",
    httpsUrl: null,
    server: "abcd1234",
    caFile: null,
    operatorToken: "token",
    mailDomain: "mail.example.com",
    intercepted: [],
  };
  writeServiceFile(dataDir, { ...address, smtp: { host: "::1", port: 2525 } });
  expect(smtpOf({}, dataDir)).toEqual({ host: "::1", port: 2525 });
  expect(smtpOf({ RESTANTE_URL: "http://mail.example" }, dataDir)).toBe("unknown");
  writeServiceFile(dataDir, { ...address, smtp: null });
  expect(smtpOf({}, dataDir)).toBe("off");
});
