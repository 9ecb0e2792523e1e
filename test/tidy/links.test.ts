/** Links between pages of the documentation. The site checks the same when it is built. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { slugOf } from "../documentation.ts";
import { filesAtTop, filesBelow, readText, root } from "./source-files.ts";

const pages = [...filesAtTop(".md"), ...filesBelow("docs", ".md")];
const withoutCode = (text: string): string => text.replaceAll(/^( *)```[^]*?^\1```$/gm, "");

/** Returns the anchors of headings as forges and the site make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const headings = withoutCode(text).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading = ""]) => {
      const slug = slugOf(heading);
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${String(count)}`;
    }),
  );
}

const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));

test("every link of a page leads to a file and a heading that exist", () => {
  const links = pages.flatMap(({ path, text }) =>
    Array.from(
      withoutCode(text)
        .replaceAll(/`[^`\n]*`/g, "")
        .matchAll(/\]\(([^()\s]+)\)/g),
      ([, target = ""]) => ({ path, target }),
    ),
  );
  expect(links.length).toBeGreaterThan(300);
  const dead = links.filter(({ path, target }) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const found = file === "" ? path : join(dirname(path), file);
    return !existsSync(join(root, found)) || (anchor !== undefined && anchors.get(found)?.has(anchor) !== true);
  });
  expect(dead).toEqual([]);
});

test("the workflow builds the site with a script that exists, and may publish in one job only", () => {
  const { permissions, jobs } = parse(readText(".github/workflows/docs.yml"), { strict: true }) as {
    readonly permissions: unknown;
    readonly jobs: Readonly<
      Record<string, { readonly permissions?: unknown; readonly steps: readonly { run?: string }[] }>
    >;
  };
  const { scripts } = JSON.parse(readText("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  expect(jobs["build"]?.steps.map(({ run }) => run)).toContain("npm run docs:build");
  expect(scripts["docs:build"]).toContain("--prefix site");
  expect([permissions, jobs["build"]?.permissions]).toEqual([{ contents: "read" }, undefined]);
});
