/** Contract of the engines: they render sources with data, by packages of the project that has the templates. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Source that is rendered, and what it may use. */
export interface RenderSource {
  /** Real path of the folder of the templates. */
  readonly folder: string;
  /** Absolute path of the source; its packages are those that it can import. */
  readonly file: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Texts of the files that the language includes, by their paths in the folder. */
  readonly partials: ReadonlyMap<string, string>;
  /** Functions of the project for its templates, by name. */
  readonly functions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  /** Imports the first of some packages that the project has. Throws {@link MissingPackageError}. */
  readonly load: (...packages: readonly string[]) => Promise<unknown>;
}

/** Renders a source. Rejects with the error of the engine. */
export type Engine = (source: RenderSource) => Promise<string>;

/** Error about a package that the project has to install. */
class MissingPackageError extends Error {
  override readonly name: string = "MissingPackageError";
}

/** Returns a function that imports packages as the file would; `react-email>esbuild` is the one that another package has. */
export function packageLoader(file: string): RenderSource["load"] {
  return async (...packages) => {
    for (const name of packages) {
      const path = modulePath(createRequire(file), name);
      if (path !== undefined) return (await import(pathToFileURL(path).href)) as unknown;
    }
    const [name = ""] = packages;
    throw new MissingPackageError(
      `The package ${name} is not installed where ${file} could import it. Run in the project: npm install --save-dev ${name}`,
    );
  };
}

function modulePath({ resolve }: NodeJS.Require, name: string): string | undefined {
  const [outer = "", inner] = name.split(">");
  if (inner === undefined) return resolved(resolve, name) ?? moduleOfManifest(resolve, name);
  const folder = resolve.paths(outer)?.find((one) => existsSync(join(one, outer)));
  return folder && modulePath(createRequire(join(realpathSync(join(folder, outer)), "package.json")), inner);
}

function resolved(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  try {
    return resolve(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return undefined;
    throw error;
  }
}

/** Returns the module of a package that only `import` may load; `resolve` follows the conditions of `require`. */
function moduleOfManifest(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  for (const folder of resolve.paths(name) ?? []) {
    const manifest = readManifest(join(folder, name, "package.json"));
    const entry = manifest?.exports?.["."];
    const target = typeof entry === "string" ? entry : (entry?.import ?? entry?.default);
    if (typeof target === "string") return join(dirname(join(folder, name, "package.json")), target);
  }
  return undefined;
}

interface Manifest {
  readonly exports?: Readonly<Record<".", string | { readonly import?: unknown; readonly default?: unknown }>>;
}

function readManifest(path: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Manifest;
  } catch {
    // Not in this folder of packages; the next one may have it.
    return undefined;
  }
}

/** Returns the default export of a module, or the module itself: packages export their functions either way. */
export function defaultOf<Exports>(module: unknown): Exports {
  const { default: main } = module as { readonly default?: unknown };
  const { default: inner } = (main ?? {}) as { readonly default?: unknown };
  return (typeof inner === "function" || typeof inner === "object" ? (inner ?? main) : (main ?? module)) as Exports;
}

// Engines by the extensions of their files.

/** Names of the engines, for configurations. */
export const engineNames = [
  "ejs",
  "handlebars",
  "html",
  "liquid",
  "mjml",
  "mustache",
  "nunjucks",
  "pug",
  "react",
  "text",
] as const;

/** Template language, or a form of text that needs no engine. */
export type EngineName = (typeof engineNames)[number];

/** Engines by extension. */
export const extensions: ReadonlyMap<string, EngineName> = new Map([
  ["ejs", "ejs"],
  ["handlebars", "handlebars"],
  ["hbs", "handlebars"],
  ["htm", "html"],
  ["html", "html"],
  ["jsx", "react"],
  ["liquid", "liquid"],
  ["mjml", "mjml"],
  ["mustache", "mustache"],
  ["njk", "nunjucks"],
  ["pug", "pug"],
  ["tsx", "react"],
  ["txt", "text"],
]);
