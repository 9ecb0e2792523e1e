import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { annotationBytesMax } from "../../core/limits.ts";
import type { ScannerSettings, ScanRequest } from "../../core/scanner.ts";
import type { ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { scanUrls } from "./scan-urls.ts";

const custom: ScannerSettings = { profile: "custom" };
const server = "abcd1234" as ServerId;
const neverEnds = new AbortController().signal;

function requestOf({ method, url }: ScannerVisit): ScanRequest {
  return { method, resource: null, url, status: 200, durationMs: 1, redirect: null, error: null };
}

/** Scans URLs with a client whose requests end at once; returns the report and the visits. */
async function scan(urls: readonly string[], settings = custom, hopCount = 1) {
  const visits: ScannerVisit[] = [];
  const visit = async (one: ScannerVisit): Promise<void> => {
    visits.push(one);
    for (let hop = 0; hop < hopCount && one.onRequest(requestOf(one)); hop += 1);
  };
  const report = await scanUrls({ clock: new FakeClock(), visit, server, signal: neverEnds }, settings, urls);
  return { report, visits: visits.map(({ method, url }) => `${method} ${url}`) };
}

const urlsUpTo = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `http://app.example/${String(at)}`);

test("opens each URL once per method, in the order of the methods", async () => {
  const { report, visits } = await scan(["http://a/", "http://b/", "http://a/"], { profile: "safelinks" });
  expect(visits.filter((one) => one.endsWith("a/"))).toEqual(["HEAD http://a/", "GET http://a/"]);
  expect(visits).toHaveLength(4);
  const counts = { urlCount: 2, skippedCount: 0, omittedCount: 0 };
  expect(report).toMatchObject({ profile: "safelinks", when: "before", result: "complete", ...counts });
});

test("reports a mail without URLs as complete", async () => {
  expect((await scan([])).report).toMatchObject({ result: "complete", urlCount: 0, requests: [] });
});

test.each([
  [100, "complete", 0],
  [101, "partial", 1],
  [10_000, "partial", 9900],
])("opens at most 100 of %i URLs", async (count, result, skippedCount) => {
  const { report, visits } = await scan(urlsUpTo(count));
  expect(report).toMatchObject({ result, urlCount: count, skippedCount });
  expect(visits).toHaveLength(Math.min(count, 100));
});

test("makes at most 500 requests, with those after redirects", async () => {
  const { report } = await scan(urlsUpTo(100), custom, 6);
  expect(report.result).toBe("partial");
  expect(report.requests.length + report.omittedCount).toBeLessThanOrEqual(500);
  expect(report.skippedCount).toBeGreaterThan(0);
});

test("omits the last requests of a report that is too large for an annotation", async () => {
  const long = urlsUpTo(100).map((url) => `${url}/${"x".repeat(1000)}`);
  const { report } = await scan(long, custom, 5);
  expect(report.omittedCount).toBeGreaterThan(0);
  expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThanOrEqual(annotationBytesMax);
});

/** Starts a scan of 10 URLs whose visits last until their signal aborts. */
function scanSlowly() {
  const clock = new FakeClock();
  const end = new AbortController();
  let running = 0;
  const visit = async (one: ScannerVisit): Promise<void> => {
    running += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    one.signal.addEventListener("abort", () => {
      resolve();
    });
    await promise;
    one.onRequest({ ...requestOf(one), status: null, error: "ended" });
  };
  const report = scanUrls({ clock, visit, server, signal: end.signal }, custom, urlsUpTo(10));
  return { clock, end, report, running: () => running };
}

test("opens 4 URLs at the same time and ends after a minute", async () => {
  const { clock, report, running } = scanSlowly();
  await expect.poll(running).toBe(4);
  clock.advance(60_000);
  expect(await report).toMatchObject({ result: "partial", urlCount: 10, skippedCount: 6 });
  expect(running()).toBe(4);
});

test("ends when the service or the message does, without a timer left", async () => {
  const { clock, end, report, running } = scanSlowly();
  await expect.poll(running).toBe(4);
  end.abort();
  expect((await report).result).toBe("partial");
  expect(clock.appointmentCount).toBe(0);
});
