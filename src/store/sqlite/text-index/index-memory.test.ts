import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";

interface Outcome {
  /** Peak growth of memory during indexing, in MB. */
  readonly grownMb: number;
  readonly failureCount: number;
  readonly found: number;
}

/** Indexes messages whose bodies and recipients are expressions over `n`, in a separate process, and measures its memory. */
async function indexAll(body: string, to: string): Promise<Outcome> {
  const directory = await aDirectory();
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const source = `
    import { setTimeout } from "node:timers/promises";
    import { createBackgroundTasks } from ${url("../../../core/background-tasks.ts")};
    import { systemClock } from ${url("../../../core/clock.ts")};
    import { openSqliteStore } from ${url("../open.ts")};
    import { aServer, draft, page } from ${url("../../conformance/drafts.ts")};
    const tasks = createBackgroundTasks(systemClock, () => undefined);
    const index = { serverMessageCountMin: 0, newMessageCountMin: 16, segmentMessageCountMax: 512 };
    const options = { directory: ${JSON.stringify(directory)}, durable: false, tasks };
    const filling = await openSqliteStore({ ...options, index: { ...index, serverMessageCountMin: Infinity } });
    const { id } = await filling.createServer(aServer());
    let state = 1;
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
    const noise = (length) => {
      const bytes = Uint32Array.from({ length: Math.ceil(length * 3 / 16) }, random);
      return Buffer.from(bytes.buffer).toString("base64url").toLowerCase().slice(0, length);
    };
    const message = (n) => draft(id, { at: Date.UTC(2026, 0, 1) + n, body: ${body} + " needle " + n + ".",
      fields: { to: [${to}, "needle" + n + "@x.test"] } });
    for (let from = 0; from < 400; from += 16) {
      await filling.addMessages(Array.from({ length: 16 }, (_, at) => message(from + at)));
    }
    await filling.close();
    const before = process.memoryUsage.rss();
    let most = before;
    const store = await openSqliteStore({ ...options, index });
    while ((await store.statistics()).indexBacklogCount > 15) {
      most = Math.max(most, process.memoryUsage.rss());
      await setTimeout(20);
    }
    const ofBody = await store.searchMessages(id, { kind: "text", field: "body", term: "needle 334." }, page());
    const ofPart = await store.findMessages(id, { kind: "part", part: "to", term: "dle334@" }, page());
    const count = ofBody.count + ofPart.identities.length;
    const failureCount = tasks.states().find(({ task }) => task === "text_index").failureCount;
    await store.close();
    console.log(JSON.stringify({ grownMb: Math.round((most - before) / 2 ** 20), failureCount, found: count }));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return JSON.parse(await text(child.stdout)) as Outcome;
}

/** Returns the expression for a text of random characters in many scripts. */
function everyScript(length: number): string {
  return `Buffer.from(new Uint16Array(${length}).map(() => 0x100 + (random() >>> 8) % 40_000).buffer).toString('utf16le')`;
}

/**
 * Bound for threads, their heaps and caches, and the index, which take up to 75: it leaves 140 kB for each of the 400
 * messages, fewer than a list of the different words of a random text takes.
 */
const grownMbMax = 130;

test.each([
  ["random", "noise(16_000)", "noise(40_000)"],
  ["repeated", "'Your order is on its way. '.repeat(600)", "'ann@shop.test '.repeat(4000)"],
  ["of one character", "'x'.repeat(16_000)", "'x'.repeat(60_000)"],
  ["of every script", everyScript(6000), everyScript(20_000)],
  ["long at intervals", "noise(n % 80 === 0 ? 1_000_000 : 500)", "noise(n % 80 === 0 ? 60_000 : 50)"],
])("indexes texts that are %s within bounded memory", async (_, body, to) => {
  const { grownMb, failureCount, found } = await indexAll(body, to);
  expect(failureCount).toBe(0);
  expect(found).toBe(2);
  expect(grownMb).toBeLessThan(grownMbMax);
});
