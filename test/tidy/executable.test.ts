/** The source fits what scripts/build-executable.ts replaces: docs/decisions/0071. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

const product = filesBelow("src", ".ts").filter(
  ({ path }) =>
    !/\.test(?:-aid)?\.ts$/.test(path) &&
    !/^src\/(?:testing|store\/conformance|previews|templates|core\/worker)\b/.test(path),
);

test("threads are only started in the forms that the build of the executable replaces", () => {
  const others = product.filter(({ text }) => {
    const started = text.match(/new Worker\(/g)?.length ?? 0;
    const located = text.match(/\bworkerUrl\(/g)?.length ?? 0;
    const replaced = text.match(/new Worker\(file,/g)?.length ?? 0;
    const found = text.match(/\bworkerUrl\(import\.meta\.url,/g)?.length ?? 0;
    return started !== replaced || located !== found;
  });
  expect(others.map(({ path }) => path)).toEqual([]);
});

test("workers are started by the command that the build of the executable replaces", () => {
  const starting = product.filter(({ text }) => text.includes("process.execPath")).map(({ path }) => path);
  expect(starting.filter((path) => path.startsWith("src/workers/"))).toEqual(["src/workers/worker-process.ts"]);
  expect(product.filter(({ text }) => text.includes(" nodeProgram(file, flags)"))).toHaveLength(1);
});

test("worker modules are in the rooms that the build searches, and can be CommonJS", () => {
  const named = product.flatMap(({ text }) =>
    Array.from(text.matchAll(/"((?:[\w-]+\/)*[\w-]+-worker)"/g), ([, name = ""]) => name.split("/").at(-1)),
  );
  const workers = filesBelow("src", "-worker.ts").filter(({ path }) => /^src\/(?:operations|store)\//.test(path));
  expect(workers.length).toBeGreaterThan(7);
  const names = workers.map(({ path }) => /([\w-]+)\.ts$/.exec(path)?.[1]);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
  expect(workers.filter(({ text }) => /^(?:const .*= )?await /m.test(text)).map(({ path }) => path)).toEqual([]);
});

test("the modules that read files by their own URL are those whose files the executable contains", () => {
  const reading = product.filter(({ text }) => /new URL\("[^"]+", import\.meta\.url\)/.test(text));
  expect(reading.map(({ path }) => path)).toEqual([
    "src/app/version.ts",
    // Not used from the executable: `restante env --redirect`.
    "src/cli/environment/redirect-module.ts",
    "src/http/web/assets.ts",
    "src/http/web/routes/pages.ts",
  ]);
});
