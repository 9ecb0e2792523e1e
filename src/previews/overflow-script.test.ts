import { expect, test } from "vitest";
import { unobservedTasks } from "../core/background-tasks.ts";
import { systemClock } from "../core/clock.ts";
import { defaultLimits } from "../core/limits.ts";
import { chromiumPath } from "../testing/chromium-path.test-aid.ts";
import { readOverflows } from "./overflow-script.ts";
import { Renderer } from "./renderer.ts";

const html = `<!doctype html><html lang="de"><title>t</title>
<p style="width:120px">Ein Absatz, der in mehreren Zeilen in seine Breite passt.</p>
<div style="max-height:0;overflow:hidden;font-size:1px">Ein Vorspann, den niemand sieht und der sehr lang ist.</div>
<a href="https://a.example" style="display:inline-block;width:90px;white-space:nowrap">Bestellung jetzt verfolgen</a>
<p style="height:20px;width:100px;line-height:20px;overflow:hidden">Drei Zeilen, von denen nur eine sichtbar ist.</p>
<p style="width:90px;white-space:nowrap;visibility:hidden">Ein unsichtbarer Text, der nicht passt.</p>`;

test("a browser finds texts that are larger than their box, and no hidden ones", async () => {
  const options = { choice: await chromiumPath(), limits: defaultLimits, clock: systemClock, tasks: unobservedTasks };
  const renderer = new Renderer({ ...options, renderMsMax: 120_000 });
  const raw = Buffer.from(`Subject: A\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`);
  try {
    const { overflows } = await renderer.audit(async () => raw, { key: "one" });
    expect(overflows).toEqual(["Bestellung jetzt verfolgen", "Drei Zeilen, von denen nur eine sichtbar ist."]);
  } finally {
    await renderer.close();
  }
});

test.each([[null], ["text"], [[1, {}, null]]])("no result of a page breaks it: %j", (given) => {
  expect(readOverflows(given)).toEqual([]);
});
