/** Bundles the JavaScript of the published package: docs/decisions/0064. */
import { glob } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type BuildOptions, type Plugin, type Rolldown } from "vite";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");
const dist = join(root, "dist");

/** Process that starts the service as `restante serve` does. */
const sharedService = "testing/shared/shared-service-worker";
/** Loaded into every Node program of a test run, so it has a bundle of its own. */
const redirect = "testing/redirect";
/**
 * Entries of one bundle: the programs, and the exports of the package, which share modules. Modules that an entry imports
 * statically are kept apart from the service, because programs of users load them, and old versions of Node for a message.
 */
const entries = ["cli/main", ...exportedModules()];
/** Modules that every start of the service loads; some are loaded dynamically, so that threads start meanwhile. */
const startModules = [
  sharedService,
  "cli/here",
  "cli/service/serve",
  "app/service",
  "app/assemble",
  "app/listeners/listeners",
  "app/background/workers",
  "app/own-servers",
  "store/sqlite/open",
];

/** Module that a start loads before all others, with all that it imports. */
const earlyModule = "store/sqlite/threads/early-writer";

/**
 * Packages that each start loads, with all that these load: 170 files. They stay dependencies, so that audits name them, and
 * their licences are in `licenses.md`. Other packages stay outside of the bundle.
 */
export const packagesOfStart: readonly string[] = [
  "@csstools/css-tokenizer",
  "@opentelemetry/api",
  "@pinojs/redact",
  "atomic-sleep",
  "bintrees",
  "buffer-crc32",
  "entities",
  "fast-decode-uri-component",
  "fast-deep-equal",
  "fast-querystring",
  "find-my-way",
  "on-exit-leak-free",
  "otpauth",
  "pino",
  "pino-std-serializers",
  "prom-client",
  "quick-format-unescaped",
  "ret",
  "safe-regex2",
  "safe-stable-stringify",
  "sonic-boom",
  "tdigest",
  "thread-stream",
  "yazl",
];

/** Writes the bundles into `dist`, at the paths of their source files. */
export async function bundleService(): Promise<void> {
  const workers = await Array.fromAsync(glob("**/*-worker.ts", { cwd: source }), (file) => file.replace(/\.ts$/, ""));
  const graph = new ModuleGraph();
  await bundle([...entries, sharedService], [graph.plugin, modulePaths, lightBuiltins], {
    codeSplitting: { groups: graph.groups() },
    license: { fileName: "licenses.md" },
  });
  // Threads load what they need, and not the chunk of the service, in one file each: a start waits for the writer.
  for (const worker of workers) {
    if (worker !== sharedService) await bundle([worker], [modulePaths, lightBuiltins], { codeSplitting: false });
  }
  await bundle([redirect], [modulePaths], { codeSplitting: false });
}

/** Returns the modules that `exports` of package.json names. */
function exportedModules(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
  };
  const files = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : Object.values(target)));
  const modules = files.map((file) => /^\.\/dist\/(.*(?<!\.d))\.[cm]?js$/.exec(file)?.[1] ?? redirect);
  return Array.from(new Set(modules)).filter((module) => module !== redirect);
}

async function bundle(
  names: readonly string[],
  plugins: Plugin[],
  { codeSplitting, license }: Pick<Rolldown.OutputOptions, "codeSplitting"> & Pick<BuildOptions, "license"> = {},
): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins,
    ssr: { noExternal: [...packagesOfStart] },
    build: {
      ssr: true,
      ...(license === undefined ? {} : { license }),
      target: "esnext",
      minify: false,
      outDir: dist,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, join(source, `${name}.ts`)])),
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
          comments: { legal: true, annotation: false, jsdoc: false },
          ...(codeSplitting === undefined ? {} : { codeSplitting }),
        },
      },
    },
  });
}

/** Imports between the modules of a bundle, from which the chunks of the start are chosen. */
export class ModuleGraph {
  readonly #imports = new Map<string, readonly string[]>();
  #sets: Readonly<Record<"main" | "start" | "early" | "others", Set<string>>> | undefined;

