/** React Email: components in TSX or JSX, with the packages of the project. */
import { Module, createRequire } from "node:module";
import { dirname } from "node:path";
import { defaultOf, packageLoader, type RenderSource } from "./engine.ts";

interface Esbuild {
  readonly build: (options: object) => Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

interface ReactRenderer {
  readonly render: (element: unknown, options?: { readonly plainText?: boolean }) => Promise<string> | string;
}

interface ReactModule {
  readonly createElement: (component: unknown, properties: object) => unknown;
}

/** Component of a template, with what React Email lets it state. */
export type EmailComponent = ((properties: object) => unknown) & {
  /** Properties of the preview. */
  readonly PreviewProps?: Readonly<Record<string, unknown>>;
  readonly subject?: unknown;
};

/** Component with its module. */
interface LoadedTemplate {
  readonly component: EmailComponent;
  /** Export `subject` of the module, or member of the component. */
  readonly subject: unknown;
}

/**
 * Returns the exports of a module in TypeScript or JSX and of those that it imports, compiled by the esbuild of the project;
 * packages stay those of the project. Rejects with the errors of esbuild, which have places.
 */
export async function loadScript(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { build } = (await packageLoader(file)(
    "esbuild",
    "react-email>esbuild",
    "tsx>esbuild",
    "vite>esbuild",
  )) as Esbuild;
  const { outputFiles } = await build({
    entryPoints: [file],
    // Sources of the source map are relative to it, and to the file.
    absWorkingDir: dirname(file),
    bundle: true,
    write: false,
    packages: "external",
    platform: "node",
    format: "cjs",
    jsx: "automatic",
    sourcemap: "inline",
    logLevel: "silent",
  });
  const compiled = new Module(file) as NodeJS.Module & { _compile: (code: string, name: string) => void };
  compiled.filename = file;
  compiled.require = createRequire(file);
  compiled._compile(outputFiles[0]?.text ?? "", file);
  return compiled.exports as Readonly<Record<string, unknown>>;
}

/** Templates of this process, which renders one state of the folder. */
const loaded = new Map<string, Promise<LoadedTemplate>>();

/** Loads a template, once. Rejects with a `TypeError` for a module without a component. */
export async function loadTemplate(file: string): Promise<LoadedTemplate> {
  const known = loaded.get(file) ?? compileTemplate(file);
  loaded.set(file, known);
  return known;
}

async function compileTemplate(file: string): Promise<LoadedTemplate> {
  const exports = await loadScript(file);
  const component = exports["default"];
  if (typeof component !== "function") throw new TypeError("The default export of the file is not a component");
  const email = component as EmailComponent;
  return { component: email, subject: exports["subject"] ?? email.subject };
}

/** Renders a component with the data as its properties. */
export async function renderReact({ file, data, load }: ElementSource): Promise<string> {
  return renderElement({ file, data, load }, {});
}

/** Renders the plain text that React Email makes of a component. */
export async function renderReactText({ file, data, load }: ElementSource): Promise<string> {
  return renderElement({ file, data, load }, { plainText: true });
}

type ElementSource = Pick<RenderSource, "file" | "data" | "load">;

async function renderElement(
  { file, data, load }: ElementSource,
  options: { readonly plainText?: boolean },
): Promise<string> {
  const { component } = await loadTemplate(file);
  const { createElement } = defaultOf<ReactModule>(await load("react"));
  const packages = ["@react-email/render", "react-email", "@react-email/components"];
  const { render } = (await load(...packages)) as ReactRenderer;
  return render(createElement(component, data), options);
}
