/** Languages of templates as targets. */
import { renderLimits } from "../../src/operations/services/templates/render-budget.ts";
import { renderSources } from "../../src/operations/services/templates/render-sources.ts";
import type { TemplateJob } from "../../src/providers/template-job.ts";
import { readerTarget, type FuzzTarget } from "./target.ts";

/** Languages of templates with a source that uses their syntax; the compiler finds a language that is missing. */
const templates: { readonly [Language in TemplateJob["language"]]: string } = {
  handlebars: "{{#each items}}{{@index}} {{this.name}}{{else}}none{{/each}}{{#if a}}{{{b}}}{{/if}}{{insert a 'x'}}",
  "strict-handlebars": "{{a}} {{#if b}}{{b}}{{/if}} {{#each items}}{{name}}{{/each}}",
  "filter-handlebars": "{{upper a}} {{#if `b > 1`}}{{{unsub a}}}{{/if}} {{#each items}}{{title name}}{{/each}}",
  "merge-tags": "*|NAME|* *|UPPER:a|* *|IF:b>1|*x*|ELSEIF:a=y|*z*|ELSE:|**|IFNOT:c|*w*|END:IF|**|END:IF|*",
  mustache: "{{#items}}{{name}}{{^last}}, {{/last}}{{/items}}{{{a}}}{{! note }}{{#each items}}{{.}}{{/each}}",
  jinja:
    "{% for item in items %}{{ item.name|upper }}{% if forloop.last %}.{% endif %}{% endfor %}{{ a|split:','|length }}",
  twig: "{% for item in items %}{{ loop.index }}{{ item.name|upper }}{% else %}none{% endfor %}{{ a|default('x')|length }}",
  mjtl: '{{var:a:"none"}}{% if var:b > 1 %}{{ upper(a) }}{% endif %}{% for one in var:items %}{{ one.name }}{% endfor %}',
  substitutions:
    "{{a or 'x'}} {{{b}}} {{if b > 1}}x{{elseif empty(a)}}y{{else}}z{{end}}{{each items}}{{loop_var.name}}{{end}}",
  variables: "Hello {{{name|there}}}, {{{a}}}",
};
const templateTokens = [
  ..."{{|}}|{{{|}}}|{%|%}|{{#each |{{/each}}|{{#if |{{else}}|{{/if}}|{% for x in a %}|{% endfor %}|{% if |{% elif |{% endif %}".split(
    "|",
  ),
  ..."*|A|*\n*|IF:\n*|IFNOT:\n*|ELSEIF:\n*|ELSE:|*\n*|END:IF|*\n*|HTML:\n=\n`".split("\n"),
  ..."items|name|a.b.c|this|../|@root|__proto__|constructor|split:''|join|replace|slice|truncatewords:3|default:'x'"
    .replaceAll("|", "\n")
    .split("\n"),
  ..." and | or | not | == | > |(|)|[0]|'|\"|1e9".split("|"),
];
const templateData = JSON.stringify({
  name: "Anna",
  a: "one,two,three",
  b: 2,
  items: Array.from({ length: 20 }, (_, at) => ({ name: `item ${String(at)}`, last: at === 19 })),
});

/** A target for each language. */
export const templateTargets: readonly FuzzTarget[] = (Object.keys(templates) as (keyof typeof templates)[]).map(
  (language) =>
    readerTarget({
      name: `template-${language}`,
      seeds: [templates[language]],
      tokens: templateTokens,
      read: (input) =>
        renderSources(
          { language, data: templateData, sources: { html: input.toString(), text: input.toString("latin1") } },
          renderLimits,
        ),
    }),
);
