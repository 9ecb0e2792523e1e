/** Checks every PromQL expression of the alerts and of the dashboard against the metrics of the service, with their labels. */
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createMetrics } from "../../src/app/metrics/metrics.ts";
import { createBackgroundTasks } from "../../src/core/background-tasks.ts";
import { systemClock } from "../../src/core/clock.ts";
import { leasedQueues } from "../../src/core/quarantine.ts";
import { filesBelow, readText } from "./source-files.ts";

/** Labels that Prometheus adds to every series. */
const scrapeLabels = ["job", "instance"];

interface Expression {
  readonly place: string;
  readonly text: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}
interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const dashboard = JSON.parse(readText("deploy/grafana-dashboard.json")) as Dashboard;
const targets = dashboard.panels.flatMap(({ title, targets: own = [] }) => own.map((target) => ({ title, ...target })));
const alerts = parseAllDocuments(readText("deploy/prometheus-rules.yaml"))
  .map((document) => document.toJS() as RuleFile)
  .flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
const expressions: readonly Expression[] = [
  ...alerts.map(({ alert, expr }) => ({ place: alert, text: expr })),
  ...targets.map(({ title, expr }) => ({ place: title, text: withoutVariables(expr) })),
];

/** Returns an expression with values of Grafana's variables in their place. */
function withoutVariables(text: string): string {
  return text.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*");
}

