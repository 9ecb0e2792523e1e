/** Renders one case of a template, in the process that ends when it takes too long. */
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { engines } from "./engines/engines.ts";
import { defaultOf, packageLoader, type RenderSource } from "./engines/engine.ts";
import { loadTemplate, renderReactText } from "./engines/react.ts";
import { placeError } from "./error-place.ts";
import { readInnerFile, realInnerPath } from "./inner-path.ts";
import type { MailFields, RenderedTemplate, RenderJob, RenderResult } from "./render-job.ts";
import type { TemplateSource } from "./template-files.ts";

type Values = Readonly<Record<string, unknown>>;

/** Renders a case. Never rejects: an error is a result with its place. */
export async function renderTemplate(job: RenderJob): Promise<RenderResult> {
  const current = { file: (job.template.html ?? job.template.text)?.path ?? "" };
  try {
    return await renderCase(job, current);
  } catch (error) {
    return placeError(error, { folder: job.folder, file: current.file });
  }
}

/** File that is read or rendered, which an error without a place is about. */
interface Current {
  file: string;
}

async function renderCase(job: RenderJob, current: Current): Promise<RenderedTemplate> {
  const { folder, template } = job;
  const given = await readSamples(job, current);
  const react = await ofComponent(folder, template.html, given);
  const data = react?.data ?? given;
  const functions = await readFunctions(job.functionsFile);
  const partials = readPartials(job);
  const render = async (source: TemplateSource | null): Promise<Rendered | null> => {
    if (source === null) return null;
    current.file = source.path;
    return renderSource({ folder, data, functions, partials }, source);
  };
  const html = await render(template.html);
  const text = (await render(template.text)) ?? (react === null ? null : { text: await react.plainText() });
  const fields = fieldsOf(data);
  const subjects = [fields.subject, html?.subject, react?.subject, data["subject"]];
  const [shown, plain] = [html?.text ?? null, text?.text ?? null];
  return { kind: "rendered", html: shown, text: plain, subject: firstText([...subjects, titleOf(shown)]), fields };
}

function firstText(values: readonly unknown[]): string | null {
  return values.find((one): one is string => typeof one === "string" && one.trim() !== "") ?? null;
}

/** Returns the data of a case: members of later files take precedence. */
async function readSamples({ folder, template }: RenderJob, current: Current): Promise<Values> {
  let merged: Values = {};
  for (const path of template.dataFiles) {
    current.file = path;
    const file = join(folder, path);
    const read =
      extname(path) === ".json" ? (JSON.parse(readInnerFile(folder, file)) as unknown) : await call(folder, file);
    if (typeof read !== "object" || read === null) throw new TypeError("The sample data is not an object");
    merged = { ...merged, ...(read as Values) };
  }
  return merged;
}

/** Returns the data that a module exports by default, or that its function returns. */
async function call(folder: string, file: string): Promise<unknown> {
  const module: unknown = await import(pathToFileURL(realInnerPath(folder, file)).href);
  const main = defaultOf<unknown>(module);
  return typeof main === "function" ? await (main as () => unknown)() : main;
}

interface ReactParts {
  readonly data: Values;
  readonly subject: unknown;
  readonly plainText: () => Promise<string>;
}

/** Returns what a component states besides its HTML; null for other templates. */
async function ofComponent(folder: string, source: TemplateSource | null, given: Values): Promise<ReactParts | null> {
  if (source?.engines.includes("react") !== true) return null;
  const file = realInnerPath(folder, join(folder, source.path));
  const { component, subject } = await loadTemplate(file);
  const data = { ...component.PreviewProps, ...given };
  const ownSubject: unknown = typeof subject === "function" ? (subject as (one: Values) => unknown)(data) : subject;
  return {
    data,
    subject: ownSubject,
    plainText: async () => renderReactText({ file, data, load: packageLoader(file) }),
  };
}

async function readFunctions(file: string | null): Promise<RenderSource["functions"]> {
  if (file === null) return {};
  const exports = (await import(pathToFileURL(file).href)) as Values;
  const named = { ...(exports["default"] as Values | undefined), ...exports };
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, () => unknown] => typeof entry[1] === "function"),
  );
}

function readPartials({ folder, partials }: RenderJob): ReadonlyMap<string, string> {
  const texts = partials.filter(({ engines: names }) => !names.includes("react"));
  return new Map(texts.map(({ path }) => [path, readInnerFile(folder, join(folder, path))]));
}

interface Rendered {
  readonly text: string;
  /** Rendered subject of the front matter. */
  readonly subject: string | undefined;
}

async function renderSource(
  { data: given, ...shared }: Pick<RenderSource, "folder" | "data" | "functions" | "partials">,
  { path, engines: names }: TemplateSource,
): Promise<Rendered> {
  const file = realInnerPath(shared.folder, join(shared.folder, path));
  const source = readInnerFile(shared.folder, file);
  // The code of a component has none.
  const { values, body } = names.includes("react") ? { values: {}, body: source } : readFrontMatter(source);
  const data = { ...values, ...given };
  let text = body;
  for (const name of names) text = await engines[name]({ ...shared, file, text, data, load: packageLoader(file) });
  const [language = "html"] = names;
  const { subject } = values;
  const own = { ...shared, file, data, load: packageLoader(file) };
  // MJML takes no data, and gives whole pages.
  const isPlain = subject === undefined || language === "mjml" || language === "pug";
  return { text, subject: isPlain ? subject : await engines[language]({ ...own, text: subject }) };
}

function fieldsOf(data: Values): MailFields {
  const fields = (data["$mail"] ?? {}) as Values;
  const textOf = (name: string): string | undefined => (typeof fields[name] === "string" ? fields[name] : undefined);
  const headers = Object.entries((fields["headers"] ?? {}) as Values).map(([name, value]) => [name, String(value)]);
  const entries = ["subject", "from", "replyTo"].flatMap((name) => {
    const value = textOf(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(Object.fromEntries(entries) as MailFields),
    headers: Object.fromEntries(headers) as Record<string, string>,
  };
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#x27": "'",
  nbsp: " ",
};

function titleOf(html: string | null): string | undefined {
  const start = /<title[^>]*>/i.exec(html ?? "");
  if (html === null || start === null) return undefined;
  const from = start.index + start[0].length;
  const [inner = ""] = html.slice(from, from + 1000).split("<");
  return inner.replaceAll(/&(#?\w{1,6});/g, (whole, name: string) => entities[name] ?? whole).trim();
}

// Front matter: lines `name: value` between `---` at the beginning of a file, as Maizzle, Jekyll and Eleventy read it.

/** File with front matter. */
interface FrontMatter {
  /** Texts by name; lines that are no text, such as lists, are left out. */
  readonly values: Readonly<Record<string, string>>;
  /** The rest, with a line for each line of the front matter, so that places in it are those of the file. */
  readonly body: string;
}

/** Reads front matter; a file without has no values. */
function readFrontMatter(source: string): FrontMatter {
  const lines = source.split("\n");
  if (lines[0]?.trimEnd() !== "---") return { values: {}, body: source };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return { values: {}, body: source };
  const values: Record<string, string> = {};
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1).trim();
    if (/^[\w$-]{1,50}$/.test(name) && value !== "") values[name] = unquoted(value);
  }
  return { values, body: "\n".repeat(end + 1) + lines.slice(end + 1).join("\n") };
}

function unquoted(value: string): string {
  const quote = value.at(0);
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.at(-1) === quote;
  return isQuoted ? value.slice(1, -1) : value;
}
