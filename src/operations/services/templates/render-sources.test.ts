/** The template languages, without a thread. */
import { describe, expect, test } from "vitest";
import type { TemplateJob } from "../../../providers/template-job.ts";
import { renderLimits } from "./render-budget.ts";
import { renderSources } from "./render-sources.ts";

type Language = TemplateJob["language"];

async function render(language: Language, html: string, data: unknown = {}): Promise<string> {
  const result = await renderSources({ language, sources: { html }, data: JSON.stringify(data) }, renderLimits);
  return result.rendered?.["html"] ?? `error: ${result.error?.text ?? ""}`;
}

const items = [{ name: "A" }, { name: "B" }];

describe("handlebars", () => {
  test.each([
    ["{{a.b}} {{{html}}} {{html}}", "1 <b> &lt;b&gt;"],
    ["{{#each items}}{{@index}}{{name}}{{#unless @last}}, {{/unless}}{{else}}none{{/each}}", "0A, 1B"],
    ["{{#equals plan 'pro'}}yes{{else}}no{{/equals}}{{#notEquals plan 'pro'}}yes{{else}}no{{/notEquals}}", "yesno"],
    ["{{#equals count '3'}}equal{{/equals}}", "equal"],
    [
      "{{#greaterThan count 2}}more{{/greaterThan}}{{#lessThan count 2}}less{{else}}not less{{/lessThan}}",
      "morenot less",
    ],
    ["{{#and plan count}}both{{/and}}{{#or missing none}}one{{else}}neither{{/or}}", "bothneither"],
    ["{{#greaterThan (length items) 1}}many{{/greaterThan}} {{length items}}", "many 2"],
    ["{{#if (and plan (or missing count))}}nested{{/if}}", "nested"],
    ['{{insert missing "default=Customer"}} {{insert plan "default=x"}}', "Customer pro"],
    ["{{formatDate at 'MMMM D, YYYY h:mm:ss A' '-0700'}}", "November 22, 2026 3:04:05 AM"],
    ["{{formatDate at 'ddd DD/MM/YY HH:mm ZZ' '+05:30'}}", "Sun 22/11/26 15:34 +0530"],
    ["{{formatDate plan 'YYYY'}} {{formatDate at}}", "pro 2026-11-22T10:04:05+00:00"],
    ['{{#*inline "part"}}P{{plan}}{{/inline}}{{> part}}', "Ppro"],
  ])("renders %s", async (source, expected) => {
    const data = { a: { b: 1 }, html: "<b>", items, plan: "pro", count: 3, at: "2026-11-22T10:04:05Z" };
    expect(await render("handlebars", source, data)).toBe(expected);
  });
});

describe("strict handlebars", () => {
  test.each([
    ["{{name}} {{#if missing}}a{{else}}b{{/if}}{{#each missing}}x{{/each}}{{#unless missing}}c{{/unless}}", "Zoë bc"],
    ["{{#each items}}{{@index}}{{name}}{{/each}}{{#each words}}{{this}}{{/each}}", "0A1Bab"],
    ["{{a.b}}{{empty}}{{nothing}}", "1"],
  ])("renders %s", async (source, expected) => {
    const data = { name: "Zoë", items, words: ["a", "b"], a: { b: 1 }, empty: "", nothing: null };
    expect(await render("strict-handlebars", source, data)).toBe(expected);
  });

  test.each([
    ["{{missing}}", "missing"],
    ["{{a.c}}", "c"],
    ["{{#each items}}{{price}}{{/each}}", "price"],
  ])("rejects %s, whose variable has no value", async (source, name) => {
    expect(await render("strict-handlebars", source, { a: { b: 1 }, items })).toContain(
      `error: "${name}" not defined in`,
    );
  });
});

