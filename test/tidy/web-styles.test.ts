/** Styles of the web UI: scoped to components by CSS modules, without unknown or unused classes. */
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

const styles = filesBelow("web", ".css");
const modules = styles.filter(({ path }) => path.endsWith(".module.css"));
const components = filesBelow("web", ".tsx").filter(({ path }) => !path.includes(".test."));

describe("styles of the web UI", () => {
  test("are scoped to components, except tokens and elements", () => {
    const others = styles.filter(({ path }) => !path.endsWith(".module.css"));
    expect(others.map(({ path }) => path)).toEqual(["web/styles/base.css", "web/styles/tokens.css"]);
    expect(others.flatMap(({ text }) => classesOf(text))).toEqual([]);
  });

  test("declare the order of cascade layers first, so that the order of loading does not matter", () => {
    const order = "@layer base, shared, rooms;";
    expect(modules.filter(({ text }) => !text.startsWith(order)).map(({ path }) => path)).toEqual([]);
  });

  test("have every class that components use, and no other", () => {
    const defined = modules.flatMap(({ path, text }) => classesOf(text).map((name) => `${path}: ${name}`));
    const used = new Set(components.flatMap(({ path, text }) => usesIn(path, text)));
    const dynamic = ["web/message/source/source-view.module.css"];
    expect([...used].filter((use) => !defined.includes(use))).toEqual([]);
    expect(defined.filter((name) => !used.has(name) && !dynamic.includes(name.split(":")[0] ?? ""))).toEqual([]);
  });

  // No walk by keyboard uses a wider window: the one at 1440 px only inspects its pages at 3840 px.
  test("have no rule of their own for windows wider than 1440 px", () => {
    const texts = [...styles, ...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")];
    const found = texts.flatMap(({ path, text }) => breakpointsOf(text).map((width) => ({ path, width })));
    expect(found.filter(({ width }) => width > 1440)).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });

  test("are not written as class names in components", () => {
    const written = components.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(/className=(?:"[^"]*"|\{"[^"]*"|\{[^}?]*\? "[^"]*")/g),
        ([found]) => `${path}: ${found}`,
      ),
    );
    expect(written).toEqual([]);
  });
});

/** Returns the widths in media queries and container queries, in pixels. */
function breakpointsOf(text: string): readonly number[] {
  const conditions = Array.from(text.matchAll(/\([^()]*\bwidth\b[^()]*\)/g), ([condition]) => condition);
  return conditions.flatMap((condition) =>
    Array.from(
      condition.matchAll(/([\d.]+)(px|r?em)/g),
      ([, number, unit]) => Number(number) * (unit === "px" ? 1 : 16),
    ),
  );
}

/** Returns the names of classes in a style sheet as components use them, in camel case. */
function classesOf(text: string): readonly string[] {
  const selectors = text.replaceAll(/\/\*[^]*?\*\/|"[^"]*"|:[^;{}]*;/g, "");
  const names = Array.from(selectors.matchAll(/\.([a-z][\w-]*)/g), ([, name = ""]) => name);
  return [...new Set(names)].map((name) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
}

function usesIn(path: string, text: string): readonly string[] {
  return Array.from(text.matchAll(/^import (\w+) from "(\.[^"]+\.module\.css)";$/gm))
    .flatMap(([, name = "", target = ""]) => {
      const module = posix.join(posix.dirname(path), target);
      return Array.from(text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g")), ([, used = ""]) => `${module}: ${used}`);
    })
    .filter((use) => !use.endsWith(": module"));
}
