import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { minimalSample } from "../conformance/sample-emails.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { sendgrid } from "./provider.ts";
import { apiRequest, sendBody } from "./samples.test-aid.ts";

const hourMs = 3_600_000;
const sendAt = startInstant + hourMs;

async function call(memory: MemoryServices, line: string, body: unknown = {}): Promise<ProviderResponse> {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  return callEndpoint(sendgrid, apiRequest(path, body, { key: validKey, method }), memory.services);
}

async function scheduledBatch(memory: MemoryServices): Promise<string> {
  const created = await call(memory, "POST /v3/mail/batch");
  expect(created.status).toBe(201);
  const id = String(jsonOf(created)["batch_id"]);
  const body = { ...sendBody({ ...minimalSample, sendAt }), batch_id: id };
  expect((await call(memory, "POST /v3/mail/send", body)).status).toBe(202);
  return id;
}

const sends = "/v3/user/scheduled_sends";
const instants = (memory: MemoryServices): readonly (number | null)[] => memory.emails.map((one) => one.sendAt);

describe("batches", () => {
  test("validates ids", async () => {
    const memory = memoryServices();
    const id = await scheduledBatch(memory);
    expect(jsonOf(await call(memory, `GET /v3/mail/batch/${id}`))).toEqual({ batch_id: id });
    const unknown = await call(memory, "GET /v3/mail/batch/unknown");
    expect([unknown.status, jsonOf(unknown)]).toEqual([
      400,
      { errors: [{ field: null, message: "invalid batch id" }] },
    ]);
  });

  test("holds mail back while paused, also mail that is added, and sends it as scheduled afterwards", async () => {
    const memory = memoryServices();
    const id = await scheduledBatch(memory);
    const paused = await call(memory, `POST ${sends}`, { batch_id: id, status: "pause" });
    expect([paused.status, jsonOf(paused)]).toEqual([201, { batch_id: id, status: "pause" }]);
    await call(memory, "POST /v3/mail/send", { ...sendBody({ ...minimalSample, sendAt }), batch_id: id });
    expect(instants(memory).every((instant) => (instant ?? 0) > sendAt + 100 * hourMs)).toBe(true);
    expect(jsonOf(await call(memory, `GET ${sends}/${id}`))).toEqual([{ batch_id: id, status: "pause" }]);
    expect((await call(memory, `DELETE ${sends}/${id}`)).status).toBe(204);
    expect(instants(memory)).toEqual([sendAt, sendAt]);
    expect(jsonOf(await call(memory, `GET ${sends}/${id}`))).toEqual([]);
  });

  test("sends paused mail at once when its instant has passed, and discards it after 72 hours", async () => {
    const memory = memoryServices();
    const id = await scheduledBatch(memory);
    await call(memory, `POST ${sends}`, { batch_id: id, status: "pause" });
    memory.now = sendAt + 71 * hourMs;
    await call(memory, `DELETE ${sends}/${id}`);
    expect(instants(memory)).toEqual([memory.now]);
    const other = memoryServices();
    const second = await scheduledBatch(other);
    await call(other, `POST ${sends}`, { batch_id: second, status: "pause" });
    other.now = sendAt + 73 * hourMs;
    await call(other, `DELETE ${sends}/${second}`);
    expect(other.emails).toEqual([]);
  });

  test("restores cancelled mail before its instant, and discards it afterwards", async () => {
    const memory = memoryServices();
    const id = await scheduledBatch(memory);
    await call(memory, `POST ${sends}`, { batch_id: id, status: "pause" });
    expect((await call(memory, `PATCH ${sends}/${id}`, { status: "cancel" })).status).toBe(204);
    await call(memory, `DELETE ${sends}/${id}`);
    expect(instants(memory)).toEqual([sendAt]);
    await call(memory, `POST ${sends}`, { batch_id: id, status: "cancel" });
    memory.now = sendAt + 1;
    expect(jsonOf(await call(memory, `GET ${sends}`))).toEqual([{ batch_id: id, status: "cancel" }]);
    expect(memory.emails).toEqual([]);
  });

  test("rejects unknown ids, a second status, and more than 100 batches with a status", async () => {
    const memory = memoryServices();
    const id = await scheduledBatch(memory);
    const errorOf = async (line: string, body?: unknown): Promise<unknown> => {
      const response = await call(memory, line, body);
      return [response.status, (jsonOf(response)["errors"] as readonly unknown[])[0]];
    };
    expect(await errorOf(`POST ${sends}`, { batch_id: "x", status: "pause" })).toEqual([
      400,
      { field: "batch_id", message: "invalid batch id" },
    ]);
    const missing = [404, { field: null, message: "batch id not found" }];
    expect(await errorOf(`PATCH ${sends}/${id}`, { status: "pause" })).toEqual(missing);
    expect(await errorOf(`DELETE ${sends}/${id}`)).toEqual(missing);
    await call(memory, `POST ${sends}`, { batch_id: id, status: "pause" });
    expect(await errorOf(`POST ${sends}`, { batch_id: id, status: "cancel" })).toEqual([
      400,
      { field: "batch_id", message: "a status for this batch id exists, try PATCH to update the status" },
    ]);
    for (let count = 1; count < 100; count += 1) {
      await call(memory, `POST ${sends}`, { batch_id: await scheduledBatch(memory), status: "pause" });
    }
    const last = await scheduledBatch(memory);
    expect(await errorOf(`POST ${sends}`, { batch_id: last, status: "pause" })).toEqual([
      400,
      { field: null, message: "max limit reached" },
    ]);
  });
});