describe("handlebars with filters", () => {
  test.each([
    [
      "{{upper name}} {{lower name}} {{title phrase}} {{url phrase}} {{striptags '<b>x</b>'}}",
      "ZOË zoë Two Words two%20words x",
    ],
    ["{{{unsub link}}} {{title}} {{#with a}}{{title}}{{/with}}", "https://a.example/?b=1&c own "],
    ['{{#if `items.length > 1 && name == "Zoë"`}}many{{else}}few{{/if}}', "many"],
    ["{{#if none}}a{{else if `n >= 3`}}b{{/if}}{{#unless `n < 3`}}c{{/unless}}", "bc"],
    ["{{#each items}}{{#if `name == 'B'`}}{{name}}{{/if}}{{/each}}", "B"],
    ["\\{{name}} {{#with a}}{{b}}{{/with}} {{html}}", "{{name}} 1 &lt;b&gt;"],
  ])("renders %s", async (source, expected) => {
    const texts = {
      name: "Zoë",
      phrase: "two words",
      title: "own",
      html: "<b>",
      link: "https://a.example/?b=1&c",
    };
    expect(
      await render("filter-handlebars", source, {
        ...texts,
        items,
        n: 3,
        a: { b: 1 },
      }),
    ).toBe(expected);
  });

  test.each(["{{#if `n >`}}a{{/if}}", "{{#if `n 1`}}a{{/if}}", "{{nosuch 1}}", "{{insert name}}"])(
    "rejects %s",
    async (source) => {
      expect(await render("filter-handlebars", source, { n: 1, name: "Zoë" })).toMatch(/^error: ./);
    },
  );
});

describe("merge tags", () => {
  test.each([
    ["Hi *|NAME|* *|name|* *|Missing|*.", "Hi Zoë Zoë ."],
    [
      "*|UPPER:name|* *|LOWER:NAME|* *|TITLE:phrase|* *|URL:phrase|* *|HTML:html|* *|html|*",
      "ZOË zoë Two Words two%20words &lt;b&gt; <b>",
    ],
    ["*|IF:NAME|*a*|ELSE:|*b*|END:IF|**|IF:NONE|*a*|ELSE:|*b*|END:IF|*", "ab"],
    ["*|IF:N=1|*a*|ELSEIF:N=3|*b*|ELSEIF:N=3|*c*|ELSE:|*d*|END:IF|*", "b"],
    ["*|IF:N>=3|*a*|END:IF|**|IF:N!=3|*b*|END:IF|**|IF:N<10|*c*|END:IF|**|IF:NONE=x|*d*|END:IF|*", "ac"],
    ["*|IFNOT:NONE|*a*|END:IF|**|IFNOT:NAME|*b*|ELSE:|*c*|END:IF|*", "ac"],
    ["*|IF:NAME=Zoë|**|IF:PHRASE=two words|*both*|END:IF|**|END:IF|*", "both"],
    ['*|IF:QUOTED=a "b" \\\\|*same*|END:IF|*', "same"],
    ["*|UNSUB:https://a.example/?b=1|* *|2FA|* *|TRUE|*", "https://a.example/?b=1 code yes"],
    ["*|a b|* *|NOSUCH:x|* *|| *|x * 5*", "*|a b|* *|NOSUCH:x|* *|| *|x * 5*"],
  ])("renders %s", async (source, expected) => {
    const data = {
      name: "Zoë",
      phrase: "two words",
      html: "<b>",
      n: 3,
      quoted: 'a "b" \\\\',
      "2fa": "code",
      true: "yes",
    };
    expect(await render("merge-tags", source, data)).toBe(expected);
  });

  test.each(["*|IF:NAME|*a", "a*|END:IF|*", "*|ELSE:|*"])("rejects %s", async (source) => {
    expect(await render("merge-tags", source, { name: 1 })).toMatch(/^error: ./);
  });
});

