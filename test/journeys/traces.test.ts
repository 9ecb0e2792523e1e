/** Traces of a mail and of the search that waits for it, as a receiver of OpenTelemetry gets them from a running service. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { emptyDatabaseUrl, releaseDatabase } from "../../src/store/postgres/reused-database.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { startTraceReceiver, type ReceivedSpan, type TestReceiver } from "../../src/testing/trace-receiver.test-aid.ts";

const key = "a-key-for-journeys";
const server = "trac1234";
const ofMail = "0af7651916cd43dd8448eb211c80319c";
const ofRequest = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "b7ad6b7169203331";

let folder: string;
let receiver: TestReceiver;
let found: readonly object[];
let spans: readonly ReceivedSpan[];

/** Starts a node that sends its spans to the receiver. */
async function start(name: string, environment: Readonly<Record<string, string>> = {}): Promise<LocalService> {
  return LocalService.start([`--data-dir=${join(folder, name)}`], {
    RESTANTE_TRACES: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Traced`,
    RESTANTE_LOG: "error",
    ...environment,
  });
}

/** Lets a search wait at one node, and sends the mail that answers it to another one; resolves with what was found. */
async function searchAndSend(searching: LocalService, receiving: LocalService): Promise<readonly object[]> {
  const waiting = fetch(`${searching.url}/api/messages/search?server=${server}&timeout=20000`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      traceparent: `00-${ofRequest}-${spanId}-01`,
    },
    body: JSON.stringify({ subject: "Traced" }),
  });
  await vi.waitUntil(async () => {
    const metrics = await (await searching.fetch("/metrics", key)).text();
    return metrics.includes("\nrestante_waiting_searches 1\n");
  });
  await using dialogue = await receiving.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<x@${server}.restante.test>`, "250"],
    ["DATA", "354"],
    [`Subject: Traced\r\ntraceparent: 00-${ofMail}-${spanId}-01\r\n\r\nHello\r\n.\r\n`, "250"],
    ["QUIT", "221"],
  );
  return (await (await waiting).json()) as object[];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-traces-"));
  receiver = await startTraceReceiver();
  const service = await start("one");
  try {
    found = await searchAndSend(service, service);
  } finally {
    await service.stop();
  }
  ({ spans } = receiver);
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const spanOf = (name: string): ReceivedSpan => {
  const [span, ...others] = spans.filter((one) => one.name === name);
  if (span === undefined || others.length > 0) throw new Error(`${name}: ${String(others.length + 1)} spans`);
  return span;
};

describe("the trace that a mail names in its field traceparent", () => {
  test("has the receipt, the reading and the commit of the mail", () => {
    const receipt = spanOf("receive mail");
    expect(receipt).toMatchObject({ traceId: ofMail, parentSpanId: spanId });
    for (const name of ["read mail", "commit messages"]) {
      expect(spanOf(name)).toMatchObject({ traceId: ofMail, parentSpanId: receipt.spanId });
    }
    expect(BigInt(receipt.startTimeUnixNano) < BigInt(spanOf("read mail").startTimeUnixNano)).toBe(true);
  });

  test("ends with the search that the mail answers, which links to the trace of its request", () => {
    expect(found).toHaveLength(1);
    const request = spanOf("POST /api/messages/search");
    expect(request).toMatchObject({ traceId: ofRequest, parentSpanId: spanId, kind: 2 });
    expect(spanOf("answer waiting request")).toMatchObject({
      traceId: ofMail,
      parentSpanId: spanOf("receive mail").spanId,
      links: [{ traceId: ofRequest, spanId: request.spanId }],
    });
  });
});

test("records no spans of health checks and metrics", () => {
  expect(spans.map(({ name }) => name).filter((name) => /metrics|readyz/.test(name))).toEqual([]);
});

test("ends with a search that waits on another node, which gets the trace with the notification of the mail", async () => {
  const url = await emptyDatabaseUrl();
  const shared = { RESTANTE_DATABASE_URL: url, RESTANTE_SECRET_KEY: "a-secret-key-for-journeys" };
  const before = receiver.spans.length;
  const nodes = [await start("two", shared), await start("three", shared)] as const;
  try {
    expect(await searchAndSend(...nodes)).toHaveLength(1);
  } finally {
    for (const node of nodes) await node.stop();
    await releaseDatabase(url);
  }
  const own = receiver.spans.slice(before);
  const named = (name: string): ReceivedSpan | undefined => own.find((span) => span.name === name);
  expect(named("answer waiting request")).toMatchObject({
    traceId: ofMail,
    parentSpanId: named("receive mail")?.spanId,
    links: [{ traceId: ofRequest, spanId: named("POST /api/messages/search")?.spanId }],
  });
});
