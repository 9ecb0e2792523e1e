/** Sends traces to the receiver of the OpenTelemetry Collector, built with Go, for `npm run compat:traces`. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../src/testing/free-port.test-aid.ts";
import { LocalService } from "../src/testing/local-service.ts";

const receiverModule = "go.opentelemetry.io/collector/receiver/otlpreceiver@v0.165.0";
const key = "an-account-key-of-this-check";
const server = "trac1234";
const [ofMail, ofRequest] = ["0af7651916cd43dd8448eb211c80319c", "4bf92f3577b34da6a3ce929d0e0e4736"];
const caller = "b7ad6b7169203331";

/** Span as the receiver understands it. */
interface Span {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: string;
}

const folder = mkdtempSync(join(tmpdir(), "restante-otlp-"));
copyFileSync(join(import.meta.dirname, "otlp", "main.go"), join(folder, "main.go"));
for (const argv of [
  ["mod", "init", "receiver"],
  ["get", receiverModule],
  ["mod", "tidy"],
  ["build", "-o", "receiver", "."],
]) {
  if (spawnSync("go", argv, { cwd: folder, stdio: "inherit" }).status !== 0) {
    throw new Error("the receiver of the collector could not be built: is Go installed?");
  }
}

const address = `127.0.0.1:${String(await freePort())}`;
const receiver = spawn(join(folder, "receiver"), [address], { stdio: ["ignore", "pipe", "inherit"] });
const spans: Span[] = [];
const lines = createInterface(receiver.stdout);
await once(lines, "line");
lines.on("line", (line) => spans.push(JSON.parse(line) as Span));
const startedAt = Date.now();
try {
  const service = await LocalService.start([`--data-dir=${join(folder, "data")}`], {
    RESTANTE_TRACES: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${address}`,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=compat",
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Traced`,
  });
  const search = fetch(`${service.url}/api/messages/search?server=${server}&timeout=20000`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      traceparent: `00-${ofRequest}-${caller}-01`,
    },
    body: JSON.stringify({ subject: "Traced" }),
  });
  const metrics = async (): Promise<string> => (await service.fetch("/metrics", key)).text();
  while (!(await metrics()).includes("\nrestante_waiting_searches 1\n")) await setTimeout(20);
  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<x@${server}.restante.test>`, "250"],
    ["DATA", "354"],
    [`Subject: Traced\r\ntraceparent: 00-${ofMail}-${caller}-01\r\n\r\nHello\r\n.\r\n`, "250"],
    ["QUIT", "221"],
  );
  assert.equal(((await (await search).json()) as readonly object[]).length, 1);
  assert.equal((await service.fetch("/api/messages/search", key, { method: "POST", body: "{" })).status, 400);
  await service.stop();
  while (spans.filter(({ name }) => name === "POST /api/messages/search").length < 2) await setTimeout(20);
} finally {
  receiver.kill();
  rmSync(folder, { recursive: true });
}

const spanOf = (name: string): Span => spans.find((span) => span.name === name) ?? assert.fail(`no span ${name}`);
const [mail, request, answer] = ["receive mail", "POST /api/messages/search", "answer waiting request"].map(spanOf) as [
  Span,
  Span,
  Span,
];
assert.deepEqual([mail.traceId, mail.parentId, mail.kind], [ofMail, caller, "Server"]);
assert.deepEqual([request.traceId, request.parentId, request.kind], [ofRequest, caller, "Server"]);
for (const name of ["read mail", "commit messages"]) {
  const { traceId, parentId, kind } = spanOf(name);
  assert.deepEqual([traceId, parentId, kind], [ofMail, mail.spanId, "Internal"]);
}
assert.deepEqual([answer.traceId, answer.links], [ofMail, [{ traceId: ofRequest, spanId: request.spanId }]]);
for (const { startMs, endMs, resource, scope, status } of spans) {
  assert.ok(startMs >= startedAt - 1 && startMs <= endMs && endMs <= Date.now());
  assert.deepEqual([resource["service.name"], resource["deployment.environment.name"]], ["restante", "compat"]);
  assert.deepEqual([scope, status === "Unset" || status === "Error"], ["restante", true]);
}
assert.deepEqual(request.attributes, { "http.request.method": "POST", "http.route": "/api/messages/search" });
console.log(`the OTLP receiver of the collector (${receiverModule}) understood ${String(spans.length)} spans`);
