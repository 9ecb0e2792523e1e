/** Table of the engines. */
import { basename, dirname, extname, join } from "node:path";
import { readInnerFile, realInnerPath, TemplateFileError } from "../inner-path.ts";
import { type EngineName, defaultOf, type Engine, type RenderSource } from "./engine.ts";
import { renderReact } from "./react.ts";

/** Engines by name. EJS, Pug, Nunjucks and React are programs: they read what the process may read. */
export const engines: Readonly<Record<EngineName, Engine>> = {
  html: async ({ text }) => text,
  text: async ({ text }) => text,
  handlebars: renderHandlebars,
  liquid: renderLiquid,
  mjml: renderMjml,
  react: renderReact,
  ejs: async ({ text, data, file, folder, functions, load }) => {
    const { render } = defaultOf<TextRenderer>(await load("ejs"));
    const options = { filename: file, root: folder, views: [folder], async: true };
    return render(text, { ...functions, ...data }, options);
  },
  mustache: async ({ text, data, partials, load }) => {
    const { render } = defaultOf<TextRenderer>(await load("mustache"));
    return render(text, data, (name: string) => namedPartials(partials).get(name) ?? "");
  },
  nunjucks: async ({ text, data, file, folder, functions, load }) => {
    const { Environment, FileSystemLoader, Template } = defaultOf<Nunjucks>(await load("nunjucks"));
    const environment = new Environment(new FileSystemLoader(folder), { autoescape: true });
    for (const [name, one] of Object.entries(functions)) environment.addFilter(name, one);
    const template = new Template(text, environment, file);
    return new Promise((resolve, reject) => {
      template.render({ ...data }, (error, html) => {
        if (error === null) resolve(html ?? "");
        else reject(error);
      });
    });
  },
  pug: async ({ text, data, file, folder, functions, load }) => {
    const { render } = defaultOf<TextRenderer>(await load("pug"));
    return render(text, { ...functions, ...data, filename: file, basedir: folder });
  },
};

interface TextRenderer {
  readonly render: (text: string, ...rest: readonly unknown[]) => Promise<string> | string;
}

interface Nunjucks {
  readonly FileSystemLoader: new (folder: string) => object;
  readonly Environment: new (
    loader: object,
    options: object,
  ) => { readonly addFilter: (name: string, filter: unknown) => void };
  readonly Template: new (
    text: string,
    environment: object,
    path: string,
  ) => { readonly render: (data: object, done: (error: Error | null, html: string | null) => void) => void };
}

interface HandlebarsInstance {
  readonly create: () => HandlebarsInstance;
  readonly registerHelper: (name: string, helper: unknown) => void;
  readonly registerPartial: (name: string, source: string) => void;
  readonly compile: (source: string) => (data: unknown) => string;
}

async function renderHandlebars({ text, data, partials, functions, load }: RenderSource): Promise<string> {
  const handlebars = defaultOf<HandlebarsInstance>(await load("handlebars")).create();
  for (const [name, helper] of Object.entries(functions)) handlebars.registerHelper(name, helper);
  for (const [name, source] of namedPartials(partials)) handlebars.registerPartial(name, source);
  return handlebars.compile(text)(data);
}

/**
 * Returns partials by the names that templates call them: path without extension, without the folder for partials, without a
 * leading `_`, and base name. The first file with a name has it.
 */
function namedPartials(partials: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const [path, text] of partials) {
    const plain = path.slice(0, path.length - extname(path).length);
    const inner = plain.replace(/^(?:partials|layouts|components|includes)\//, "");
    const names = [plain, inner, basename(plain), basename(plain).replace(/^_/, "")];
    for (const name of names) if (!named.has(name)) named.set(name, text);
  }
  return named;
}

interface LiquidModule {
  readonly Liquid: new (options: object) => {
    readonly registerFilter: (name: string, filter: unknown) => void;
    readonly parse: (text: string, file?: string) => unknown;
    readonly render: (template: unknown, data: object) => Promise<string>;
  };
}

async function renderLiquid({ text, data, file, folder, functions, load }: RenderSource): Promise<string> {
  const { Liquid } = (await load("liquidjs")) as LiquidModule;
  const read = (path: string): string => readInnerFile(folder, path);
  const exists = (path: string): boolean => {
    try {
      return realInnerPath(folder, path) !== "";
    } catch (error) {
      if (error instanceof TemplateFileError) return false;
      throw error;
    }
  };
  const fs = {
    readFile: async (path: string) => read(path),
    readFileSync: read,
    exists: async (path: string) => exists(path),
    existsSync: exists,
    contains: async () => true,
    containsSync: () => true,
    resolve: (root: string, name: string, ending: string) => join(root, extname(name) === "" ? name + ending : name),
    dirname,
    sep: "/",
  };
  const root = [folder, join(folder, "partials"), join(folder, "layouts"), dirname(file)];
  const liquid = new Liquid({ root, extname: ".liquid", fs });
  for (const [name, filter] of Object.entries(functions)) liquid.registerFilter(name, filter);
  return liquid.render(liquid.parse(text, file), { ...data });
}

interface MjmlError {
  readonly line: number;
  readonly message: string;
  readonly tagName?: string;
}

type Mjml = (
  text: string,
  options: object,
) =>
  | { readonly html: string; readonly errors: readonly MjmlError[] }
  | Promise<{
      readonly html: string;
      readonly errors: readonly MjmlError[];
    }>;

async function renderMjml({ text, file, folder, load }: RenderSource): Promise<string> {
  requireInnerIncludes(folder, { from: dirname(file), text, depth: 0 });
  const mjml = defaultOf<Mjml>(await load("mjml"));
  const options = { filePath: file, ignoreIncludes: false, includePath: folder, validationLevel: "soft" };
  const { html, errors } = await mjml(text, options);
  const [first] = errors;
  if (first === undefined) return html;
  throw Object.assign(new Error(`<${first.tagName ?? "mjml"}>: ${first.message}`), { line: first.line });
}

const includeDepthMax = 10;

/** Throws when a file that MJML includes, or one that this includes, is outside of the folder. */
function requireInnerIncludes(
  folder: string,
  { from, text, depth }: { readonly from: string; readonly text: string; readonly depth: number },
): void {
  for (const [tag] of text.matchAll(/<mj-include\b[^>]*>/g)) {
    const [, path] = /\bpath\s*=\s*["']([^"']+)["']/.exec(tag) ?? [];
    if (path === undefined) continue;
    const file = join(from, path);
    const inner = readInnerFile(folder, file);
    if (depth < includeDepthMax) requireInnerIncludes(folder, { from: dirname(file), text: inner, depth: depth + 1 });
  }
}