describe("substitutions", () => {
  test.each([
    ["{{name}} {{ person.name }} {{html}} {{{html}}} {{missing}}", "Zoë Ada &lt;b&gt; <b> "],
    ["{{missing or 'you'}} {{ name or 'you' }} {{{missing or html}}} {{missing or none or 7}}", "you Zoë <b> 7"],
    ["{{if n > 2 and name}}a{{elseif n}}b{{else}}c{{end}}{{if not n}}d{{else}}e{{end}}", "ae"],
    ["{{if n == 1}}a{{elseif n == 3}}b{{else}}c{{end}}{{ if empty(none) }}e{{ end }}{{if empty(items)}}f{{end}}", "be"],
    ["{{each items}}{{loop_var.name}}{{if loop_var.name == 'A'}}!{{end}};{{end}}{{each none}}x{{end}}", "A!;B;"],
    ["{{each words}}{{loop_var}}{{each items}}{{loop_var.name}}{{end}}{{end}}", "aABbAB"],
    [
      "{{opening_double_curly()}}x{{closing_double_curly()}} {{opening_triple_curly()}}{{closing_single_curly()}}",
      "{{x}} {{{}",
    ],
    ["{{render_dynamic_content(html)}} {{items[1].name}} { x } }}", "<b> B { x } }}"],
    ["{{{ opening_single_curly() }}}", "{"],
  ])("render %s", async (source, expected) => {
    const data = { name: "Zoë", person: { name: "Ada" }, html: "<b>", n: 3, items, words: ["a", "b"], none: [] };
    expect(await render("substitutions", source, data)).toBe(expected);
  });

  test.each(["{{if a}}", "{{end}}", "{{each}}x{{end}}", "{{a b}}", "{{", "{{else}}", "{{each a}}{{else}}{{end}}"])(
    "reject %s",
    async (source) => {
      expect(await render("substitutions", source, {})).toMatch(/^error: ./);
    },
  );
});

describe("mustache", () => {
  test.each([
    ["{{person.name}} {{{html}}} {{&html}} {{html}}", "Zoë <b> <b> &lt;b&gt;"],
    ["{{#each items}}{{name}} of {{../company}};{{/each}}", "A of ACME;B of ACME;"],
    ["{{#each words}}{{.}}{{/each}}{{#each missing}}x{{/each}}", "ab"],
    ["{{#person}}{{name}}{{#city}}{{.}}{{../../company}}{{/city}}{{/person}}", "ZoëRomeACME"],
    ["{{^missing}}none{{/missing}}{{^person}}none{{/person}}{{! comment }}", "none"],
    ["{{#items}}scope{{/items}}", "scope"],
  ])("renders %s", async (source, expected) => {
    const data = { person: { name: "Zoë", city: "Rome" }, html: "<b>", items, words: ["a", "b"], company: "ACME" };
    expect(await render("mustache", source, data)).toBe(expected);
  });

  test.each([
    ["{{#a}}{{/b}}", "'/b' in line 1 closes no open block"],
    ["\n{{/a}}", "'/a' in line 2 closes no open block"],
    ["{{a b}}", "The path 'a b' in line 1 is not valid"],
    ["{{#each}}{{/each}}", "The path '' in line 1 is not valid"],
    ["{{#each a}}{{/each}}", "'each' is used on a value that is not a list"],
    ["{{a", "The tag in line 1 is not closed"],
  ])("rejects %s", async (source, error) => {
    expect(await render("mustache", source, { a: 1 })).toBe(`error: ${error}`);
  });
});

