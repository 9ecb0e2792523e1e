import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { LocalService } from "../../testing/local-service.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { run } from "../run.ts";

let folder: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-healthcheck-"));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

/** Runs `restante healthcheck` with these settings and returns exit code and output. */
async function check(environment: Readonly<Record<string, string>>): Promise<readonly [code: number, text: string]> {
  let text = "";
  const code = await run(["healthcheck"], {
    environment: { RESTANTE_DATA_DIR: folder, ...environment },
    out: (line) => (text += line),
    error: (line) => (text += line),
    clock: new FakeClock(),
  });
  return [code, text];
}

async function portOf(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return String((server.address() as AddressInfo).port);
}

/** Returns a listener that responds to `/readyz` with this status. */
function respondingWith(status: number): RequestListener {
  return ({ url }, response) => {
    response.writeHead(url === "/readyz" ? status : 404).end();
  };
}

const off = { RESTANTE_HTTP_PORT: "off", RESTANTE_HTTPS_PORT: "off", RESTANTE_SMTP_PORT: "off" };

test("finds a service by the service file, whatever its port, and reports when it has stopped", async () => {
  const service = await LocalService.start([`--data-dir=${folder}`], {});
  expect(await check({ RESTANTE_HTTP_PORT: "1" })).toEqual([0, ""]);
  await service.stop();
  expect(await check({ RESTANTE_HTTP_PORT: "1" })).toEqual([
    1,
    "restante: The service does not respond at http://127.0.0.1:1/readyz: ECONNREFUSED\n",
  ]);
});

test.each([
  [200, 0, ""],
  [503, 1, "responded with 503"],
])("uses port and address of the settings: %i gives %i", async (status, code, text) => {
  const port = await portOf(createServer(respondingWith(status)));
  const outcome = await check({ RESTANTE_BIND: "0.0.0.0", RESTANTE_API_KEY: "k".repeat(24), RESTANTE_HTTP_PORT: port });
  expect(outcome).toEqual([code, expect.stringContaining(text)]);
});

test("uses HTTPS with any certificate when HTTP is off", async () => {
  const { credentials } = throwAwayCertificate(["mail.example"]);
  const port = await portOf(createSecureServer(credentials, respondingWith(200)));
  expect(await check({ ...off, RESTANTE_HTTPS_PORT: port })).toEqual([0, ""]);
});

test.each([
  ["220 mx ESMTP", 0, ""],
  ["421 4.3.2 Shutting down", 1, "greeted with 421 4.3.2 Shutting down"],
])("reads the greeting of SMTP when HTTP and HTTPS are off: %s", async (greeting, code, text) => {
  const port = await portOf(createTcpServer((socket) => socket.on("error", () => undefined).end(`${greeting}\r\n`)));
  expect(await check({ ...off, RESTANTE_SMTP_PORT: port })).toEqual([code, expect.stringContaining(text)]);
});

test("exits with 1 for invalid settings, because container engines reserve 2", async () => {
  expect(await check({ RESTANTE_HTTP_PORT: "many" })).toEqual([1, expect.stringContaining("RESTANTE_HTTP_PORT")]);
});
