/** Templates of a folder: their files, languages and cases with sample data. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { innerPath } from "./inner-path.ts";
import { type EngineName, extensions } from "./engines/engine.ts";

/** Source of a part of a mail. Paths are relative to the folder, with `/` between segments. */
export interface TemplateSource {
  readonly path: string;
  /** Engines in the order in which they render: for `welcome.mjml.hbs` Handlebars, then MJML. */
  readonly engines: readonly EngineName[];
}

/** Template with one set of sample data: one mail. */
export interface TemplateCase {
  /** Path of the template without extensions, name of the case and locale, joined by dots; unique in the folder. */
  readonly id: string;
  /** Path of the template without extensions and, after a dot, the name of the case: cases of several locales share it. */
  readonly group: string;
  /** Locale of the configuration; null when it names none. */
  readonly locale: string | null;
  readonly html: TemplateSource | null;
  readonly text: TemplateSource | null;
  /** Files with sample data; members of later ones take precedence. */
  readonly dataFiles: readonly string[];
}

/** Templates of a folder. */
export interface TemplateFolder {
  /** Cases in the order of their ids. */
  readonly cases: readonly TemplateCase[];
  /** Paths of files that templates include: those in folders for partials, and those whose names begin with `_`. */
  readonly partials: readonly TemplateSource[];
}

/** Choices of {@link findTemplates}. */
export interface TemplateSearch {
  /** Locales, the default one first. */
  readonly locales: readonly string[];
  /** Engines of further extensions, or others than usual; extensions without a dot. */
  readonly engines: Readonly<Record<string, EngineName>>;
}

/** Most files of a folder, so that a wrong operand such as `/` ends soon. */
export const folderFileCountMax = 5000;
const depthMax = 16;

const partialFolders: ReadonlySet<string> = new Set(["partials", "layouts", "components", "includes"]);
const dataExtensions: ReadonlySet<string> = new Set(["json", "js", "mjs", "cjs", "ts", "mts"]);

/** Error about the folder as a whole. */
export class TemplateFolderError extends Error {
  override readonly name: string = "TemplateFolderError";
}

/** Finds the templates of a folder, whose path is real. Throws {@link TemplateFolderError} for one with too many files. */
export function findTemplates(folder: string, search: TemplateSearch): TemplateFolder {
  const files = listFiles(folder).map((path) => readName(path, search));
  const sources = files.filter((file) => file.engines.length > 0);
  const isPartial = ({ path }: NamedFile): boolean =>
    path.split("/").some((segment) => segment.startsWith("_") || partialFolders.has(segment));
  const templates = sources.filter((file) => !isPartial(file));
  const names = new Set(templates.map(({ name }) => name));
  const samples = files.filter((file) => file.engines.length === 0 && !isPartial(file));
  const cases = [...names].flatMap((name) => casesOf(name, { templates, names, samples, ...search }));
  return {
    cases: cases.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    partials: sources.filter(isPartial).map(({ path, engines }) => ({ path, engines })),
  };
}

/** Returns the paths of the files of a folder. Hidden files, packages and links that lead out of the folder are left out. */
function listFiles(folder: string): readonly string[] {
  const found: string[] = [];
  const walk = (inner: string, depth: number): void => {
    const entries = readdirSync(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = inner === "" ? entry.name : `${inner}/${entry.name}`;
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory() && depth < depthMax) walk(path, depth + 1);
      if (entry.isFile() || (entry.isSymbolicLink() && isInnerFile(folder, path))) found.push(path);
      if (found.length > folderFileCountMax)
        throw new TemplateFolderError(`${folder} has more than ${String(folderFileCountMax)} files`);
    }
  };
  walk("", 0);
  return found;
}

function isInnerFile(folder: string, path: string): boolean {
  try {
    const real = realpathSync(join(folder, path));
    return innerPath(folder, real) !== undefined && statSync(real).isFile();
  } catch {
    // A link without a target is no file.
    return false;
  }
}

/** File with what its name says. */
interface NamedFile {
  readonly path: string;
  /** Path without extensions and locale. */
  readonly name: string;
  readonly locale: string | null;
  /** Empty for files that are no source. */
  readonly engines: readonly EngineName[];
  /** Whether the file is the plain text of a mail. */
  readonly isText: boolean;
  /** Last extension. */
  readonly extension: string;
}

