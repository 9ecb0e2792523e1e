/**
 * Lints the chart and renders it with the template engine of Helm, whose Go module comes from the module proxy: `npm run
 * compat:helm`. Compares the result with the stored manifests, or replaces them with `--update`. Skips with exit code 0 if
 * Go is not installed.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { chartDigest, chartFolder, renderedFolder, storedCases, type ChartCase } from "./cases.ts";

const root = join(import.meta.dirname, "..", "..");

interface Rendered {
  readonly files?: Readonly<Record<string, string>>;
  readonly error?: string;
}
interface Secret {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data: Readonly<Record<string, string>>;
}

const stored = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "tests-restante-keys", namespace: "mail" },
  data: { RESTANTE_API_KEY: "b2xkIGFwaSBrZXk=", RESTANTE_SECRET_KEY: "b2xkIHNlY3JldCBrZXk=" },
};

const furtherCases: readonly ChartCase[] = [
  { name: "first installation", values: {} },
  { name: "upgrade", values: {}, existing: [stored] },
  { name: "upgrade with a given key", values: { keys: { apiKey: "a".repeat(16) } }, existing: [stored] },
  { name: "nodes without a database", values: { replicas: 2 } },
  { name: "short key", values: { keys: { apiKey: "short" } } },
  { name: "secret in settings", values: { settings: { RESTANTE_API_KEY: "a".repeat(16) } } },
  { name: "misspelt value", values: { replica: 1 } },
];

/** Errors of {@link furtherCases} that are invalid. */
const expectedErrors: Readonly<Record<string, RegExp>> = {
  "nodes without a database": /more than one node needs a PostgreSQL database/,
  "short key": /apiKey/,
  "secret in settings": /propertyName 'RESTANTE_API_KEY'/,
  "misspelt value": /replica/,
};

function renderAll(): Readonly<Record<string, Rendered>> | null {
  if (spawnSync("go", ["version"]).error !== undefined) return null;
  const { status, stdout } = spawnSync("go", ["run", ".", join(root, chartFolder)], {
    cwd: import.meta.dirname,
    input: JSON.stringify([...storedCases, ...furtherCases]),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    maxBuffer: 2 ** 24,
  });
  if (status !== 0) throw new Error(`the program that renders the chart exited with ${status}`);
  return JSON.parse(stdout) as Readonly<Record<string, Rendered>>;
}

/** Returns the manifests of a case as one file. */
function manifestsOf({ files = {}, error }: Rendered): string {
  if (error !== undefined) throw new Error(error);
  const texts = Object.entries(files).filter(([name, text]) => name !== "NOTES.txt" && text.trim() !== "");
  const parts = texts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `---\n# ${name}\n${text.trim()}\n`);
  return `# Rendered by npm run compat:helm -- --update\n# chart ${chartDigest()}\n${parts.join("")}`;
}

function keysOf({ files }: Rendered): Secret {
  return parse(files?.["secrets.yaml"] ?? "") as Secret;
}

/** Returns the errors of the chart. */
function findProblems(rendered: Readonly<Record<string, Rendered>>): readonly string[] {
  const of = (name: string): Rendered => rendered[name] ?? { error: "not rendered" };
  const first = keysOf(of("first installation"));
  const generated = Object.values(first.data).map((value) => Buffer.from(value, "base64").toString());
  const upgraded = keysOf(of("upgrade")).data;
  const given = keysOf(of("upgrade with a given key")).data;
  const outdated = storedCases.filter(({ name }) => readStored(name) !== manifestsOf(of(name)));
  return [
    ...Object.entries(expectedErrors).flatMap(([name, error]) =>
      error.test(of(name).error ?? "") ? [] : [`${name}: no error that matches ${String(error)}`],
    ),
    ...(generated.length === 2 && new Set(generated).size === 2 && generated.every((key) => /^\w{48}$/.test(key))
      ? []
      : ["first installation: keys are not generated"]),
    ...(first.metadata.annotations?.["helm.sh/resource-policy"] === "keep"
      ? []
      : ["keys are deleted with the release"]),
    ...(JSON.stringify(upgraded) === JSON.stringify(stored.data) ? [] : ["upgrade: keys change"]),
    ...(given["RESTANTE_API_KEY"] === Buffer.from("a".repeat(16)).toString("base64") ? [] : ["a given key is ignored"]),
    ...(given["RESTANTE_SECRET_KEY"] === stored.data.RESTANTE_SECRET_KEY ? [] : ["upgrade: the other key changes"]),
    ...outdated.map(({ name }) => `${renderedFolder}/${name}.yaml is out of date: npm run compat:helm -- --update`),
  ];
}

function fileOf(name: string): string {
  return join(root, renderedFolder, `${name}.yaml`);
}

function readStored(name: string): string {
  return readFileSync(fileOf(name), "utf8");
}

const rendered = renderAll();
if (rendered === null) process.stderr.write("SKIPPED: needs go, which is not installed here\n");
else {
  if (process.argv[2] === "--update")
    for (const { name } of storedCases) writeFileSync(fileOf(name), manifestsOf(rendered[name] ?? {}));
  const problems = findProblems(rendered);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
  if (problems.length === 0) process.stdout.write(`${Object.keys(rendered).length} cases are as expected\n`);
}
