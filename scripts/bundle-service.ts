/** Bundles the JavaScript of the published package: docs/decisions/0064. */
import { glob } from "node:fs/promises";
import http from "node:http";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";

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
  "cli/serve",
  "app/service",
  "app/assemble",
  "app/listeners/listeners",
  "app/background/workers",
  "app/own-servers",
  "store/sqlite/open",
];

/** Writes the bundles into `dist`, at the paths of their source files. Packages are loaded from their own files. */
export async function bundleService(): Promise<void> {
  const workers = await Array.fromAsync(glob("**/*-worker.ts", { cwd: source }), (file) => file.replace(/\.ts$/, ""));
  const graph = new ModuleGraph();
  await bundle([...entries, sharedService], [graph.plugin, modulePaths, lightHttp], { groups: graph.groups() });
  // Threads and other programs load what they need, and not the chunk of the service.
  await bundle(
    workers.filter((worker) => worker !== sharedService),
    [modulePaths, lightHttp],
  );
  await bundle([redirect], [modulePaths], false);
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
  codeSplitting?: Rolldown.OutputOptions["codeSplitting"],
): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins,
    build: {
      ssr: true,
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
class ModuleGraph {
  readonly #imports = new Map<string, readonly string[]>();
  #sets: { readonly main: Set<string>; readonly start: Set<string>; readonly others: Set<string> } | undefined;

  readonly plugin: Plugin = {
    name: "module-graph",
    moduleParsed: ({ id, importedIds }) => void this.#imports.set(id, importedIds),
  };

  /**
   * Returns two groups: what only the service uses, and what other commands use as well. Hundreds of modules would otherwise
   * be as many chunks, because most are shared by a different set of endpoints that are loaded on demand.
   */
  groups(): { readonly name: string; readonly priority: number; readonly test: (id: string) => boolean }[] {
    // Not the entry itself, whose program would run in each program that loads the chunk.
    const isStarted = (id: string): boolean =>
      this.#chosen.start.has(id) && !this.#chosen.main.has(id) && id !== join(source, `${sharedService}.ts`);
    return [
      { name: "service", priority: 1, test: (id) => isStarted(id) && !this.#chosen.others.has(id) },
      // First, because a group takes the imports of its modules along.
      { name: "shared", priority: 2, test: (id) => isStarted(id) && this.#chosen.others.has(id) },
    ];
  }

  get #chosen() {
    return (this.#sets ??= {
      main: this.#reachable(entries.map((name) => join(source, `${name}.ts`))),
      start: this.#reachable(startModules.map((name) => join(source, `${name}.ts`))),
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
    return ascii(
      code
        .replaceAll("__DIST_URL__", `new URL(${JSON.stringify("../".repeat(depth) || "./")}, import.meta.url)`)
        .replaceAll("__DIST_FOLDER__", `(import.meta.dirname + ${JSON.stringify("/..".repeat(depth))})`),
    );
  },
};

const lightHttpId = "\0light-http";

/**
 * Makes modules use `node:http` without its ESM facade, which evaluates all properties, and thus loads undici for the
 * property `WebSocket`: 14 MB, and a third of the CPU time in which Node starts.
 */
const lightHttp: Plugin = {
  name: "light-http",
  enforce: "pre",
  resolveId: (id) => (id === "node:http" ? lightHttpId : undefined),
  load: (id) => {
    if (id !== lightHttpId) return undefined;
    const names = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) =>
      get ? [] : [name],
    );
    return `const http = process.getBuiltinModule("node:http");
      export default http;
      export const { ${names.join(", ")} } = http;`;
  },
};

/**
 * Escapes characters beyond ASCII: V8 keeps the source text of loaded modules, with two bytes for every character when it
 * contains one that is not Latin-1.
 */
export function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
