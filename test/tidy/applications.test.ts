/** The table of applications; `vitest -u` writes it from the headings of the page and the results of `npm run compat:apps`. */
import { expect, test } from "vitest";
import { applications } from "../../compat/apps/applications.ts";
import { readResults } from "../../compat/apps/results.ts";
import { applicationsPage, sectionsOf } from "../../compat/apps/settings.ts";
import { markdownTable, pagePath, pageWith, slugOf } from "../documentation.ts";

const sections = sectionsOf(applicationsPage).filter(({ level }) => level === 3);
const results = new Map(readResults().map((result) => [applications[result.name]?.title ?? result.name, result]));

test("the page marks the applications that were run", async () => {
  const rows = sections.map(({ title }) => {
    const result = results.get(title);
    const link = `[${title}](#${slugOf(title)})`;
    return result === undefined ? [link, "read", "", ""] : [link, "run", result.version, result.flows];
  });
  expect(rows.length).toBeGreaterThan(35);
  const table = markdownTable(["application", "mark", "version", "flows"], rows);
  await expect(pageWith(applicationsPage, { applications: table })).toMatchFileSnapshot(pagePath(applicationsPage));
});

test("each application that is run has a section, and the result of a run", () => {
  const titles = Object.values(applications).map(({ title }) => title);
  const shown = sections.map(({ title }) => title);
  expect(titles.filter((title) => !shown.includes(title))).toEqual([]);
  expect(Array.from(results.keys()).toSorted()).toEqual(titles.toSorted());
});

test("each application that is only read has its source", () => {
  const read = sections.filter(({ title }) => !results.has(title));
  const source = /\[(?:Documentation|Source)\]\(https:\/\/\S+\)\./;
  expect(read.filter(({ text }) => !source.test(text)).map(({ title }) => title)).toEqual([]);
});
