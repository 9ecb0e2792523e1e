import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdSource, type ServerId } from "../../../src/core/ids.ts";
import { SearchBody } from "../../../src/core/search/search-fields.ts";
import { defaultIndexSettings } from "../../../src/store/sqlite/text-index/index-work.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { NewMessage } from "../../../src/store/store.ts";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { newContext, rowsOf, visit, type Setup } from "./setup.ts";

/** Enough for twenty pages of a thousand. */
const messageCount = 20_000;
const batchCount = 1000;
const server = "huge1234" as ServerId;
const scriptBytesMax = 150_000;

/** Journeys with a server of thousands of messages. */
export function describeLargeServer(setup: () => Setup): void {
  let folder: string;
  let service: Restante;
  const huge = (): Setup => ({ ...setup(), service, servers: [server, server] });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "restante-large-"));
    await fill(folder);
    service = await startRestante({ dataDir: folder, apiKey: "a-key-for-journeys" });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("loads at most 150 kB of compressed script for the first view, all from the same origin", async () => {
    await using visited = await visit(huge());
    // A browser without a cache, but with the session.
    await using context = await newContext(setup(), { storageState: await visited.context.storageState() });
    const token = await visited.page.evaluate<string>(`localStorage.getItem("restante-session")`);
    await context.addInitScript(`localStorage.setItem("restante-session", ${JSON.stringify(token)})`);
    const page = await context.newPage();
    const files: Promise<number>[] = [];
    const foreign: string[] = [];
    page.on("response", (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin !== service.url) foreign.push(response.url());
      if (pathname.endsWith(".js")) files.push(response.body().then((body) => gzipSync(body).byteLength));
    });
    const startedAt = performance.now();
    await page.goto(`${service.url}/servers/${server}`);
    await rowsOf(page).getByRole("link").first().waitFor();
    const tookMs = performance.now() - startedAt;
    const bytes = (await Promise.all(files)).reduce((sum, one) => sum + one, 0);
    console.info(`first view: ${Math.round(bytes / 1000)} kB of compressed script, ${Math.round(tookMs)} ms`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
    expect(foreign).toEqual([]);
  });

  test("scrolls a list of 20,000 messages without failed requests, rendering few rows", async () => {
    await using visited = await visit(huge(), { path: `/servers/${server}` });
    const { page, consoleErrors } = visited;
    const failed: string[] = [];
    page.on("requestfailed", (request) => failed.push(request.url()));
    page.on("response", (response) => {
      if (response.status() >= 400) failed.push(response.url());
    });
    await page.getByText("20,000 messages").waitFor();
    await rowsOf(page).getByRole("link").first().waitFor();
    for (const share of [0.1, 0.25, 0.5, 0.75, 0.9, 1, 0.33]) {
      await scrollTo(page, share);
      const row = Math.round(share * messageCount);
      await expect.poll(async () => Math.abs((await rowInSight(page)) - row)).toBeLessThan(60);
      expect(await rowsOf(page).count()).toBeLessThan(60);
    }
    const longestMs = await glide(page);
    console.info(`longest frame while gliding over 20,000 messages: ${Math.round(longestMs)} ms`);
    expect(failed).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  test("orders messages of the same second, newest first", async () => {
    await using visited = await visit(huge(), { path: `/servers/${server}` });
    const subjects = rowsOf(visited.page).getByText(/^Mail \d/);
    await subjects.nth(5).waitFor();
    const shown = (await subjects.allInnerTexts()).slice(0, 6).map((text) => Number(text.split(" ")[1]));
    expect(shown).toEqual([0, 1, 2, 3, 4, 5].map((back) => messageCount - 1 - back));
  });
}

/** Fills a new folder with a server of 20,000 messages that were received within two seconds. */
async function fill(directory: string): Promise<void> {
  // No test searches, so nothing needs an index.
  const index = { ...defaultIndexSettings, serverMessageCountMin: Number.MAX_SAFE_INTEGER };
  const store = await openSqliteStore({ directory, durable: false, index });
  const startedAt = Date.now() - 3_600_000;
  let made = 0;
  const ids = createIdSource(() => startedAt + Math.floor(made / 50));
  await store.createServer({ id: server, name: "Huge", password: "secret", createdAt: startedAt, expiresAt: null });
  for (let batch = 0; batch < messageCount / batchCount; batch += 1) {
    await store.addMessages(
      Array.from({ length: batchCount }, () => newMessage(ids.next(server, "Received").id, made++)),
    );
  }
  await store.close();
}

function newMessage(id: NewMessage["id"], number: number): NewMessage {
  const address = `user-${number}@${server}.restante.example.com`;
  const contact = { name: "", email: address, phone: null };
  const received = new Date(Date.now() - 3_600_000).toISOString();
  const shared = {
    id,
    type: "Email",
    server,
    subject: `Mail ${number} of many`,
    from: [contact],
    to: [contact],
    cc: [],
    bcc: [],
    received,
  };
  const summary = { ...shared, summary: "Some words of it", attachments: 0 };
  const none = { links: [], codes: [], body: null };
  const message = { ...shared, html: { ...none, images: [] }, text: none, attachments: [], defects: [] };
  const glance = { codes: [], sizeBytes: 64, inline: 0, files: [], tags: [] };
  const detail = { glance, message, htmlParts: [], textParts: [], parts: [], session: null };
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify(summary)),
    detailJson: Buffer.from(JSON.stringify(detail)),
    raw: Buffer.from(`Subject: Mail ${number} of many\r\n\r\nSome words of it\r\n`),
    // No test searches, and entries of addresses take half of the time to store a message.
    keys: { from: [], to: [], subject: "", body: new SearchBody([]), fields: {} },
  };
}

async function scrollTo(page: Page, share: number): Promise<void> {
  await page.evaluate(
    `{ const list = document.querySelector('[role=region][aria-label=Messages]'); list.scrollTop = (list.scrollHeight - list.clientHeight) * ${share} }`,
  );
}

/** Returns the position of the first loaded message in view, from 1; 0 for none. */
async function rowInSight(page: Page): Promise<number> {
  return page.evaluate<number>(
    `(() => {
      const top = document.querySelector('[role=region][aria-label=Messages]').getBoundingClientRect().top;
      const rows = [...document.querySelectorAll('li[data-id]')];
      const first = rows.filter((row) => row.getBoundingClientRect().bottom > top)
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0];
      return Number(first?.getAttribute("aria-posinset") ?? 0);
    })()`,
  );
}

/** Scrolls from top to bottom in a second; returns the longest time between two frames, in milliseconds. */
async function glide(page: Page): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => {
      const list = document.querySelector('[role=region][aria-label=Messages]');
      const startedAt = performance.now();
      let last = startedAt, longest = 0;
      const step = () => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        const share = (now - startedAt) / 1000;
        list.scrollTop = (list.scrollHeight - list.clientHeight) * share;
        if (share < 1) requestAnimationFrame(step); else resolve(longest);
      };
      requestAnimationFrame(step);
    })`,
  );
}