function readName(path: string, { locales, engines: own }: TemplateSearch): NamedFile {
  const [stem = "", ...parts] = basename(path).split(".");
  const extension = parts.at(-1) ?? "";
  const engines: EngineName[] = [];
  for (let last = parts.at(-1); last !== undefined; last = parts.at(-1)) {
    const engine = Object.hasOwn(own, last) ? own[last] : extensions.get(last);
    if (engine === undefined) break;
    engines.push(engine);
    parts.pop();
  }
  if (engines.length === 0 && dataExtensions.has(extension)) parts.pop();
  const locale = locales.find((one) => one === parts.at(-1)) ?? null;
  if (locale !== null) parts.pop();
  const folder = dirname(path) === "." ? "" : `${dirname(path)}/`;
  const isText = engines.at(-1) === "text";
  return { path, name: folder + [stem, ...parts].join("."), locale, engines, isText, extension };
}

interface Found extends TemplateSearch {
  readonly templates: readonly NamedFile[];
  readonly names: ReadonlySet<string>;
  readonly samples: readonly NamedFile[];
}

/** Sample data of a template. */
interface Sample {
  readonly path: string;
  /** Name of the case; "" for the default one. */
  readonly caseName: string;
  readonly locale: string | null;
}

function casesOf(name: string, found: Found): readonly TemplateCase[] {
  const own = found.templates.filter((one) => one.name === name);
  const samples = samplesOf(name, found);
  const variants = [...new Set(own.map(({ locale }) => locale))];
  return variants.flatMap((variant) => {
    const sourceOf = (isText: boolean): TemplateSource | null => {
      const parts = own.filter((one) => one.isText === isText);
      const source = parts.find((one) => one.locale === variant) ?? parts.find((one) => one.locale === null);
      return source === undefined ? null : { path: source.path, engines: source.engines };
    };
    const [html, text] = [sourceOf(false), sourceOf(true)];
    const named = keysOf(variant, samples).filter(({ locale }) => locale === variant || !variants.includes(locale));
    const hasOwnData = html?.engines.includes("react") === true;
    const isDefault = ({ caseName, locale }: Omit<Sample, "path">): boolean =>
      caseName === "" && [null, variant, found.locales[0]].includes(locale);
    const needsDefault = named.length === 0 || (hasOwnData && !named.some(isDefault));
    const keys = needsDefault ? [{ caseName: "", locale: variant }, ...named] : named;
    return keys.map(({ caseName, locale: given }) => {
      const locale = given ?? found.locales[0] ?? null;
      const group = caseName === "" ? name : `${name}.${caseName}`;
      const isUsed = (sample: Sample): boolean =>
        [caseName, ""].includes(sample.caseName) && [given, null].includes(sample.locale);
      const order = (sample: Sample): number => (sample.caseName === "" ? 0 : 2) + (sample.locale === null ? 0 : 1);
      const dataFiles = samples.filter(isUsed).toSorted((one, other) => order(one) - order(other));
      const id = given === null ? group : `${group}.${given}`;
      return { id, group, locale, html, text, dataFiles: dataFiles.map(({ path }) => path) };
    });
  });
}

/** Returns the sample data of a template: files with its name, and those that go on with a dot. */
function samplesOf(name: string, { samples, names }: Found): readonly Sample[] {
  return samples
    .filter(({ extension }) => dataExtensions.has(extension))
    .flatMap(({ path, name: full, locale }) => {
      const isOwn = full === name || full.startsWith(`${name}.`);
      const isOfOther = [...names].some(
        (one) => one.length > name.length && (full === one || full.startsWith(`${one}.`)),
      );
      return isOwn && !isOfOther ? [{ path, caseName: full.slice(name.length + 1), locale }] : [];
    });
}

/** Returns the cases that have data, of a template in one locale, or in all for `variant` null. */
function keysOf(variant: string | null, samples: readonly Sample[]): readonly Omit<Sample, "path">[] {
  const keys = new Map<string, Omit<Sample, "path">>();
  for (const { caseName, locale } of samples) {
    if (variant !== null && locale !== null && locale !== variant) continue;
    const key = { caseName, locale: variant ?? locale };
    keys.set(`${caseName}\n${key.locale ?? ""}`, key);
  }
  return [...keys.values()];
}