  readonly plugin: Plugin = {
    name: "module-graph",
    moduleParsed: ({ id, importedIds }) => void this.#imports.set(id, importedIds),
  };

  /**
   * Returns three groups: what only the service uses, what other commands use as well, and what loads before both. Hundreds of modules would otherwise
   * be as many chunks, because most are shared by a different set of endpoints that are loaded on demand.
   */
  groups(): { readonly name: string; readonly priority: number; readonly test: (id: string) => boolean }[] {
    // Not the entry itself, whose program would run in each program that loads the chunk.
    const isStarted = (id: string): boolean =>
      this.#chosen.start.has(id) && !this.#chosen.main.has(id) && id !== join(source, `${sharedService}.ts`);
    return [
      { name: "service", priority: 1, test: (id) => isStarted(id) && !this.#chosen.others.has(id) },
      // First, because a group takes the imports of its modules along.
      { name: "early", priority: 3, test: (id) => this.#chosen.early.has(id) },
      { name: "shared", priority: 2, test: (id) => isStarted(id) && this.#chosen.others.has(id) },
    ];
  }

  get #chosen() {
    return (this.#sets ??= {
      main: this.#reachable(entries.map((name) => join(source, `${name}.ts`))),
      start: this.#reachable(startModules.map((name) => join(source, `${name}.ts`))),
      early: this.#reachable([join(source, `${earlyModule}.ts`)]),
      others: this.#reachable(
        Array.from(this.#imports.keys()).filter(
          (id) => id.startsWith(join(source, "cli")) && !id.endsWith("/serve.ts"),
        ),
      ),
    });
  }

  #reachable(from: readonly string[]): Set<string> {
    const found = new Set(from);
    for (const id of found) for (const imported of this.#imports.get(id) ?? []) found.add(imported);
    return found;
  }
}

/** Makes modules see the paths that their own files would have, whichever chunk they are in. */
const modulePaths: Plugin = {
  name: "module-paths",
  transform: (code, id) => {
    if (!code.includes("import.meta.") || !id.startsWith(source)) return undefined;
    const file = relative(source, id).replace(/\.ts$/, ".js");
    return code
      .replaceAll("import.meta.url", `new URL(${JSON.stringify(file)}, __DIST_URL__).href`)
      .replaceAll("import.meta.dirname", `(__DIST_FOLDER__ + ${JSON.stringify(`/${dirname(file)}`)})`);
  },
  renderChunk: (code, { fileName }) => {
    const depth = fileName.split("/").length - 1;
    return code
      .replaceAll("__DIST_URL__", `new URL(${JSON.stringify("../".repeat(depth) || "./")}, import.meta.url)`)
      .replaceAll("__DIST_FOLDER__", `(import.meta.dirname + ${JSON.stringify("/..".repeat(depth))})`);
  },
  // Not in `renderChunk`, after which the bundler prints the code again, without escapes.
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = ascii(file.code);
  },
};

/** Prefix of module ids for Node modules without their facade. */
const lightPrefix = "\0light:";

/**
 * Makes modules use those of Node without their ESM facades, which evaluate all properties when they are imported. Some
 * properties load much more than a start needs: `WebSocket` of `node:http` loads undici (14 MB), `promises` of `node:fs`
 * loads `readline`, and `webcrypto` of `node:crypto` the Web Cryptography API.
 */
export const lightBuiltins: Plugin = {
  name: "light-builtins",
  enforce: "pre",
  resolveId: (id, importer) => (id.startsWith("node:") && importer?.startsWith(source) ? lightPrefix + id : undefined),
  load: (id) => {
    if (!id.startsWith(lightPrefix)) return undefined;
    const name = id.slice(lightPrefix.length);
    const names = Object.keys(process.getBuiltinModule(name) as object).filter((key) => key !== "default");
    // The bundler removes exports that no module imports: reading some of them loads further modules of Node.
    const properties = names.map((key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`);
    return `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(name)});
      export default builtin;
      ${properties.join("\n")}`;
  },
};

/**
 * Escapes characters beyond ASCII: V8 keeps the source text of loaded modules, with two bytes for every character when it
 * contains one that is not Latin-1.
 */
export function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
