/** Generated templates and data: no evaluation needs more memory than its budget says, whatever the language. */
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../../../core/background-tasks.ts";
import { systemClock } from "../../../core/clock.ts";
import { WorkerRpc } from "../../../workers/worker-rpc.ts";
import { extraHelpers } from "./handlebars-templates.ts";
import { jinjaFilters, twigFilters } from "./jinja-templates.ts";
import { mergeTagFunctions, mjtlFunctions } from "./tag-dialects.ts";
import { RenderBudget, renderLimits, type RenderLimits } from "./render-budget.ts";
import { languageNames, type RenderRequest, type RenderResult } from "./render-sources.ts";
import { templateWorker } from "./template-renderer.ts";

/** A quarter of the memory of the service, in a quarter of its time. */
const limits: RenderLimits = {
  stepCountMax: 50_000,
  outputLengthMax: renderLimits.outputLengthMax / 4,
  allocatedMax: renderLimits.allocatedMax / 4,
  tagCountMax: renderLimits.tagCountMax,
};
const rpc = new WorkerRpc<RenderRequest, RenderResult>({
  ...templateWorker,
  memory: {
    heapMegabytesMax: templateWorker.memory.heapMegabytesMax / 4,
    buffersMegabytesMax: (templateWorker.memory.buffersMegabytesMax ?? 0) / 4,
  },
  workerCount: 1,
  workerData: limits,
  tasks: unobservedTasks,
  clock: systemClock,
  // A template within the limits takes milliseconds; one without an end fails the test instead of hanging it.
  callMsMax: 60_000,
});
afterAll(async () => rpc.close());