describe("jinja", () => {
  test.each([
    ["{{ contact.FIRSTNAME|default:'there'|upper }}", "THERE"],
    [
      "{{ params.html }} {{ params.html|safe }} {% autoescape off %}{{ params.html }}{% endautoescape %}",
      "&lt;b&gt; <b> <b>",
    ],
    ["{% if params.n == 3 and not params.none %}yes{% elif params.n %}other{% else %}no{% endif %}", "yes"],
    ["{% if params.n > 3 or 'A' in params.word %}yes{% else %}no{% endif %}", "no"],
    [
      "{% for i in params.items %}{{ forloop.Counter }}{{ i.name }}{% if not forloop.Last %}, {% endif %}{% endfor %}",
      "1A, 2B",
    ],
    [
      "{% for k, v in params.map %}{{ k }}={{ v }};{% empty %}none{% endfor %}{% for x in params.none %}{% empty %}none{% endfor %}",
      "a=1;none",
    ],
    ["{{ params.items.1.name }}{{ params.items[0].name }} {{ params.n + 2 * 3 }} {{ -params.n }}", "BA 9 -3"],
    [
      "{{ params.price|floatformat:2 }} {{ params.word|title|truncatechars:4 }} {{ params.word|capfirst }}",
      "3.46 H... Hello world",
    ],
    [
      "{{ '<i>x</i>'|striptags }} {{ params.items|length }} {{ 'a,b'|split:','|join:'-' }} {{ 2|pluralize:'y,ies' }}",
      "x 2 a-b ies",
    ],
    ["{{ params.at|time_parse|date:'02 Jan 2006 15:04' }}", "22 Nov 2026 10:04"],
    ["{# comment #}{% verbatim %}{{ raw }}{% endverbatim %} {%- if true %} a {% endif -%} b", "{{ raw }} a b"],
    ["{% set x = params.n %}{{ x * 2 }}", "6"],
  ])("renders %s", async (source, expected) => {
    const map = { a: 1 };
    const params = { html: "<b>", n: 3, items, map, price: 3.456, word: "hello world", at: "2026-11-22T10:04:05Z" };
    expect(await render("jinja", source, { params, contact: {} })).toBe(expected);
  });

  test.each([
    "{{ a|nosuch }}",
    "{% if a %}",
    "{% endif %}",
    "{{ a b }}",
    "{{ }}",
    "{{ (a }}",
    "{{ 'a }}",
    "{% for x of a %}{% endfor %}",
  ])("rejects %s", async (source) => {
    expect(await render("jinja", source)).toMatch(/^error: ./);
  });
});

describe("twig", () => {
  test.each([
    ["{{ var }} {{object.key}} {{ number + number }} {{ list[0] }}", "value &lt;key&gt; 4 1"],
    ["{% if number > 2 %}more{% elseif flag %}flag{% else %}none{% endif %}", "flag"],
    ["{% for one in list %}{{ loop.index }}:{{ one }}{% if not loop.last %}, {% endif %}{% endfor %}", "1:1, 2:2, 3:3"],
    ["{% for one in nothing %}x{% else %}empty{% endfor %}{# comment #}", "empty"],
    ["{% for key in object|keys %}{{ key }}={{ object[key]|upper }}{% endfor %}", "key=&lt;KEY&gt;"],
    [
      "{{ missing|default('there') }} {{ list|length }} {{ var|upper|lower }} {{ missing|keys|length }}",
      "there 3 value 0",
    ],
    ["{{ VAR }}|", "|"],
  ])("renders %s", async (source, expected) => {
    const data = { var: "value", flag: true, object: { key: "<key>" }, number: 2, list: [1, 2, 3] };
    expect(await render("twig", source, data)).toBe(expected);
  });

  test.each([
    ["{% if a %}", "'endif' is missing"],
    ["{{ a|truncatechars(3) }}", "Filter 'truncatechars' not found"],
    ["{% include 'a' %}", "Tag 'include' not found"],
  ])("rejects %s", async (source, error) => {
    expect(await render("twig", source)).toContain(error);
  });
});

describe("mjtl", () => {
  test.each([
    [
      '{{var:name}} {{ var:missing:"someone" }} {{data:firstname:"customer"}} {{var:missing:}}',
      "Zoë someone customer ",
    ],
    ['{% if var:step == "x" and var:name != "" %}1{% elseif var:step = "ok" %}2{% else %}3{% endif %}', "2"],
    ["{% for p in var:products %}{{p.name}}-{{p.none}};{% endfor %}", "A-;B-;"],
    ["{% set total = var:n * (2 + 1) %}{{total}} {{7 div 2}} {{7 mod 2}} {{upper(var:name)}}", "9 3 1 ZOË"],
    ["{{var:html}}", "<b>"],
  ])("renders %s", async (source, expected) => {
    const data = { name: "Zoë", step: "ok", products: items, n: 3, html: "<b>" };
    // An empty default has no word behind the colon.
    expect(await render("mjtl", source.replace("{{var:missing:}}", '{{var:missing:""}}'), data)).toBe(expected);
  });

  test.each([
    ["{{day}}", "expression parsing error ## Unknown identifier: day ## near ## day ##"],
    ["{% for x in var:n %}{% endfor %}", '"x in var:n" is not an array value'],
    ["{% if var:n %}", "not valid template ## 'endif' is missing ##"],
  ])("rejects %s", async (source, error) => {
    expect(await render("mjtl", source, { n: 3 })).toBe(`error: ${error}`);
  });
});

