/**
 * Every regular expression of the service takes linear time: what strangers send before they sign in, and the mails that they
 * send, reach most of them. scslre finds those that go back over a run of characters.
 */
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { parseSync } from "vite";
import { filesBelow } from "./source-files.ts";

/** Expressions that go back over what is short or trusted, with the reason. */
const bounded: ReadonlyMap<string, string> = new Map([
  [String.raw`/^(?=.*<[^<>\s]+@[^<>\s]+>)/`, "lines of at most lineLengthMax"],
  [String.raw`/<[^<>\s]+@[^<>\s]+>\s?:$/`, "lines of at most lineLengthMax"],
  [String.raw`/\/+$/`, "path of the URL that the user of the client library gives"],
  [String.raw`/<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]{1,64})/i`, "the first prescanBytes of a document"],
  [String.raw`/^SPAMD\/[\d.]+ (\d+) ?(.*)$/`, "status line of the spamd that the operator runs"],
  [String.raw`/^ *(-?\d+(?:\.\d+)?) +([A-Z0-9_]+)(?: +(.*))?$/`, "report of the spamd that the operator runs"],
  [String.raw`/\.?0*Z$/`, "dates that the service wrote"],
  [String.raw`/^\s*(-?\d+(?:\.\d+)?)\s+([A-Z][A-Z0-9_]*)\s*(.*)$/s`, "reports that the service wrote"],
]);

interface Found {
  readonly path: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Returns the regular expressions of a syntax tree. */
function expressionsIn(path: string, node: unknown): readonly Found[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((one) => expressionsIn(path, one));
  const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } };
  if (regex !== undefined) return [{ path, ...regex }];
  return Object.values(node).flatMap((one) => expressionsIn(path, one));
}

const sources = filesBelow("src", ".ts").filter(({ path }) => !/\.test(?:-aid)?\.ts$/.test(path));
const found = sources
  .filter(({ text }) => text.includes("/"))
  .flatMap(({ path, text }) => expressionsIn(path, parseSync(path, text).program.body));

function isSlow({ pattern, flags }: Found): boolean {
  return analyse({ source: pattern, flags }).reports.length > 0;
}

test("finds the expressions, and notices slow ones", () => {
  expect(found.length).toBeGreaterThan(500);
  const slow = [String.raw`\[(?:[ -~])*\]`, "-+$", "(a+)+b", String.raw`^(\S*)(?: +(.*?))? *$`];
  expect(slow.filter((pattern) => !isSlow({ path: "", pattern, flags: "" }))).toEqual([]);
});

test("regular expressions take linear time", () => {
  const slow = found.filter(isSlow).map(({ path, pattern, flags }) => ({ path, text: `/${pattern}/${flags}` }));
  expect(slow.filter(({ text }) => !bounded.has(text))).toEqual([]);
  expect([...bounded.keys()].filter((text) => !slow.some((one) => one.text === text))).toEqual([]);
});