const unit = fc.constantFrom("x", "<", "ß", " a", ",", "\n", "x y<", "\u{1f600}", '"\\', "é&");
const longText = fc.tuple(unit, fc.constantFrom(10, 1000, 10_000, 200_000)).map(([text, count]) => text.repeat(count));
const data = fc.record({
  a: longText,
  b: longText,
  list: fc
    .constantFrom(1, 100, 20_000)
    .map((count) => Array.from({ length: count }, (_, at) => `item <${String(at)}>`)),
  object: fc
    .constantFrom(1, 100, 20_000)
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${String(at)}`, { at }]))),
  deep: fc.constantFrom(1, 50, 2000).map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown),
});
const name = fc.constantFrom("a", "b", "list", "object", "deep", "t", "item");
const literal = fc.constantFrom("''", "' '", "','", "'x'", "'<'", "3", "100000", "'2006 January Monday'");
const several = fc.integer({ min: 1, max: 12 });

/** Blocks of a language with tags: text, assignments, loops and conditions. */
function blocksOf(expression: fc.Arbitrary<string>, target: string): fc.Arbitrary<string> {
  const { block } = fc.letrec<{ block: string }>((tie) => ({
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      expression.map((text) => `{{ ${text} }}`),
      expression.map((text) => `{% set ${target} = ${text} %}`),
      fc.tuple(expression, several).map(([text, count]) => `{% set ${target} = ${text} %}`.repeat(count)),
      fc
        .tuple(expression, fc.array(tie("block"), { maxLength: 3 }))
        .map(([text, body]) => `{% for item in ${text} %}${body.join("")}{% endfor %}`),
      fc
        .tuple(expression, expression, tie("block"))
        .map(([one, other, body]) => `{% if ${one} == ${other} or ${one} in ${other} %}${body}{% endif %}`),
    ),
  }));
  return fc.array(block, { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
}

/** Expressions with these filters. */
function filteredBy(names: readonly string[]): fc.Arbitrary<string> {
  const used = fc
    .tuple(fc.constantFrom(...names), fc.option(fc.oneof(name, literal)))
    .map(([filter, argument]) => (argument === null ? `|${filter}` : `|${filter}:${argument}`));
  return fc.oneof(
    fc.tuple(name, fc.array(used, { maxLength: 4 })).map(([value, filters]) => value + filters.join("")),
    fc.tuple(name, used, several).map(([value, filter, count]) => value + filter.repeat(count)),
    fc.tuple(name, name, several).map(([one, other, count]) => one + ` + ${other}`.repeat(count)),
  );
}
const mjtlFunction = fc.constantFrom(...Object.keys(mjtlFunctions));
const mjtlName = name.map((value) => (value === "t" || value === "item" ? "t" : `var:${value}`));
const mjtlExpression = fc.oneof(
  mjtlName,
  fc
    .tuple(mjtlFunction, mjtlName, mjtlName, fc.oneof(literal, mjtlName))
    .map(([call, ...values]) => `${call}(${values.join(", ")})`),
  fc.tuple(mjtlName, mjtlName, several).map(([one, other, count]) => one + ` + ${other}`.repeat(count)),
);
const helper = fc.constantFrom(
  "if",
  "unless",
  "each",
  "with",
  ...Object.keys(extraHelpers(() => new RenderBudget(limits))),
);

/** Blocks of a language with sections. */
function sectionsOf(
  tag: fc.Arbitrary<string>,
  section: fc.Arbitrary<readonly [open: string, close: string]>,
): fc.Arbitrary<string> {
  const { block } = fc.letrec<{ block: string }>((tie) => ({
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.tuple(tag, several).map(([text, count]) => text.repeat(count)),
      fc
        .tuple(section, fc.array(tie("block"), { maxLength: 3 }), several)
        .map(([[open, close], body, count]) => open.repeat(count) + body.join("") + close.repeat(count)),
    ),
  }));
  return fc.array(block, { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
}

const path = fc.tuple(fc.constantFrom("", "../", "@root."), name).map(([prefix, value]) => prefix + value);
const handlebars = sectionsOf(
  fc.oneof(
    path.map((value) => `{{${value}}}`),
    path.map((value) => `{{{${value}}}}`),
    fc.tuple(helper, path, fc.oneof(path, literal)).map(([call, ...values]) => `{{{${call} ${values.join(" ")}}}}`),
    fc.tuple(helper, path, path).map(([call, ...values]) => `{{insert (${call} ${values.join(" ")}) "default=x"}}`),
    path.map((value) => `{{#*inline "again"}}{{this}}{{> again ${value} more=this}}{{/inline}}{{> again ${value}}}`),
  ),
  fc.oneof(
    fc
      .tuple(helper, path, path)
      .map(([call, ...values]) => [`{{#${call} ${values.join(" ")}}}`, `{{/${call}}}`] as const),
    path.map((value) => [`{{#each ${value}}}`, "{{/each}}"] as const),
    name.map((value) => [`{{#${value}}}`, `{{/${value}}}`] as const),
  ),
);
const mustachePath = fc.tuple(fc.constantFrom("", "../"), name).map(([prefix, value]) => prefix + value);
const mustache = sectionsOf(
  fc.oneof(
    mustachePath.map((value) => `{{${value}}}`),
    mustachePath.map((value) => `{{{${value}}}}`),
  ),
  fc.oneof(
    mustachePath.map((value) => [`{{#each ${value}}}`, "{{/each}}"] as const),
    mustachePath.map((value) => [`{{#${value}}}`, `{{/${value}}}`] as const),
    mustachePath.map((value) => [`{{^${value}}}`, `{{/${value}}}`] as const),
  ),
);

const filterHandlebars = sectionsOf(
  fc.oneof(
    path.map((value) => `{{${value}}}`),
    fc
      .tuple(fc.constantFrom("upper", "title", "url", "striptags"), path)
      .map(([call, value]) => `{{{${call} ${value}}}}`),
  ),
  fc.oneof(
    path.map((value) => [`{{#each ${value}}}`, "{{/each}}"] as const),
    fc.tuple(name, name).map(([one, other]) => [`{{#if \`${one} == ${other}\`}}`, "{{else}}x{{/if}}"] as const),
  ),
);
const mergeTagFunction = fc.constantFrom(...Object.keys(mergeTagFunctions));
const mergeTags = sectionsOf(
  fc.oneof(
    name.map((value) => `*|${value}|*`),
    fc.tuple(mergeTagFunction, name).map(([call, value]) => `*|${call}:${value}|*`),
  ),
  fc.oneof(
    name.map((value) => [`*|IF:${value}|*`, "*|END:IF|*"] as const),
    fc.tuple(name, literal).map(([value, other]) => [`*|IF:${value}=${other}|*x*|ELSE:|*`, "*|END:IF|*"] as const),
  ),
);

const substitutions = sectionsOf(
  fc.oneof(
    name.map((value) => `{{${value}}}`),
    name.map((value) => `{{{${value}}}}`),
    fc.tuple(name, literal).map(([value, other]) => `{{ ${value} or ${other} }}`),
    name.map((value) => `{{render_dynamic_content(${value})}}`),
  ),
  fc.oneof(
    name.map((value) => [`{{each ${value}}}`, "{{loop_var}}{{end}}"] as const),
    fc.tuple(name, name).map(([one, other]) => [`{{if ${one} == ${other}}}`, "{{else}}x{{end}}"] as const),
  ),
);

/** Templates of each language. */
const templates: Readonly<Record<RenderRequest["language"], fc.Arbitrary<string>>> = {
  jinja: blocksOf(filteredBy(Object.keys(jinjaFilters)), "t"),
  twig: blocksOf(filteredBy([...twigFilters.keys()]), "t"),
  mjtl: blocksOf(mjtlExpression, "t").map((source) => `{% set t = "x" %}${source}`),
  handlebars,
  "strict-handlebars": handlebars,
  "filter-handlebars": filterHandlebars,
  "merge-tags": mergeTags,
  substitutions,
  mustache,
  variables: fc
    .array(
      name.map((value) => `{{{${value}|none}}}`),
      { maxLength: 20 },
    )
    .map((all) => all.join("")),
};

test.each(languageNames)("no template of %s exhausts the memory of its worker", async (language) => {
  const property = fc.asyncProperty(templates[language], data, async (source, values) => {
    // Rejects when the worker ends.
    const result = await rpc.call({ language, sources: { html: source }, data: JSON.stringify(values) }, { key: "" });
    expect(result.error?.text ?? "").not.toContain("heap");
  });
  // Each smaller example of one without an end would take a minute.
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
});

test("counts what is made before it is made", () => {
  const budget = new RenderBudget({ ...limits, allocatedMax: 1000 });
  budget.allocate(1000);
  expect(() => {
    budget.allocate(1);
  }).toThrow("The template needs too much memory");
});
