/** Compares the reference pages with the code. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { auditActions } from "../core/audit-entry.ts";
import { catalogue, fieldCodes } from "../core/errors.ts";
import { providers } from "../providers/registry.ts";
import { problemsOf } from "./openapi.ts";
import type { Route } from "./route.ts";
import { routeTable } from "./route-table.ts";

const page = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", "..", "docs", "reference", name), "utf8");

describe("docs/reference/http-api.md", () => {
  const text = page("http-api.md");
  const sections = new Map(
    Array.from(text.matchAll(/^### `([A-Z]+ [^`]+)`\n([\s\S]*?)(?=^##|(?![\s\S]))/gm), (match) => [
      match[1] ?? "",
      match[2] ?? "",
    ]),
  );
  const documented = routeTable.filter((route) => route.operationId !== null);
  const named = documented.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);

  test("has a section for every route and no other", () => {
    expect([...sections.keys()].toSorted()).toEqual(named.map(([name]) => name).toSorted());
  });

  test.each(named)("lists exactly the statuses of %s", (name, route) => {
    const statuses = [...route.successes.map((one) => one.status), ...problemsOf(route).map(([status]) => status)];
    const reported = /^Statuses: (.*)$/m.exec(sections.get(name) ?? "")?.[1];
    expect(reported).toBe(
      Array.from(new Set(statuses))
        .toSorted((one, other) => one - other)
        .join(", "),
    );
  });

  test.each(named)("describes every parameter and property of %s, with an example", (name, route) => {
    const section = sections.get(name) ?? "";
    const properties = route.body === undefined ? [] : Object.keys(route.body.schema.properties ?? {});
    const parameters = (route.query ?? []).map((parameter) => parameter.name);
    const missing = [...parameters, ...properties].filter((word) => !section.includes(`\`${word}\``));
    expect(missing).toEqual([]);
    expect(section).toContain("```sh\ncurl ");
    expect(section).toContain(`http://127.0.0.1:8025${route.path.split("/:id")[0] ?? ""}`);
  });

  test("lists every action of the audit log", () => {
    const row = /^\| `action` \| (`key\.create`.*) \|$/m.exec(text)?.[1];
    expect(row).toBe(auditActions.map((action) => `\`${action}\``).join(", "));
  });

  test("names every withdrawn path", () => {
    const withdrawn = routeTable.filter(
      (route) => route.problems.includes("gone") && route.operationId === null && !route.path.endsWith("*"),
    );
    expect(withdrawn.length).toBeGreaterThan(0);
    for (const { path } of withdrawn) expect(text).toContain(`| \`${path.replace("/*", "")}\` |`);
  });

  test("names every path at the root in the format of a provider", () => {
    const paths = routeTable.filter((route) => route.access === "provider").map((route) => route.path);
    // Logout tokens come from OpenID providers, not from applications.
    const atRoot = paths.filter((path) => !path.startsWith("/providers/") && !path.startsWith("/web/oidc/"));
    expect(atRoot.length).toBeGreaterThan(4);
    const prefixes = Array.from(text.matchAll(/`(\/[^`<]+\/)…`/g), ([, prefix = ""]) => prefix);
    const isNamed = (path: string): boolean => text.includes(path) || prefixes.some((one) => path.startsWith(one));
    expect(atRoot.filter((path) => !isNamed(path))).toEqual([]);
    expect(text).toContain("`/providers/<name>/…`");
  });

  test.each(providers.filter(({ email }) => email !== null).map(({ name }) => name))(
    "has a guide to mail in the format of %s",
    (name) => {
      const guides = join(import.meta.dirname, "..", "..", "docs", "guide");
      expect(readFileSync(join(guides, "providers", `${name}.md`), "utf8")).toContain(`/providers/${name}`);
      expect(readFileSync(join(guides, "README.md"), "utf8")).toContain(`(providers/${name}.md)`);
    },
  );
});

describe("docs/reference/errors.md", () => {
  test("lists every code of field errors in order", () => {
    const rows = Object.entries(fieldCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
    const text = page("errors.md");
    const shown = text.slice(text.indexOf("## Codes of fields")).match(/^\| `\w+` \|.*\|$/gm);
    expect(shown).toEqual(rows);
  });

  test("lists no code that the source never uses", () => {
    const root = join(import.meta.dirname, "..");
    const source = globSync("{http,operations,sms}/**/*.ts", { cwd: root })
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n");
    const used = (code: string): boolean =>
      source.includes(`"${code}"`) || (code.startsWith("invalid_") && source.includes("`invalid_${name}`"));
    expect(Object.keys(fieldCodes).filter((code) => code !== "invalid" && !used(code))).toEqual([]);
  });

  test("lists the problems of the catalogue in order", () => {
    const rows = Object.entries(catalogue).map(([code, { status, type, smtp, text }]) => {
      const reply = smtp === null ? "–" : `${String(smtp.code)} ${smtp.enhancedStatus}`;
      return `| \`${code}\` | ${String(status)} | ${type} | ${reply} | ${text} |`;
    });
    const shown = page("errors.md")
      .split("\n")
      .filter((line) => /^\| `\w+` \| \d{3} \|/.test(line));
    expect(shown).toEqual(rows);
  });
});
