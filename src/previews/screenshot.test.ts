/** Screenshots of a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../core/background-tasks.ts";
import { systemClock } from "../core/clock.ts";
import { defaultLimits } from "../core/limits.ts";
import { chromiumPath } from "../testing/chromium-path.test-aid.ts";
import type { ComparedScreenshot, ScreenshotComparison } from "./compare-screenshot.ts";
import { findScreenshotClient } from "./email-client.ts";
import { decodePng } from "./png.ts";
import { Renderer } from "./renderer.ts";

let renderer: Renderer;
beforeAll(async () => {
  const tasks = createBackgroundTasks(systemClock, () => undefined);
  const choice = await chromiumPath();
  renderer = new Renderer({ choice, limits: defaultLimits, clock: systemClock, tasks, renderMsMax: 120_000 });
});
afterAll(async () => renderer.close());

const comparison = { masked: [{ name: "recipient", value: "ada@x.example" }], threshold: 0.1, maxChangedPixels: 0 };

async function compare(
  html: string,
  baseline: Uint8Array | null,
  {
    name = "gmail",
    isDark = false,
    ...options
  }: Partial<ScreenshotComparison> & { name?: string; isDark?: boolean } = {},
): Promise<ComparedScreenshot | null> {
  const client = findScreenshotClient(name, isDark);
  if (client === undefined) throw new Error(`there is no ${name}`);
  const source = async (): Promise<Uint8Array> =>
    Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`);
  return renderer.compare(source, { client, comparison: { ...comparison, baseline, ...options } }, { key: "one" });
}

async function baselineOf(html: string, name?: string): Promise<Uint8Array> {
  const first = await compare(html, null, name === undefined ? {} : { name });
  expect(first).toMatchObject({ isMatch: false, reason: "There is no baseline to compare with", difference: null });
  return first?.picture ?? new Uint8Array();
}

const mail = (code: string, day: string, button = "Confirm") =>
  `<p style="font-family:Arial">Your code is <b>${code}</b>, sent to ada@x.example on ${day}. 🎉 ✓ Ж Ω</p><p>Hello, Ada</p><a href="https://x.example/${code}">${button}</a><p>Bye</p>`;

describe("a screenshot", () => {
  test("matches another sending of the mail, and names what a change is near", async () => {
    const baseline = await baselineOf(mail("804219", "1 December 2026"));
    expect(await compare(mail("11720493", "24 May 2027"), baseline)).toMatchObject({
      isMatch: true,
      changedPixels: 0,
      width: 1000,
      height: 700,
      usesMachineFonts: false,
      reason: null,
    });
    const changed = await compare(mail("804219", "1 December 2026", "Verify"), baseline);
    expect(changed?.isMatch).toBe(false);
    expect(changed?.reason).toMatch(/^\d+ pixels differ \(0\.\d\d %\): near "Verify" \(\d+ × \d+ at \d+, \d+\)$/);
    expect(decodePng(changed?.difference ?? new Uint8Array())).toMatchObject({ width: 1000, height: 700 });
    const allowed = { maxChangedPixels: changed?.changedPixels ?? 0 };
    expect(await compare(mail("804219", "1 December 2026", "Verify"), baseline, allowed)).toMatchObject({
      isMatch: true,
      changedPixels: changed?.changedPixels,
    });
  });

  test("says in words that its size differs", async () => {
    const baseline = await baselineOf("<body style=margin:0><div style=height:800px>Text</div>");
    const { isMatch, reason } =
      (await compare("<body style=margin:0><div style=height:900px>Text</div>", baseline)) ?? {};
    expect(isMatch).toBe(false);
    expect(reason).toMatch(
      /^The picture is 1000 × 900 pixels instead of 1000 × 800\. 100000 pixels differ \(11\.11 %\): near "Text"/,
    );
  });

  test("shows animated images, styles and elements at rest", async () => {
    const frame = (colour: number): readonly number[] => [
      ...Buffer.from([0x21, 0xf9, 4, 4, 1, 0, 0, 0]),
      ...Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44 + colour * 8, 1, 0]),
    ];
    const head = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
    const loop = [0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 0, 0, 0];
    const gif = Buffer.from([...head, ...loop, ...frame(0), ...frame(1), 0x3b]).toString("base64");
    const moving = `<body style=margin:0><style>@keyframes k{from{margin-left:0}to{margin-left:300px}} p{animation:k .1s infinite alternate}</style><img style="display:block;width:50px;height:50px" src="data:image/gif;base64,${gif}"><p>Moves</p><marquee>Scrolls</marquee><progress></progress>`;
    const baseline = await baselineOf(moving, "apple-mail");
    const again = await Promise.all([1, 2, 3].map(async () => compare(moving, baseline, { name: "apple-mail" })));
    expect(again.map((one) => one?.isMatch)).toEqual([true, true, true]);
    expect([...(decodePng(baseline)?.bytes.subarray(0, 3) ?? [])]).toEqual([255, 0, 0]);
  });

  test("shows dark modes", async () => {
    const corner = async (name: string): Promise<number> => {
      const shown = await compare(`<p>x`, null, { name, isDark: true });
      return decodePng(shown?.picture ?? new Uint8Array())?.bytes[0] ?? 255;
    };
    expect(await corner("outlook-2021")).toBeLessThan(60);
    expect(await corner("apple-mail-ios")).toBe(255);
  });

  test("is null for a baseline that is damaged", async () => {
    const baseline = Buffer.from(await baselineOf("x"));
    expect(await compare("x", baseline.subarray(0, baseline.length / 2))).toBeNull();
  });
});
