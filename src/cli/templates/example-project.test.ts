/** The example project: each of the changes that break mails in practice is found by its assertion, and named in words. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { openFolder } from "./rendered-folder.ts";
import { toAnnotations, toJunit, toSarif, toText, type TemplateRun } from "./template-report.ts";
import { startTemplateService, type TemplateService } from "./template-service.ts";
import { testFolder } from "./test-templates.ts";

const example = resolve(import.meta.dirname, "../../../examples/templates");
let service: TemplateService;
/** Folder with a copy of the project, and one without its translations. */
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-example-"));
  symlinkSync(resolve(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
  const isOwn = (path: string): boolean => !path.includes("node_modules");
  cpSync(example, join(folder, "whole"), { recursive: true, filter: isOwn });
  const isEnglish = (path: string): boolean => isOwn(path) && !/\.(?:ar|de)\./.test(path);
  cpSync(example, join(folder, "english"), { recursive: true, filter: isEnglish });
  service = await startTemplateService({ name: "emails", port: 0, browser: "off" });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function testProject(project: "whole" | "english"): Promise<TemplateRun> {
  const terminal = { environment: { CI: "true" }, out: () => undefined, error: () => undefined, clock: systemClock };
  return testFolder({ flags: new Map(), terminal }, openFolder(join(folder, project, "emails")), service);
}

type Change = readonly [file: string, former: string, present: string];

/** Replaces texts in files of a project, tests it, and takes the changes back. */
async function withChanges(project: "whole" | "english", changes: readonly Change[]): Promise<TemplateRun> {
  const edited = changes.map(([file, former, present]) => {
    const path = join(folder, project, file);
    const source = readFileSync(path, "utf8");
    if (!source.includes(former)) throw new Error(`${file} does not contain ${former}`);
    writeFileSync(
      path,
      source.replace(former, () => present),
    );
    return { path, source };
  });
  try {
    return await testProject(project);
  } finally {
    for (const { path, source } of edited.toReversed()) writeFileSync(path, source);
  }
}

const wordsOf = ({ results }: TemplateRun): readonly string[] =>
  results.flatMap(({ id, failures }) =>
    failures.map(({ assertion, message, detail }) => `${id}: ${assertion}: ${[message, detail].join("\n").trim()}`),
  );

test("passes as it is, in three locales", async () => {
  const run = await testProject("whole");
  expect(wordsOf(run)).toEqual([]);
  expect(toText(run)).toMatch(/^✓ order\n✓ order\.ar\n✓ order\.de\n(?:.*\n)*3 passed, 0 failed\n$/);
});

const large = `<!-- ${"a table that a designer pasted ".repeat(3400)} -->`;

test.each<[name: string, change: Change, words: RegExp[]]>([
  [
    "a layout that Outlook does not support",
    ["emails/order.hbs", '<body style="margin: 0;', '<body style="display: flex; gap: 8px; margin: 0;'],
    [
      /^order: budget: support Outlook \(Windows\): [\d.]+ %, expected at least 60 %\n(?:.*\n)*display:flex is not supported/,
    ],
  ],
  [
    "a dropped unsubscribe link",
    [
      "emails/partials/footer.hbs",
      '<a href="https://www.example.com/unsubscribe" style="color: #0b5394">{{texts.unsubscribe}}</a>',
      "",
    ],
    [/snapshot: (?:.*\n)*- Unsubscribe from these mails -> https:\/\/www\.example\.com\/unsubscribe/],
  ],
  [
    "a size past the limit of Gmail",
    ["emails/order.hbs", "</body>", `${large}</body>`],
    [
      /^order: budget: maxHtmlKb: 10\d\.\d kB, expected at most 102 kB\nThe HTML goes on after the limit here \(line \d+: /,
      /^order: budget: lint: 1 finding, expected no errors\nThe HTML has 10\d kB, and Gmail clips it at 102$/,
    ],
  ],
  [
    "changed legal words",
    ["emails/order.json", "within 30 days", "within 14 days"],
    [
      /snapshot: (?:.*\n)*- You may return unworn goods within 30 days(?:.*\n)*\+ You may return unworn goods within 14 days/,
    ],
  ],
  [
    "a missing alternative text",
    ["emails/partials/header.hbs", ' alt="Shop"', ""],
    [
      /snapshot: (?:.*\n)*- Shop -> .*\n\+ \(no text\) -> /,
      /^order: budget: lint: 1 finding, expected no errors\nAn image has no alt text/,
    ],
  ],
  [
    "a link without encryption",
    ["emails/order.hbs", "https://www.example.com/orders", "http://www.example.com/orders"],
    [
      /snapshot: (?:.*\n)*\+ Track your order -> http:\/\/www\.example\.com\/orders\/track/,
      /^order: budget: links: 1 finding, expected valid\n.*http:\/\/www\.example\.com/,
    ],
  ],
  [
    "another currency",
    ["format.mjs", 'currency: "EUR"', 'currency: "USD"'],
    [/snapshot: (?:.*\n)*- Trail Runner 2 €89\.90(?:.*\n)*\+ Trail Runner 2 \$89\.90/],
  ],
  [
    "a text too pale to read",
    ["emails/partials/footer.hbs", "color: #52606d", "color: #c8d0d8"],
    [/^order: budget: contrast: 1 finding, expected AA\nText has a contrast of 1\.\d+, and 4\.5 is needed/],
  ],
  [
    "an image that is missing",
    ["emails/partials/header.hbs", "/static/logo.png", "/static/logo-2026.png"],
    [
      /^order: image: The image \/static\/logo-2026\.png is not in the folder$/,
      /^order: snapshot: /,
      /^order: budget: links: 1 finding, expected valid\nAn image has no valid address/,
      /^order: budget: lint: 1 finding/,
    ],
  ],
  [
    "another subject",
    ["emails/order.json", '"subject": "Your order is on its way"', '"subject": "Order update"'],
    [/snapshot: (?:.*\n)*- Subject: Your order is on its way\n\+ Subject: Order update/],
  ],
])("finds %s", async (_name, change, words) => {
  const found = wordsOf(await withChanges("english", [change]));
  expect(found).toEqual(words.map((word) => expect.stringMatching(word) as string));
});

test("finds a missing translation, a date of another language and a wrong direction", async () => {
  const run = await withChanges("whole", [
    ["emails/order.de.json", '"track": "Sendung verfolgen"', '"track": "Track your order"'],
    ["emails/order.de.json", '"arrival": "Ankunft am"', '"arrival": "Ankunft 12/24/2026,"'],
    ["emails/order.ar.json", '"direction": "rtl"', '"direction": "ltr"'],
  ]);
  expect(wordsOf(run)).toEqual([
    expect.stringMatching(
      /^order\.ar: localisation: \d texts have no dir="rtl" on an element around, and ar is written from/,
    ),
    expect.stringMatching(/^order\.de: snapshot: The mail differs from /),
    "order.de: localisation: The label of a link is that of en: it is not translated into de\nTrack your order",
    "order.de: localisation: The date 12/24/2026 has the month first, and de writes the day first\n12/24/2026",
  ]);
});

test("reports an error of a template with its file and line, in the formats of CI systems", async () => {
  const run = await withChanges("english", [["emails/order.hbs", "{{#each items}}", "{{#each items}}{{/if}}"]]);
  expect(wordsOf(run)[0]).toMatch(/^order: render: each doesn't match if/);
  expect(toJunit(run)).toContain(
    '<testcase classname="order" name="render"><failure type="render" message="each doesn\'t match if',
  );
  const [result] = (JSON.parse(toSarif(run)) as { runs: { results: Sarif[] }[] }).runs[0]?.results ?? [];
  expect(result).toMatchObject({
    ruleId: "render",
    level: "error",
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: expect.stringMatching(/emails\/order\.hbs$/) as string },
          region: { startLine: 15 },
        },
      },
    ],
  });
  expect(toAnnotations(run)).toMatch(
    /^::error file=.*emails\/order\.hbs,line=15,title=order%3A render::each doesn't match if/,
  );
});

interface Sarif {
  readonly ruleId: string;
}
