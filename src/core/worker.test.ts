import { expect, test } from "vitest";
import { workerUrl } from "./worker.ts";

test.each([
  ["file:///app/src/store/sqlite/store.ts", "file:///app/src/store/sqlite/write-worker.ts"],
  ["file:///app/dist/store/sqlite/store.js", "file:///app/dist/store/sqlite/write-worker.js"],
  ["file:///with%20space/store.js", "file:///with%20space/write-worker.js"],
])("the worker of %s", (module, worker) => {
  expect(workerUrl(module, "write-worker").href).toBe(worker);
});
