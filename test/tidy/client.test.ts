/** Rules of the client library: generated files are current, operations complete, and it runs anywhere. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { generateClient, generatedFolder } from "../../scripts/generate-client.ts";
import { operations } from "../../src/client/generated/operations.ts";
import { filesBelow, root } from "./source-files.ts";

const sources = filesBelow("src/client", ".ts").filter(
  ({ path }) => !path.endsWith(".test.ts") && !path.includes("/generated/"),
);

test("the generated files agree with the OpenAPI document", async () => {
  for (const [name, text] of Object.entries(await generateClient())) {
    const isCurrent = readFileSync(join(generatedFolder, name), "utf8") === text;
    expect(isCurrent, `src/client/generated/${name} is out of date: run \`npm run generate\``).toBe(true);
  }
});

test("every operation of the document has a method", () => {
  const text = sources.map((file) => file.text).join("");
  expect(Object.keys(operations).filter((id) => !text.includes(`"${id}"`))).toEqual([]);
});

test("the client needs no Node types, and nothing newer than Node 20 and browsers of 2023", () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-client-types-"));
  const compilerOptions = { lib: ["es2023", "dom", "dom.iterable"], types: [], rootDir: join(root, "src") };
  const project = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    files: [join(root, "src/client/package-entry.ts")],
    include: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe("");
});
