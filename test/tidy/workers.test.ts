/** Workers run where their end is not that of the service: docs/decisions/0095. */
import { basename } from "node:path";
import { expect, test } from "vitest";
import { workerKinds } from "../../src/operations/services/worker-kinds.ts";
import { filesBelow } from "./source-files.ts";

const product = filesBelow("src", ".ts").filter(({ path }) => !/\.test(?:-aid)?\.ts$/.test(path));

test("every module that executes calls as a worker belongs to a kind of worker, drives a browser, or renders for its user", () => {
  const modules = product.filter(({ text }) => /^answer(?:Mail)?Calls\(/m.test(text)).map(({ path }) => path);
  const ofKinds = new Set(workerKinds.map(({ file }) => basename(file.pathname).replace(/\.[jt]s$/, "")));
  const others = modules.filter((path) => !ofKinds.has(basename(path, ".ts")));
  expect(others).toEqual([
    "src/previews/render-worker.ts",
    "src/previews/visit-worker.ts",
    "src/templates/project-template-worker.ts",
  ]);
  expect(modules.length - others.length).toBe(ofKinds.size);
});

test("only stores start threads, whose memory V8 cannot contain", () => {
  const starting = product.filter(({ text }) => text.includes("new Worker(")).map(({ path }) => path);
  expect(starting.filter((path) => !path.startsWith("src/store/"))).toEqual([]);
});
