import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackgroundTasks, type BackgroundTaskRegistry } from "../../core/background-tasks.ts";
import type { ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { startTraceReceiver, type ReceivedSpan, type TestReceiver } from "../../testing/trace-receiver.test-aid.ts";
import type { OpenTraces } from "./load-traces.ts";
import { openTraces, storedCountMax, waitingSpanCountMax } from "./otlp-traces.ts";
import { readTraceReceiver } from "./trace-receiver.ts";

const server = "trac1234" as ServerId;
const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: true };

let clock: FakeClock;
let tasks: BackgroundTaskRegistry;
let receiver: TestReceiver;
let traces: OpenTraces;
/** Reasons of failures of the background task. */
let failures: string[];
/** Lost spans by reason. */
let lost: Record<string, number>;

beforeEach(async () => {
  clock = new FakeClock();
  failures = [];
  tasks = createBackgroundTasks(clock, ({ error }) => void failures.push(String(error)));
  receiver = await startTraceReceiver();
  const own = readTraceReceiver({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: "key=k" });
  lost = {};
  const onLost = (reason: string, count: number): void => {
    lost[reason] = (lost[reason] ?? 0) + count;
  };
  traces = openTraces({ receiver: own, version: "1", clock, tasks, onLost });
});
afterEach(async () => {
  await traces.close();
  await receiver.close();
});

const state = () => tasks.states().find(({ task }) => task === "traces");
const named = (name: string): ReceivedSpan | undefined => receiver.spans.find((span) => span.name === name);
const attributes = (): Readonly<Record<string, string | number>> => ({ size: 7, door: "smtp" });

test("sends spans with their parents, attributes and errors, and the link of a request that waited", async () => {
  const { tracing } = traces;
  await tracing.run({ name: "entry", parent: () => parent, attributes }, async () => {
    await tracing.run({ name: "part" }, async () => undefined);
    tracing.stored(server, 3);
  });
  const failing = tracing.run({ name: "request", parent: () => undefined }, async () => {
    tracing.answered(server, 3);
    tracing.answered(server, 4);
    throw new RangeError("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  await traces.close();

  expect(receiver.spans).toHaveLength(4);
  const [entry, part, answer, request] = ["entry", "part", "answer waiting request", "request"].map(named);
  expect(entry).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId, kind: 2, status: {} });
  expect(entry?.attributes).toEqual([
    { key: "size", value: { intValue: "7" } },
    { key: "door", value: { stringValue: "smtp" } },
  ]);
  expect(part).toMatchObject({ traceId: parent.traceId, parentSpanId: entry?.spanId, kind: 1 });
  expect(answer).toMatchObject({
    traceId: parent.traceId,
    parentSpanId: entry?.spanId,
    links: [{ traceId: request?.traceId, spanId: request?.spanId }],
  });
  expect(request).toMatchObject({ status: { code: 2, message: "RangeError" } });
  expect(request?.parentSpanId).toBeUndefined();
  for (const span of receiver.spans) {
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  }
  expect(receiver.headers[0]).toMatchObject({ key: "k", "content-type": "application/json" });
});

test("records nothing of a caller that is not sampled", async () => {
  const entry = { name: "entry", parent: () => ({ ...parent, isSampled: false }) };
  await traces.tracing.run(entry, async () => traces.tracing.run({ name: "part" }, async () => undefined));
  await traces.close();
  expect(receiver.spans).toEqual([]);
});

test("remembers the newest changes only", async () => {
  const { tracing } = traces;
  await tracing.run({ name: "entry" }, async () => {
    for (let sequence = 0; sequence <= storedCountMax; sequence += 1) tracing.stored(server, sequence);
  });
  tracing.answered(server, 0);
  expect(state()?.backlog).toBe(1);
  tracing.answered(server, storedCountMax);
  expect(state()?.backlog).toBe(2);
});

test("sends after a pause, keeps spans that may be accepted later, and reports the failure", async () => {
  receiver.respondWith(503);
  await traces.tracing.run({ name: "kept" }, async () => undefined);
  clock.advance(5000);
  await expect.poll(() => state()?.state).toBe("failing");
  expect(state()?.lastFailure?.reason).toContain("status 503");
  receiver.respondWith(200);
  await expect.poll(() => clock.appointmentCount).toBe(1);
  clock.advance(5000);
  await expect.poll(() => state()?.state).toBe("ok");
  expect(named("kept")).toBeDefined();
  expect([lost, state()?.backlog]).toEqual([{}, 0]);
});

test("counts the spans of a batch that the receiver refuses, and those past the limit of the queue", async () => {
  receiver.respondWith(400);
  const { tracing } = traces;
  for (let count = 0; count < waitingSpanCountMax + 3; count += 1)
    await tracing.run({ name: "x" }, async () => undefined);
  expect([lost, state()?.backlog]).toEqual([{ queue_full: 3 }, waitingSpanCountMax]);
  clock.advance(0);
  await expect.poll(() => lost).toEqual({ queue_full: 3, refused: 512 });
  expect(state()?.lastFailure?.reason).toContain("status 400");
});

test.each([
  ['{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}', 1, "refused 1 of 2 spans: too old"],
  ['{"partialSuccess":{"rejectedSpans":9}}', 2, "refused 2 of 2 spans"],
  ['{"partialSuccess":null}', 0, undefined],
  ["null", 0, undefined],
  ["not JSON", 0, undefined],
])("counts the spans that the response %s refuses", async (body, count, reason) => {
  receiver.respondWith(200, body);
  for (const name of ["a", "b"]) await traces.tracing.run({ name }, async () => undefined);
  await traces.close();
  expect(lost).toEqual(count === 0 ? {} : { refused: count });
  if (reason !== undefined) expect(failures).toEqual([expect.stringContaining(reason)]);
});

test("counts the spans that wait when the service stops and the receiver does not respond", async () => {
  receiver.respondWith(503);
  for (const name of ["a", "b"]) await traces.tracing.run({ name }, async () => undefined);
  await traces.close();
  expect(lost).toEqual({ stop: 2 });
});

test("links a waiting request to the trace of a mail that another node has stored", async () => {
  const { tracing } = traces;
  const elsewhere = { ...parent, isSampled: true };
  expect(tracing.current()).toBeUndefined();
  tracing.stored(server, 7, elsewhere);
  const request = { name: "request", parent: () => undefined };
  await tracing.run(request, async () => {
    expect(tracing.current()?.isSampled).toBe(true);
    tracing.answered(server, 7);
  });
  await traces.close();
  expect(named("answer waiting request")).toMatchObject({
    traceId: parent.traceId,
    parentSpanId: parent.spanId,
    links: [{ traceId: named("request")?.traceId }],
  });
});
