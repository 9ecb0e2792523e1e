/** Templates of a folder, rendered in processes. Handlebars is that of the checkout, which has none of the other engines. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { defaultLimits } from "../core/limits.ts";
import { parseMail } from "../mime/parse-mail.ts";
import { composeTemplate } from "./compose-template.ts";
import type { RenderResult } from "./render-job.ts";
import { readTemplateConfig } from "./template-config.ts";
import { findTemplates, folderFileCountMax, type TemplateSearch } from "./template-files.ts";
import { openTemplateRenderer, usualTemplateLimits } from "./template-renderer.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "restante-project-")));
  folder = join(root, "emails");
  mkdirSync(folder);
  symlinkSync(resolve(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const plainSearch: TemplateSearch = { locales: [], engines: {} };

/** Renders all templates of the folder; results by the id of the case. */
async function render(
  limits = usualTemplateLimits,
  functionsFile: string | null = null,
): Promise<Record<string, RenderResult>> {
  const { cases, partials } = findTemplates(folder, plainSearch);
  await using renderer = openTemplateRenderer(systemClock, limits);
  const results: [string, RenderResult][] = [];
  for (const template of cases)
    results.push([template.id, await renderer.render({ folder, template, partials, functionsFile })]);
  return Object.fromEntries(results);
}

describe("findTemplates", () => {
  const idsOf = (search = plainSearch): readonly string[] =>
    findTemplates(folder, search).cases.map(({ id, locale, dataFiles }) => [id, locale, ...dataFiles].join(" ").trim());

  test("names cases by their data, and locales only where the project has them", () => {
    write({
      "order.hbs": "",
      "order.txt.hbs": "",
      "order.json": "{}",
      "order.de.json": "{}",
      "order.trial.json": "{}",
      "order.trial.de.mjs": "",
      "orders/sent.mjml.hbs": "",
      "page.pt-BR.html": "",
      "page.html": "",
      "notes.md": "",
      "logo.png": "",
      ".hidden.html": "",
      "node_modules/a/index.html": "",
      "partials/header.hbs": "",
      "_layout.hbs": "",
      "__snapshots__/order.txt": "",
    });
    expect(idsOf()).toEqual([
      "order  order.json",
      "order.de  order.json order.de.json",
      "order.trial  order.json order.trial.json",
      "order.trial.de  order.json order.trial.de.mjs",
      "orders/sent",
      "page",
      "page.pt-BR",
    ]);
    expect(idsOf({ locales: ["en", "de", "pt-BR"], engines: { md: "html" } })).toEqual([
      "notes en",
      "order en order.json",
      "order.de de order.json order.de.json",
      "order.trial en order.json order.trial.json",
      "order.trial.de de order.json order.de.json order.trial.json order.trial.de.mjs",
      "orders/sent en",
      "page en",
      "page.pt-BR pt-BR",
    ]);
    const { cases, partials } = findTemplates(folder, plainSearch);
    expect(cases.find(({ id }) => id === "orders/sent")?.html?.engines).toEqual(["handlebars", "mjml"]);
    expect(cases[0]).toMatchObject({ html: { path: "order.hbs" }, text: { path: "order.txt.hbs" } });
    expect(partials.map(({ path }) => path)).toEqual(["__snapshots__/order.txt", "_layout.hbs", "partials/header.hbs"]);
  });

  test("leaves out files that links lead out of the folder, and ends in a folder with too many files", () => {
    write({ "a.html": "" });
    writeFileSync(join(root, "outside.html"), "secret");
    symlinkSync(join(root, "outside.html"), join(folder, "link.html"));
    symlinkSync(root, join(folder, "folder"));
    symlinkSync(join(folder, "a.html"), join(folder, "b.html"));
    symlinkSync(join(folder, "nothing"), join(folder, "broken.html"));
    expect(idsOf()).toEqual(["a", "b"]);
    write(Object.fromEntries(Array.from({ length: folderFileCountMax }, (_, at) => [`many/${String(at)}.md`, ""])));
    expect(() => idsOf()).toThrow(`has more than ${String(folderFileCountMax)} files`);
  });
});