test("variables are the only tags of the language for them", async () => {
  const source = "Hi {{{ NAME }}} {{{MISSING|there}}} {{{MISSING}}} {{name}} {{{ a.b }}} {{{1}}}";
  expect(await render("variables", source, { NAME: "<Zoë>", a: { b: 2 } })).toBe("Hi <Zoë> there  {{name}} 2 {{{1}}}");
});

test("a template that is rendered again has the data and the limits of its own job", async () => {
  const own = "{{#*inline 'part'}}{{name}}{{/inline}}{{> part}}{{#each items}}{{name}}{{/each}}";
  expect(await render("handlebars", own, { name: "1", items })).toBe("1AB");
  expect(await render("handlebars", own, { name: "2", items: [] })).toBe("2");
  expect(await render("handlebars", own, { items: Array.from({ length: 1_000_001 }, () => 1) })).toMatch(
    /executes more/,
  );
  expect(await render("handlebars", own, { name: "<", items })).toBe("&lt;AB");
  expect(await render("handlebars", "{{> part}}", {})).toContain("The partial part could not be found");
});

describe("hostile templates", () => {
  const languages: readonly Language[] = [
    "handlebars",
    "filter-handlebars",
    "merge-tags",
    "mustache",
    "jinja",
    "twig",
    "mjtl",
    "substitutions",
    "variables",
  ];
  const many = Array.from({ length: 1000 }, () => 1);

  test.each(languages)("%s reads no prototype", async (language) => {
    const paths = [
      "constructor",
      "__proto__",
      "a.constructor",
      "a.__proto__.x",
      "toString",
      "list.constructor",
      "a.b.constructor",
    ];
    const opening = {
      handlebars: "{{",
      "strict-handlebars": "{{",
      "filter-handlebars": "{{",
      "merge-tags": "*|",
      mustache: "{{",
      jinja: "{{",
      twig: "{{",
      mjtl: "{{var:",
      substitutions: "{{",
      variables: "{{{",
    }[language];
    const closings: Partial<Record<Language, string>> = { variables: "}}}", mjtl: ':""}}', "merge-tags": "|*" };
    const closing = closings[language] ?? "}}";
    for (const path of paths.filter((one) => language !== "merge-tags" || !one.includes("."))) {
      expect([path, await render(language, `${opening}${path}${closing}`, { a: { b: "x" }, list: [] })]).toEqual([
        path,
        "",
      ]);
    }
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  test("an own member named __proto__ is data", async () => {
    const data: unknown = JSON.parse('{"__proto__":{"x":"own"}}');
    expect(await render("mustache", "{{__proto__.x}}", data)).toBe("own");
    expect(await render("jinja", "{{ x }}", data)).toBe("");
  });

  test.each([
    "{{lookup this 'constructor'}}",
    "{{#with (lookup list 'constructor')}}{{this}}{{/with}}",
    "{{#each list.constructor}}x{{/each}}",
    "{{#with split as |x|}}{{x.constructor}}{{/with}}",
  ])("handlebars gives no access through %s", async (source) => {
    expect(await render("handlebars", source, { list: [], split: "a" })).toBe("");
  });

  test.each<[Language, string]>([
    ["handlebars", "{{#each @root.l}}".repeat(9) + "{{/each}}".repeat(9)],
    ["handlebars", '{{#*inline "p"}}{{> p}}{{> p}}{{/inline}}{{> p}}'],
    ["mustache", `{{#each l}}{{#each ../l}}{{#each ../../l}}${"{{/each}}".repeat(3)}`],
    ["jinja", "{% for a in l %}".repeat(9) + "{% endfor %}".repeat(9)],
    ["mjtl", "{% for a in var:l %}".repeat(9) + "{% endfor %}".repeat(9)],
  ])("%s ends nested loops and recursion: %s", async (language, source) => {
    expect(await render(language, source, { l: many })).toMatch(/executes more than|nested too deeply/);
  });

  test.each<[Language, string]>([
    ["handlebars", "{{#each l}}{{../s}}{{/each}}"],
    ["mustache", "{{#each l}}{{../s}}{{/each}}"],
    ["jinja", "{% for x in l %}{{ s }}{% endfor %}"],
    ["mjtl", "{% for x in var:l %}{{var:s}}{% endfor %}"],
    ["mjtl", `{% set a = "aaaaaaaaaaaaaaaaaaaa" %}${'{% set a = replace(a, "", a) %}'.repeat(9)}`],
    ["jinja", `{% set a = "aaaaaaaaaa" %}${"{% set a = a + a %}".repeat(40)}`],
  ])("%s ends output that explodes: %s", async (language, source) => {
    const data = { l: many, s: "<".repeat(100_000) };
    expect(await render(language, source, data)).toMatch(/longer than|too long|too much memory/);
  });

  test.each<[Language, string]>([
    ["handlebars", "{{#if a}}".repeat(1000) + "{{/if}}".repeat(1000)],
    ["handlebars", `{{if ${"(if ".repeat(5000)}`],
    ["mustache", "{{#a}}".repeat(1000) + "{{/a}}".repeat(1000)],
    ["jinja", "{% if a %}".repeat(1000) + "{% endif %}".repeat(1000)],
    ["merge-tags", "*|IF:A|*".repeat(1000) + "*|END:IF|*".repeat(1000)],
    ["merge-tags", "*|A|*".repeat(4000)],
    ["substitutions", "{{if a}}".repeat(1000) + "{{end}}".repeat(1000)],
    ["substitutions", "{{a}}".repeat(4000)],
    ["filter-handlebars", `{{#if \`${"(".repeat(200)}1${")".repeat(200)}\`}}{{/if}}`],
    ["jinja", `{{ ${"(".repeat(900)}1${")".repeat(900)} }}`],
    ["mjtl", "{{a}}".repeat(4000)],
    ["handlebars", "{{a}}".repeat(4000)],
    ["mustache", `{{a${".a".repeat(9000)}}}`],
    ["jinja", `{{ ${"1+".repeat(9000)}1 }}`],
  ])("%s rejects nesting, tag counts and tag lengths above its limits", async (language, source) => {
    expect(await render(language, source, { a: 1 })).toMatch(/nested deeper|more than|longer than/);
  });

  test.each<[Language, (size: number) => string]>([
    ["jinja", (size) => `{{ s|striptags }}${"<".repeat(size)}`],
    ["variables", (size) => `{{{${" ".repeat(size)}`.repeat(2)],
    ["mustache", (size) => `${"{{!".repeat(2)}${" ".repeat(size)}}}`],
    ["handlebars", (size) => `{{!--${"-".repeat(size)}--}}`],
    ["filter-handlebars", (size) => `{{!${"{{#if `".repeat(2)}${" ".repeat(size)}}}`],
    ["merge-tags", (size) => "*|".repeat(3000) + " ".repeat(size)],
    ["substitutions", (size) => `{{{${"}".repeat(2)}${" ".repeat(size)}`],
  ])("%s takes linear time for repeated characters", async (language, sourceOf) => {
    const cpuOf = async (size: number): Promise<number> => {
      const start = process.cpuUsage();
      await render(language, sourceOf(size), { s: "<".repeat(size) });
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await cpuOf(10_000);
    // Quadratic time would be 1600 times as long.
    expect(await cpuOf(2_000_000)).toBeLessThan(400 * ((await cpuOf(50_000)) + 5000));
  });
});
