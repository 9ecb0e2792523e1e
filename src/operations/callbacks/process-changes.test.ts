import { afterAll, beforeAll, expect, test } from "vitest";
import { setImmediate } from "node:timers/promises";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { createChangeProcessor } from "./process-changes.ts";
import { createWebhook } from "./webhooks.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

test.each([
  ["4 messages at a time for criteria of bodies", { body: "Hello" }, 4],
  ["20 messages at a time for other criteria", { subject: "Hello" }, 20],
])("reads %s", async (_title, criteria, limit) => {
  const { id, ...keys } = await api.addServer();
  const request = { url: "http://app.test/hooks", criteria };
  await createWebhook(api.context, { keyId: "test", server: null }, { server: id, request });
  for (let count = 0; count < 45; count += 1) await api.deliver({ id, ...keys });
  let [readCount, readCountMax] = [0, 0];
  const { store } = api.context;
  const getDetail: typeof store.getDetail = async (message) => {
    readCount += 1;
    readCountMax = Math.max(readCountMax, readCount);
    await setImmediate();
    const detail = await store.getDetail(message);
    readCount -= 1;
    return detail;
  };
  const processor = createChangeProcessor({ ...api.context, store: { ...store, getDetail } });
  const lagging = (await store.callbacks.listLaggingServers(10)).find(({ server }) => server === id);
  if (lagging === undefined) throw new Error("the server has no changes");
  expect(await processor.process(lagging)).toMatchObject({ result: "processed", cursor: 45, errors: [] });
  expect(readCountMax).toBe(limit);
});
