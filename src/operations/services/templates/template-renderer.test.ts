import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import type { TemplateJob } from "../../../providers/template-job.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { WatchedClock } from "../../../testing/watched-clock.ts";
import { createTemplateRenderer } from "./template-renderer.ts";

const caller = { key: "one" };
const renderer = createTemplateRenderer({ clock: new FakeClock(), tasks: unobservedTasks });
afterAll(() => renderer.close());

/** Limits under which templates may loop for hours. */
const many = Number.MAX_SAFE_INTEGER;
const unlimited = { stepCountMax: many, outputLengthMax: many, tagCountMax: many, allocatedMax: many };
const thousand = Array.from({ length: 1000 }, () => 1);
const endless: TemplateJob = {
  language: "handlebars",
  sources: { html: "{{#each @root.items}}".repeat(9) + "{{/each}}".repeat(9) },
  data: { items: thousand },
};
const greeting: TemplateJob = {
  language: "handlebars",
  sources: { subject: "Hi {{name}}" },
  data: { name: "Zoë & Co" },
};

async function errorOf(rendering: Promise<unknown>): Promise<unknown> {
  return rendering.then(
    () => "rendered",
    (error: unknown) => (error instanceof Problem ? [error.code, error.fields[0]?.field, error.message] : error),
  );
}

test("renders all sources of a job, and escapes only those for HTML", async () => {
  const sources = { subject: "{{a}}", text: "{{a}}", html: "{{a}}", htmlPart: "{{{a}}}" };
  const rendered = await renderer.render({ language: "handlebars", sources, data: { a: "<&>" } }, caller);
  expect(rendered).toEqual({ subject: "<&>", text: "<&>", html: "&lt;&amp;&gt;", htmlPart: "<&>" });
});

test.each<[TemplateJob["language"], string, string]>([
  ["handlebars", "{{#if a}}", "Parse error on line 1"],
  ["handlebars", "{{nosuch a}}", 'Missing helper: "nosuch"'],
  ["mustache", "{{#a}}", "The block 'a' in line 1 is not closed"],
  ["jinja", "{% nosuch %}", "Tag 'nosuch' not found"],
  ["mjtl", "{{var:day}}", "expression parsing error ## Unknown identifier: var:day ## near ## var:day ##"],
])("rejects an error in %s with the source and the text of the language", async (language, text, message) => {
  const error = await errorOf(renderer.render({ language, sources: { subject: "ok", text }, data: {} }, caller));
  expect(error).toEqual(["invalid_request", "text", expect.stringContaining(message)]);
});

test("stops a template that takes longer than 5 s, keeps the event loop free, and renders the others", async () => {
  const clock = new WatchedClock(5000);
  const own = createTemplateRenderer({ clock, tasks: unobservedTasks, limits: unlimited });
  const stuck = errorOf(own.render(endless, caller));
  let isSettled = false;
  void stuck.finally(() => {
    isSettled = true;
  });
  await clock.asked;
  expect(await own.render(greeting, { key: "other" })).toEqual({ subject: "Hi Zoë & Co" });
  expect(isSettled).toBe(false);
  clock.advance(5000);
  expect(await stuck).toEqual(["invalid_request", "html", "The template takes too much time or memory"]);
  expect(await own.render(greeting, caller)).toEqual({ subject: "Hi Zoë & Co" });
  await own.close();
});

test("stops a template that exhausts the memory of its thread, and renders the others", async () => {
  const own = createTemplateRenderer({ clock: new FakeClock(), tasks: unobservedTasks, limits: unlimited });
  const sources = { html: "{{#each items}}{{@root.text}}{{/each}}" };
  const data = { items: thousand, text: `<${"x".repeat(1_000_000)}` };
  const exploding = errorOf(own.render({ language: "handlebars", sources, data }, caller));
  const rendered = own.render(greeting, { key: "other" });
  expect(await exploding).toEqual(["invalid_request", "html", "The template takes too much time or memory"]);
  expect(await rendered).toEqual({ subject: "Hi Zoë & Co" });
  await own.close();
});

test("rejects input above 10 MB", async () => {
  const large = { ...greeting, data: { name: "x".repeat(10 * 1024 * 1024) } };
  expect(await errorOf(renderer.render(large, caller))).toContain("template");
});

test("rejects a key with too many waiting jobs, and serves another key", async () => {
  const own = createTemplateRenderer({ clock: new FakeClock(), tasks: unobservedTasks });
  const jobs = Array.from({ length: 2003 }, async () => errorOf(own.render(greeting, caller)));
  const other = own.render(greeting, { key: "other" });
  expect(await jobs.at(-1)).toContain("too_many_requests");
  expect(await other).toEqual({ subject: "Hi Zoë & Co" });
  expect(new Set(await Promise.all(jobs.slice(0, 2000)))).toEqual(new Set(["rendered"]));
  await own.close();
});