describe("openTemplateRenderer", () => {
  test("renders Handlebars with partials, data, functions and a subject", async () => {
    write({
      "welcome.hbs":
        '---\nsubject: "Welcome, {{shout name}}"\n---\n{{> header}}{{> partials/header}}<p>{{name}} {{page}}</p>',
      "welcome.json": '{"name":"Ada","page":1}',
      "welcome.second.mjs":
        "export default async () => ({ page: 2, $mail: { from: 'Shop <a@shop.example>', headers: { 'X-A': 1 } } })",
      "welcome.txt.hbs": "Hello {{name}}",
      "page.html": "<title>A &amp; B</title>",
      "partials/header.hbs": "<h1>Shop</h1>",
    });
    writeFileSync(join(root, "functions.mjs"), "export const shout = (text) => text.toUpperCase();");
    expect(await render(usualTemplateLimits, join(root, "functions.mjs"))).toEqual({
      page: {
        kind: "rendered",
        html: "<title>A &amp; B</title>",
        text: null,
        subject: "A & B",
        fields: { headers: {} },
      },
      welcome: {
        kind: "rendered",
        html: "\n\n\n<h1>Shop</h1><h1>Shop</h1><p>Ada 1</p>",
        text: "Hello Ada",
        subject: "Welcome, ADA",
        fields: { headers: {} },
      },
      "welcome.second": expect.objectContaining({
        html: "\n\n\n<h1>Shop</h1><h1>Shop</h1><p>Ada 2</p>",
        fields: { from: "Shop <a@shop.example>", headers: { "X-A": "1" } },
      }) as unknown,
    });
  });

  test("ends a template that hangs or takes all memory, and renders the others", async () => {
    write({ "a.html": "A", "hang.html": "", "hang.mjs": "for (;;);", "memory.html": "", "z.html": "Z" });
    write({ "memory.mjs": "const kept = []; for (;;) kept.push(Array.from({ length: 1e6 }, Math.random));" });
    const results = await render({ renderMsMax: 4000, heapMegabytesMax: 64 });
    expect(results).toMatchObject({
      a: { html: "A" },
      hang: { kind: "failed", message: "The template was not rendered within 4 s", file: "hang.html" },
      memory: { kind: "failed", message: expect.stringMatching(/memory|was not rendered within/) as string },
      z: { html: "Z" },
    });
  });

  test("names the package to install, and the place of an error", async () => {
    write({
      "a.pug": "p",
      "broken.hbs": "<p>\n{{#if}}\n</p>",
      "data.hbs": "",
      "data.json": "{",
      "list.hbs": "",
      "list.json": "1",
      "partial.hbs": "---\nsubject: x\n---\n{{> nothing}}",
      "thrown.hbs": "",
      "thrown.mjs": "export default () => {\n  throw new Error('no connection');\n}",
    });
    const results = await render();
    expect(results["a"]).toMatchObject({
      message: expect.stringMatching(/^The package pug is not installed .*npm install --save-dev pug$/) as string,
      file: "a.pug",
    });
    expect(results["broken"]).toMatchObject({
      file: "broken.hbs",
      line: 3,
      message: expect.stringContaining("Parse error on line 3") as string,
    });
    expect(results["data"]).toMatchObject({ file: "data.json", message: expect.stringContaining("JSON") as string });
    expect(results["list"]).toMatchObject({ file: "list.json", message: "The sample data is not an object" });
    expect(results["partial"]).toMatchObject({ message: "The partial nothing could not be found" });
    expect(results["thrown"]).toMatchObject({ file: "thrown.mjs", line: 2, column: 9, message: "no connection" });
  });

  test("reads nothing outside of the folder for MJML, whatever the package is", async () => {
    writeFileSync(join(root, "outside.mjml"), "secret");
    write({
      "a.mjml": '<mj-include path="../outside.mjml" />',
      "b.mjml": "<mj-include path='inner.txt'/>",
      "inner.txt": '<mj-include path="link.html"/>',
    });
    symlinkSync(join(root, "outside.mjml"), join(folder, "link.html"));
    const results = await render();
    expect([results["a"], results["b"]]).toMatchObject([
      { kind: "failed", message: expect.stringContaining("is outside of the folder of the templates") as string },
      { kind: "failed", message: "link.html is outside of the folder of the templates" },
    ]);
  });
});

describe("composeTemplate", () => {
  test("embeds images of the folder, and names those that it does not have", async () => {
    writeFileSync(join(root, "outside.png"), "secret");
    write({
      "shop/a.html":
        '<img src="/static/logo.png"><img alt=x src="logo.png?v=1"><img src="https://a.example/b.png"><img src="{{x}}"><img src="../../outside.png"><img src="cid:1"><img src="a%zz.png">',
      "static/logo.png": "one",
      "shop/logo.png": "two",
    });
    const [template] = findTemplates(folder, plainSearch).cases;
    const rendered = (await render())["shop/a"];
    if (template === undefined || rendered?.kind !== "rendered") throw new Error("not rendered");
    writeFileSync(
      join(root, "restante.config.json"),
      '{"from":"Shop <a@shop.example>","headers":{"List-Id":"<a.shop.example>"}}',
    );
    const config = readTemplateConfig(folder);
    const { raw, missingImages } = await composeTemplate({
      folder,
      template,
      rendered,
      config,
      to: "b@c.example",
      date: 0,
    });
    const { attachments, from, headers, subject } = parseMail(raw, defaultLimits);
    expect(missingImages).toEqual(["../../outside.png", "a%zz.png"]);
    expect(attachments.map(({ contentId, mediaType }) => `${contentId ?? ""} ${mediaType}`)).toEqual([
      "static-logo.png@templates.example.com image/png",
      "logo.png@templates.example.com image/png",
    ]);
    expect([from[0]?.email, subject]).toEqual(["a@shop.example", "shop/a"]);
    expect(headers.find(({ field }) => field === "List-Id")?.value).toBe("<a.shop.example>");
  });
});

describe("readTemplateConfig", () => {
  test("takes the nearest file up to that of the package, and names every wrong member", () => {
    expect(readTemplateConfig(folder)).toEqual({ file: null, functionsFile: null });
    const file = join(root, "restante.config.json");
    writeFileSync(file, '{"functions":"a.mjs","budget":{"maxHtmlKb":1,"support":{"outlook":90},"links":"valid"}}');
    expect(readTemplateConfig(folder)).toMatchObject({
      file,
      functionsFile: join(root, "a.mjs"),
      budget: { support: { outlook: 90 } },
    });
    writeFileSync(file, '{"locale":"de","locales":["de","x y"],"engines":{"html":"word"},"headers":{"A":1}}');
    expect(() => readTemplateConfig(folder)).toThrow(
      /locale: Is unknown.*headers\.A: Must be a string; locales\[1\]: Must be a language tag such as de or pt-BR; engines\.html: Must be one of/,
    );
    writeFileSync(file, "{");
    expect(() => readTemplateConfig(folder)).toThrow(`${file}: `);
    write({ "package.json": "{}" });
    expect(readTemplateConfig(folder).file).toBeNull();
  });
});
