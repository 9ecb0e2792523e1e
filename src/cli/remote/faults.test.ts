import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { LocalService } from "../../testing/local-service.ts";
import { run } from "../run.ts";

const key = "a-key-for-faults";
const server = "faults12";

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-faults-"));
  service = await LocalService.start([`--data-dir=${folder}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Faults`,
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function command(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const write = (written: string): void => void (text += written);
  // Commands for the whole service need no server.
  const named = argv.includes("--service") ? {} : { RESTANTE_SERVER: server };
  const environment = { RESTANTE_API_KEY: key, RESTANTE_URL: service.url, ...named };
  const code = await run(["faults", ...argv], { environment, out: write, error: write, clock: new FakeClock() });
  return { code, text };
}

function aFile(content: string): string {
  const file = join(folder, "rules.json");
  writeFileSync(file, content);
  return file;
}

const rule = { name: "defer", match: { stage: ["mail", "rcpt"] }, then: { reply: { code: 451 } } };
const line = 'defer\tactive\tmail,rcpt\t{"reply":{"code":451}}\t0\t0\t0\n';

test.each([
  ["an array", [rule]],
  ["an object", { items: [rule] }],
])("sets the rules of a file with %s, lists and clears them", async (_, content) => {
  expect(await command("set", aFile(JSON.stringify(content)))).toEqual({ code: 0, text: line });
  expect(await command("list")).toEqual({ code: 0, text: line });
  const { text } = await command("list", "--json");
  expect(JSON.parse(text)).toMatchObject([{ ...rule, hits: 0, lastHits: [] }]);
  expect(await command("clear")).toEqual({ code: 0, text: "" });
  expect(await command("list")).toEqual({ code: 0, text: "" });
});

test("pauses one rule and resumes it, without changing the others", async () => {
  const other = { name: "late", match: { stage: "data" }, until: { hits: 3 }, then: { delayMs: 1 } };
  await command("set", aFile(JSON.stringify([rule, other])));
  const late = 'late\tactive\tdata\t{"delayMs":1}\t0\t0\t0\n';
  expect(await command("pause", "defer")).toEqual({ code: 0, text: line.replace("active", "paused") + late });
  expect((await command("list")).text).toBe(line.replace("active", "paused") + late);
  expect(await command("resume", "defer")).toEqual({ code: 0, text: line + late });
  const unknown = await command("pause", "nothing");
  expect([unknown.code, unknown.text]).toEqual([1, expect.stringContaining("no fault rule with the name nothing")]);
  await command("clear");
});

test("sets the rules of the service with --service", async () => {
  const content = [{ name: "all", match: { stage: "connect" }, when: { every: 100 }, then: { delayMs: 1 } }];
  expect((await command("set", "--service", aFile(JSON.stringify(content)))).code).toBe(0);
  expect((await command("list", "--service")).text).toBe('all\tactive\tconnect\t{"delayMs":1}\t0\t0\t0\n');
  expect((await command("list")).text).toBe("");
  expect((await command("clear", "--service")).code).toBe(0);
});

test("fails with the path of a wrong member, and for a file that is not JSON", async () => {
  const wrong = await command("set", aFile(JSON.stringify([{ ...rule, then: {} }])));
  expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("[0].then: Must have one of")]);
  const broken = await command("set", aFile("{"));
  expect([broken.code, broken.text]).toEqual([1, expect.stringContaining("rules.json: not JSON")]);
});
