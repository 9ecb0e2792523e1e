/** Test runs in one checkout build the same files at the same time: neither may read a part of what the other writes. */
import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildInto, replaceFolder } from "../scripts/replace-files.ts";

const cache = join(import.meta.dirname, "..", "node_modules", ".cache");
let parent: string;
let target: string;

beforeEach(() => {
  mkdirSync(cache, { recursive: true });
  // Within the checkout, so that the bundle finds packages.
  parent = mkdtempSync(join(cache, "concurrent-builds-"));
  target = join(parent, "target");
  mkdirSync(target);
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

/** Returns what a process reads that opened a file before `change`. */
async function readAcross(file: string, change: () => Promise<void> | void): Promise<string> {
  const held = openSync(join(target, file), "r");
  try {
    await change();
    return readFileSync(held, "utf8");
  } finally {
    closeSync(held);
  }
}

test("two processes bundle the service into one folder, and each starts what it finds there", async () => {
  writeFileSync(join(target, "main.js"), "former");
  const module = pathToFileURL(join(import.meta.dirname, "bundle-service.ts")).href;
  const script = `
    import { execFileSync } from "node:child_process";
    import { bundleService } from ${JSON.stringify(module)};
    await bundleService(process.argv[1]);
    process.stdout.write(execFileSync(process.execPath, [process.argv[1] + "/main.js", "--version"]));`;
  const build = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, target])).stdout;
  let versions: readonly string[] = [];
  const read = await readAcross("main.js", async () => {
    versions = await Promise.all([build(), build()]);
  });
  expect(versions).toEqual([expect.stringMatching(/\d+\.\d+\.\d+/), versions[0]]);
  expect(read).toBe("former");
  expect(readdirSync(parent)).toEqual(["target"]);
});

test("moves files that need others last, and keeps those of other builds", async () => {
  writeFileSync(join(target, "other.js"), "other");
  const order: string[] = [];
  const isLast = (file: string): boolean => {
    order.push(file);
    return file === "a.js";
  };
  const build = (draft: string): void => {
    mkdirSync(join(draft, "chunks"));
    for (const file of ["a.js", "chunks/b.js"]) writeFileSync(join(draft, file), file);
  };
  await buildInto(target, build, isLast);
  expect(new Set(order)).toEqual(new Set(["a.js", join("chunks", "b.js")]));
  expect(["a.js", "chunks/b.js", "other.js"].map((file) => readFileSync(join(target, file), "utf8"))).toEqual([
    "a.js",
    "chunks/b.js",
    "other",
  ]);
});

test("removes the draft of a build that fails, and leaves the target as it was", async () => {
  const build = (draft: string): void => {
    writeFileSync(join(draft, "a.js"), "a");
    throw new Error("syntax error");
  };
  await expect(buildInto(target, build)).rejects.toThrow("syntax error");
  expect(readdirSync(parent)).toEqual(["target"]);
  expect(readdirSync(target)).toEqual([]);
});

test("replaces a folder whole, while others read its former files", async () => {
  const draft = join(parent, "draft");
  mkdirSync(draft);
  writeFileSync(join(draft, "new.js"), "new");
  writeFileSync(join(target, "old.js"), "old");
  const read = await readAcross("old.js", () => {
    replaceFolder(draft, target);
  });
  expect(read).toBe("old");
  expect(readdirSync(target)).toEqual(["new.js"]);
  expect(existsSync(draft)).toBe(false);
  expect(readdirSync(parent)).toEqual(["target"]);
});