/** Returns the labels of every metric, from a series of each. */
async function labelsByMetric(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tasks = createBackgroundTasks(systemClock, () => undefined);
  tasks.register("retention", { backlog: () => 1, oldestWaitingMs: () => 1 }).succeeded();
  const metrics = createMetrics("0", () => Promise.reject(new Error("no store")));
  metrics.watchTasks(tasks);
  metrics.watchMemory("smtp_mails", () => 1);
  metrics.smtp.refused("internal");
  metrics.mailAccess("imap").sessionOpened();
  metrics.mailAccess("imap").refused("internal");
  metrics.mailTimed("stored", 1);
  metrics.quotaRefused("server");
  metrics.watchLostSpans(new Map([["stop", 1]]));
  metrics.attempted({ route: "relay", status: "Sent" });
  metrics.faultHit({ scope: "server", stage: "rcpt", action: "reply" });
  metrics.linksScanned({ outcome: "scanned" });
  metrics.httpRequestDone({ method: "GET", route: "/", status: 200, durationMs: 1 });
  metrics.callbackAttempted({ kind: "webhook", outcome: "Delivered" });
  const text = await metrics.text();
  metrics.close();
  const found = new Map<string, Set<string>>([["up", new Set(scrapeLabels)]]);
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z]\w+)(?:\{([^}]*)\})? /gm)) {
    const names = Array.from(labels.matchAll(/(\w+)="/g), ([, label = ""]) => label);
    found.set(name, new Set([...(found.get(name) ?? scrapeLabels), ...names]));
  }
  return found;
}

/** Metrics of an expression, each with the labels of its matchers; labels of groupings; and errors of syntax. */
function partsOf(text: string) {
  const selectors: { readonly metric: string; readonly labels: string[] }[] = [];
  const groupings: string[] = [];
  let errorCount = 0;
  let isGrouping = false;
  parser.parse(text).iterate({
    enter: ({ name, type, from, to }) => {
      const source = text.slice(from, to);
      if (type.isError) errorCount += 1;
      if (name === "GroupingLabels") isGrouping = true;
      if (name === "Identifier") selectors.push({ metric: source, labels: [] });
      if (name === "LabelName") (isGrouping ? groupings : (selectors.at(-1)?.labels ?? [])).push(source);
    },
    leave: ({ name }) => {
      if (name === "GroupingLabels") isGrouping = false;
    },
  });
  return { selectors, groupings, errorCount };
}

describe("each expression", () => {
  test.each(expressions.map(({ place, text }) => [place, text]))(
    "%s selects series of the service: %s",
    async (_place, text) => {
      const known = await labelsByMetric();
      const { selectors, groupings, errorCount } = partsOf(text);
      expect([errorCount, selectors.length > 0]).toEqual([0, true]);
      expect(selectors.filter(({ metric }) => !known.has(metric))).toEqual([]);
      for (const { metric, labels } of selectors) {
        expect([...(known.get(metric) ?? [])]).toEqual(expect.arrayContaining([...labels, ...groupings]));
      }
    },
  );

  test("is not accepted with another metric, another label or a fault", async () => {
    const known = await labelsByMetric();
    expect(known.has("restante_mails_total")).toBe(false);
    expect(known.get("restante_smtp_refusals_total")).toEqual(new Set([...scrapeLabels, "reason"]));
    expect(partsOf("sum by (a) (x{b='c'}").errorCount).toBeGreaterThan(0);
    expect(partsOf("sum by (a) (x{b='c'})")).toMatchObject({
      selectors: [{ metric: "x", labels: ["b"] }],
      groupings: ["a"],
    });
  });
});

describe("the alerts", () => {
  /** Names of background tasks in the sources, of queues, and of those that are made of the names of queues. */
  const tasks = [
    ...filesBelow("src", ".ts").flatMap(({ text }) => {
      const names = text.includes("QueueDefinition") ? /\b(?:name: |register\()"(\w+)"/g : /\.register\("(\w+)"/g;
      return Array.from(text.matchAll(names), ([, name = ""]) => name);
    }),
    ...leasedQueues.map((queue) => `quarantine_${queue}`),
  ];
  const ofTasks = alerts.filter(({ expr }) => expr.includes("restante_background_"));
  const matchers = ofTasks.flatMap(({ alert, expr }) =>
    Array.from(expr.matchAll(/\btask(=~?)"([^"]+)"/g), ([, operator, value = ""]) => ({ alert, operator, value })),
  );

  test.each(
    matchers.flatMap(({ alert, operator, value }) =>
      (operator === "=" ? [value] : value.split("|")).map((name) => [alert, name]),
    ),
  )("%s selects a background task of the service: %s", (_alert, name) => {
    expect(tasks.filter((task) => new RegExp(`^(?:${name})$`).test(task))).not.toEqual([]);
  });

  test("cover failing, unstable, stalled and waiting tasks, and name the task unless they are about one", () => {
    const covered = new Set(ofTasks.flatMap(({ expr }) => expr.match(/restante_background_\w+/g) ?? []));
    expect(covered.size).toBe(5);
    for (const { alert, annotations } of ofTasks) {
      const isOfOne = matchers.some((one) => one.alert === alert && one.operator === "=");
      expect([alert, isOfOne || annotations.summary.includes("{{ $labels.task }}")]).toEqual([alert, true]);
    }
  });

  test("have names of their own, and summaries of labels that the expression keeps", () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, expr, annotations } of alerts) {
      const { groupings } = partsOf(expr);
      const shown = Array.from(annotations.summary.matchAll(/\{\{ \$labels\.(\w+) \}\}/g), ([, label = ""]) => label);
      const kept = expr.includes(" by (") ? groupings : [...scrapeLabels, "task"];
      expect([alert, kept]).toEqual([alert, expect.arrayContaining(shown)]);
    }
  });
});

describe("the dashboard", () => {
  test("has legends of labels that the expression keeps, and a query of nodes that exist", async () => {
    for (const { expr, legendFormat } of targets) {
      const { groupings } = partsOf(withoutVariables(expr));
      const shown = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = ""]) => label);
      const kept = expr.includes(" by (") ? groupings : scrapeLabels;
      expect([expr, kept]).toEqual([expr, expect.arrayContaining(shown)]);
    }
    const { query } = dashboard.templating.list.find(({ name }) => name === "instance") ?? { query: "" };
    const [, metric = ""] =
      /^label_values\((\w+), instance\)$/.exec(typeof query === "string" ? query : query.query) ?? [];
    expect((await labelsByMetric()).has(metric)).toBe(true);
  });

  test("has ids of their own, and panels that do not overlap", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${String(x + (at % w))},${String(y + Math.floor(at / w))}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
