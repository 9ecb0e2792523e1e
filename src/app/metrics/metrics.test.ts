import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoreStatistics } from "../../store/store.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

const statistics: StoreStatistics = {
  serverCount: 2,
  messageCount: 31,
  purgeBacklogCount: 4,
  heldMessageCount: 0,
  outboxBacklogCount: 0,
  storageFull: 0,
  indexBacklogCount: 5,
  sizeBytes: 65_536,
};
let metrics: Metrics;
let held: StoreStatistics;

beforeEach(() => {
  held = statistics;
  metrics = createMetrics("9.8.7", () => Promise.resolve(held));
});
afterEach(() => {
  metrics.close();
});

/** Returns the value of one series; labels as in the text format. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await metrics.text()).split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

describe("metrics", () => {
  test("count sessions, with closed ones removed from the gauge only", async () => {
    metrics.smtp.sessionOpened();
    metrics.smtp.sessionOpened();
    metrics.smtp.sessionClosed();
    expect(await valueOf("restante_smtp_sessions")).toBe(1);
    expect(await valueOf("restante_smtp_sessions_total")).toBe(2);
  });

  test("count accepted mails and their bytes, and refusals by reason", async () => {
    metrics.smtp.mailAccepted(1000);
    metrics.smtp.mailAccepted(24);
    metrics.smtp.refused("message_too_large");
    expect(await valueOf("restante_mails_accepted_total")).toBe(2);
    expect(await valueOf("restante_mail_bytes_total")).toBe(1024);
    expect(await valueOf('restante_smtp_refusals_total{reason="message_too_large"}')).toBe(1);
  });

  test("count hits of fault rules by scope, stage and main effect", async () => {
    metrics.faultHit({ scope: "server", stage: "rcpt", action: "reply" });
    expect(await valueOf('restante_fault_hits_total{scope="server",stage="rcpt",action="reply"}')).toBe(1);
  });

  test("count requests by method, route and status, and the time they took", async () => {
    const route = "/api/messages/:id";
    metrics.httpRequestDone({ method: "GET", route, status: 200, durationMs: 3 });
    metrics.httpRequestDone({ method: "GET", route, status: 404, durationMs: 30 });
    expect(await valueOf(`restante_http_requests_total{method="GET",route="${route}",status="404"}`)).toBe(1);
    expect(await valueOf('restante_http_request_seconds_bucket{le="0.005"}')).toBe(1);
    expect(await valueOf("restante_http_request_seconds_count")).toBe(2);
  });

  test("report that the store is unreachable and keep its last values", async () => {
    let isAway = false;
    const other = createMetrics("9.8.7", () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(held)));
    expect(await other.text()).toMatch(/^restante_store_reachable 1$/m);
    isAway = true;
    expect(await other.text()).toMatch(/^restante_messages 31$[^]*^restante_store_reachable 0$/m);
    other.close();
  });

  test("time the steps of mails", async () => {
    metrics.mailTimed("stored", 3);
    metrics.mailTimed("told", 0.4);
    expect(await valueOf('restante_mail_seconds_bucket{le="0.005",step="stored"}')).toBe(1);
    expect(await valueOf('restante_mail_seconds_bucket{le="0.001",step="told"}')).toBe(1);
    expect(await valueOf('restante_mail_seconds_count{step="stored"}')).toBe(1);
  });

  test("query the store at every scrape", async () => {
    expect(await valueOf("restante_messages")).toBe(31);
    held = { ...statistics, messageCount: 32 };
    expect(await valueOf("restante_messages")).toBe(32);
    expect(await valueOf("restante_servers")).toBe(2);
    expect(await valueOf("restante_store_bytes")).toBe(65_536);
    expect(await valueOf("restante_purge_backlog")).toBe(4);
    expect(await valueOf("restante_index_backlog")).toBe(5);
  });

  test("count messages removed by retention", async () => {
    metrics.messagesExpired(7);
    expect(await valueOf("restante_messages_retired_total")).toBe(7);
  });

  test("count messages rejected by quotas, by kind", async () => {
    metrics.quotaRefused("email");
    metrics.quotaRefused("email");
    expect(await valueOf('restante_quota_refusals_total{kind="email"}')).toBe(2);
  });

  test("include version, start time, memory and processor time", async () => {
    expect(await valueOf(`restante_build{version="9.8.7",node="${process.versions.node}"}`)).toBe(1);
    expect(await valueOf("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(await valueOf("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(await valueOf("process_start_time_seconds")).toBeLessThanOrEqual(Date.now() / 1000);
    expect(await valueOf("restante_event_loop_lag_seconds")).toBeGreaterThanOrEqual(0);
  });

  test("show the bytes in flight by kind and the mails that wait for memory", async () => {
    metrics.watchMemory("smtp_mails", () => 5);
    metrics.watchMemory("smtp_mails", () => 7);
    metrics.watchMemory("http_responses", () => 0);
    metrics.watchWaitingMails(() => 3);
    expect(await valueOf('restante_bytes_in_flight{kind="smtp_mails"}')).toBe(12);
    expect(await valueOf('restante_bytes_in_flight{kind="http_responses"}')).toBe(0);
    expect(await valueOf("restante_waiting_mails")).toBe(3);
  });

  test("keeps the metrics of two services in one process apart", async () => {
    const other = createMetrics("9.8.7", () => Promise.resolve(statistics));
    other.smtp.mailAccepted(1);
    other.close();
    expect(await valueOf("restante_mails_accepted_total")).toBe(0);
  });

  test("use the text format of Prometheus", async () => {
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.text()).toMatch(/^# HELP restante_smtp_sessions /m);
  });
});
