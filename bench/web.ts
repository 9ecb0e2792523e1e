/**
 * The web UI in Chromium with a server of 100,000 messages: search as one types, the wheel through 10,000 rows, a message that is
 * opened, and the script of the first view. Times are taken inside the page; floors are a request from the page for a page of the
 * list, and a page of plain rows that is scrolled the same way.
 */
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import chromium from "@sparticuz/chromium";
import { chromium as playwright, type Page } from "playwright-core";
import { benchKey, benchServer, startService, type Program } from "./child.ts";
import { fillLargeServer, typedTexts } from "./large-server.ts";
import { median, printTable, ratio } from "./report.ts";

const viewport = { width: 1440, height: 900 };
const openCount = 25;
const listCount = 25;
const scrolledRows = 10_000;
const rowHeightPx = 38;
/** Five rows a frame at 60 frames a second. */
const wheelPxPerSecond = 11_400;
/** Time for the files that the page loads after the first rows. */
const settleMs = 2000;
const targets = { answerMs: 50, frameMs: 17, openMs: 100, scriptKb: 140 } as const;

/** Measures the web UI. */
export async function benchWeb(): Promise<void> {
  const service = await startService("build");
  const executablePath = await chromium.executablePath();
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await fillLargeServer(service);
    const context = await browser.newContext({ viewport });
    await context.addInitScript(pageScript);
    const page = await context.newPage();
    const scriptKb = await open(page, service);
    const lists = await samples(listCount, async () => page.evaluate<number>("bench.list()"));
    const opened = await samples(openCount, async (at) => page.evaluate<number>(`bench.open(${at})`));
    const { answers, shown } = await type(page);
    const scrolled = await scroll(page);
    const floor = await context.newPage();
    await floor.setContent(plainRows());
    const plain = await scroll(floor);
    const frames = (name: string, { deltas }: Scrolled, other: Scrolled): string[] =>
      row(name, deltas, { floor: other.deltas, target: targets.frameMs });
    printTable(
      "The web UI, 100,000 messages",
      ["", "median ms", "p95 ms", "to floor", "target (p95)"],
      [
        row("floor: a page of the list, requested by the page", lists, { floor: lists }),
        row("answer while one types", answers, { floor: lists, target: targets.answerMs }),
        row("letter typed to results shown, with the pause of 60 ms", shown, { floor: lists }),
        row("message opened: click to content shown", opened, { floor: lists, target: targets.openMs }),
        frames("floor: frame of plain rows", plain, plain),
        frames("frame while the wheel moves", scrolled, plain),
      ],
    );
    process.stdout.write(
      `\n${scrolled.missing} of ${scrolled.deltas.length} frames showed a placeholder; ` +
        `first view: ${scriptKb.toFixed(0)} kB of compressed script (target: ${targets.scriptKb})\n`,
    );
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Signs in and opens the list; returns the compressed size of the scripts that were loaded. */
async function open(page: Page, { httpPort }: Program): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!new URL(response.url()).pathname.endsWith(".js")) return;
    sizes.push(response.body().then((body) => gzipSync(body).byteLength));
  });
  await page.goto(`http://127.0.0.1:${httpPort}/servers/${benchServer}#token=${benchKey}`);
  await page.locator("[data-id]").first().waitFor();
  await pause(settleMs);
  return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0) / 1000;
}

/** Types each text letter by letter, each after the results of the one before. */
async function type(page: Page): Promise<{ readonly answers: readonly number[]; readonly shown: readonly number[] }> {
  const answers: number[] = [];
  const shown: number[] = [];
  const box = page.locator("input[aria-keyshortcuts], input[placeholder]").first();
  for (const [, text] of typedTexts) {
    await box.fill("");
    for (const letter of text) {
      await page.evaluate("bench.expectLetter()");
      await box.press(letter === " " ? "Space" : letter);
      // A letter that changes no condition, such as a space or the colon of an operator, sends no request.
      const result = await page.evaluate<readonly [number, number] | null>("bench.letter()");
      if (result === null) continue;
      answers.push(result[0]);
      shown.push(result[1]);
    }
  }
  await box.fill("");
  return { answers, shown };
}

