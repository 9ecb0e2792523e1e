import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { redirectModule } from "./redirect-module.ts";

const run = promisify(execFile);

test("loads in a Node without TypeScript support, and rejects requests while no service is known", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-redirect-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const url = redirectModule(folder);
  const program = `fetch("https://mailosaur.com/api/servers").catch((error) => console.log(error.message))`;
  const { stdout } = await run(
    process.execPath,
    ["--no-strip-types", "--no-warnings", `--import=${url}`, "--eval", program],
    { cwd: folder, env: { PATH: process.env["PATH"] } },
  );
  expect(stdout).toContain("restante/redirect: a request for mailosaur.com was stopped");
  expect(url).toMatch(/^file:.*redirect\.js$/);
});

test("loads completely in processes that write it concurrently", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-redirect-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const maker = JSON.stringify(new URL("redirect-module.ts", import.meta.url).href);
  const program = `
    const { redirectModule } = await import(${maker});
    for (let times = 0; times < 5; times += 1) {
      await import(redirectModule(${JSON.stringify(folder)}) + "?" + times);
    }
    console.log("loaded");`;
  const endings = await Promise.all(
    Array.from({ length: 6 }, async () => await run(process.execPath, ["--input-type=module", "--eval", program])),
  );
  expect(endings.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 6 }, () => "loaded\n"));
  expect(
    readdirSync(folder, { recursive: true }).filter((name) => !/(?:\.js|json|^[^.]*)$/.test(String(name))),
  ).toEqual([]);
});