interface Scrolled {
  /** Milliseconds between frames. */
  readonly deltas: readonly number[];
  /** Frames with a placeholder in view. */
  readonly missing: number;
}

/** Turns the wheel over the list. */
async function scroll(page: Page): Promise<Scrolled> {
  await page.evaluate("bench.startFrames()");
  const session = await page.context().newCDPSession(page);
  await session.send("Input.synthesizeScrollGesture", {
    x: viewport.width / 2,
    y: viewport.height / 2,
    yDistance: -scrolledRows * rowHeightPx,
    speed: wheelPxPerSecond,
    gestureSourceType: "mouse",
  });
  return page.evaluate<Scrolled>("bench.stopFrames()");
}

async function samples(count: number, sample: (at: number) => Promise<number>): Promise<readonly number[]> {
  const figures: number[] = [];
  for (let at = 0; at < count; at += 1) figures.push(await sample(at));
  return figures;
}

function row(
  name: string,
  figures: readonly number[],
  { floor, target }: { readonly floor: readonly number[]; readonly target?: number },
): string[] {
  const p95 = figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.95)] ?? Number.NaN;
  const goal = target === undefined ? "" : String(target);
  return [name, median(figures).toFixed(1), p95.toFixed(1), ratio(median(figures), median(floor)), goal];
}

function plainRows(): string {
  const rows = Array.from({ length: scrolledRows + 100 }, (_, at) => `<li>Row ${at}</li>`).join("");
  return `<style>ul { height: 850px; margin: 0; overflow: auto } li { height: ${rowHeightPx}px }</style><ul>${rows}</ul>`;
}

/** Clocks inside the page; a string, because these sources have no types of browsers. */
const pageScript = `
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0)));
const until = async (condition) => {
  while (!condition()) await painted();
  return painted();
};
let letterAt = 0;
let frames = null;
addEventListener("beforeinput", () => { letterAt = performance.now(); }, true);
const requests = () => performance.getEntriesByType("resource").filter(({ name, startTime }) =>
  startTime > letterAt && letterAt > 0 && new URL(name).pathname === "/api/messages");
globalThis.bench = {
  async list() {
    const startedAt = performance.now();
    const token = localStorage.getItem("restante-session");
    const path = "/api/messages?server=${benchServer}&itemsPerPage=100&receivedAfter=" + Math.floor(1 + Math.random() * 1e6);
    const response = await fetch(path, { headers: { "x-restante-web": "1", "x-restante-session": token } });
    if (!response.ok) throw new Error("the page cannot request a list: " + response.status);
    await response.arrayBuffer();
    return performance.now() - startedAt;
  },
  async open(at) {
    const links = [...document.querySelectorAll("[data-id] > a")];
    const link = links[at % links.length];
    const before = document.querySelector("[role=tabpanel]");
    const startedAt = performance.now();
    link.click();
    return await until(() => {
      const panel = document.querySelector("[role=tabpanel]");
      return panel !== null && panel !== before && panel.textContent.length > 40;
    }) - startedAt;
  },
  expectLetter() {
    letterAt = 0;
    performance.clearResourceTimings();
  },
  async letter() {
    const startedAt = performance.now();
    while (requests().length === 0) {
      if (performance.now() - startedAt > 1500) return null;
      await painted();
    }
    const shownAt = await painted();
    const [{ startTime, responseEnd }] = requests();
    return [responseEnd - startTime, shownAt - letterAt];
  },
  startFrames() {
    frames = { deltas: [], missing: 0, isRunning: true };
    let last = performance.now();
    const scroller = document.querySelector("ul").parentElement;
    const next = (at) => {
      frames.deltas.push(at - last);
      last = at;
      const from = scroller.scrollTop;
      const placeholders = [...scroller.querySelectorAll("li[aria-hidden]")].map((one) => parseFloat(one.style.top));
      if (placeholders.some((top) => top + ${rowHeightPx} > from && top < from + scroller.clientHeight)) frames.missing += 1;
      if (frames.isRunning) requestAnimationFrame(next);
    };
    requestAnimationFrame((at) => { last = at; requestAnimationFrame(next); });
  },
  stopFrames() {
    frames.isRunning = false;
    return { deltas: frames.deltas, missing: frames.missing };
  },
};
`;
