/**
 * Bundles the command line tool and the worker threads for tests, which start hundreds of processes and thousands of
 * threads: a process loads its bundle in half of the CPU time of 500 modules, a thread of the store in a quarter. The
 * chunks of the program are those of the published package.
 */
import { rmSync, statSync, writeFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin, type Rolldown } from "vite";
import { buildWeb } from "../scripts/build-web.ts";
import { lightBuiltins, ModuleGraph, packagesOfStart } from "../scripts/bundle-service.ts";
import { buildInto } from "../scripts/replace-files.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");
const folder = join(root, "node_modules", ".cache", "restante-tests");
/** Chunks of other sources are kept for this long, because another run may use them. */
const oldMs = 86_400_000;

/** Further packages of many modules, which load in less time as parts of the bundle. */
const bundledPackages = [...packagesOfStart, "iconv-lite", "safer-buffer"];

/** Main file of the bundle. */
export const bundledMain: string = join(folder, "main.js");

/**
 * Makes modules of tests find worker threads in the bundle. What they need is built before the first of them is loaded, so
 * that a run of other tests builds nothing: the web UI for the module that serves it; and a bundle with it, so that no test uses
 * an older build, for modules that start threads or processes.
 */
export const bundledWorkers: Plugin = {
  name: "bundled-workers",
  // Modules that Vitest has cached are not transformed.
  configureVitest: ({ defineCacheKeyGenerator }) => {
    defineCacheKeyGenerator(({ id, sourceCode }) => (needsBuild(sourceCode, id) ? false : undefined));
  },
  transform: async (code, id) => {
    if (needsBuild(code, id)) await builtOnce("web", buildWeb);
    if (id !== serviceProcess && !startsWorker(code, id)) return undefined;
    await builtOnce("service", bundleService);
    return withBundledWorkers(code, id);
  },
};

const webUi = join(source, "http", "web", "assets.ts");
const serviceProcess = join(source, "testing", "service-process.ts");
const builds = new Map<string, Promise<void>>();

async function builtOnce(name: string, build: () => Promise<void>): Promise<void> {
  const started = builds.get(name) ?? build();
  builds.set(name, started);
  await started;
}

/** Makes modules of the bundle find its worker threads. */
const workersBeside: Plugin = { name: "workers-beside", transform: withBundledWorkers };

function needsBuild(code: string, id: string): boolean {
  return id === webUi || id === serviceProcess || startsWorker(code, id);
}

function startsWorker(code: string, id: string): boolean {
  return code.includes("workerUrl(import.meta.url") && id.startsWith(source);
}

/** Returns the module with the path of the bundle, which has the folders of the sources; undefined when it starts no worker. */
function withBundledWorkers(code: string, id: string): string | undefined {
  if (!startsWorker(code, id)) return undefined;
  return code.replaceAll("workerUrl(import.meta.url", `workerUrl(${urlText(bundlePathOf(id))}`);
}

/** Keeps the paths of the source files, from which modules find assets and package.json. */
const keepModulePaths: Plugin = {
  name: "keep-module-paths",
  transform: (code, id) =>
    code.includes("import.meta")
      ? code.replaceAll("import.meta.url", urlText(id)).replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
      : undefined,
};

/**
 * Builds the bundle into a folder that other runs may use at the same time. Other packages than {@link bundledPackages} are
 * loaded from their own files.
 */
export async function bundleService(target: string = folder): Promise<void> {
  const isEntry = (file: string): boolean => file === "main.js" || file.endsWith("-worker.js");
  await buildInto(target, buildBundle, isEntry);
  for await (const name of glob("**/*.js", { cwd: target })) {
    const file = join(target, name);
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - changedAt > oldMs) rmSync(file, { force: true });
  }
}

async function buildBundle(draft: string): Promise<void> {
  // Without it, Node parses each module as CommonJS first.
  writeFileSync(join(draft, "package.json"), JSON.stringify({ type: "module" }));
  const workers = await Array.fromAsync(glob("**/*-worker.ts", { cwd: source }));
  const entries = workers.map((file) => [file.replace(/\.ts$/, ""), join(source, file)] as const);
  const isAlone = ([name]: readonly [name: string, file: string]): boolean => name.startsWith(threadsOfStores);
  const shared = entries.filter((entry) => !isAlone(entry));
  const graph = new ModuleGraph();
  await buildEntries(
    { main: join(source, "cli", "main.ts"), ...Object.fromEntries(shared) },
    { draft, plugins: [graph.plugin], codeSplitting: { groups: graph.groups() } },
  );
  for (const [name, file] of entries.filter((entry) => isAlone(entry))) await buildEntries({ [name]: file }, { draft });
}

/** Threads that tests start a thousand times: each is one file, without the chunks that entries share. */
const threadsOfStores = "store/sqlite/";

/** Options of {@link buildEntries}. */
interface BundleOptions extends Pick<Rolldown.OutputOptions, "codeSplitting"> {
  readonly draft: string;
  readonly plugins?: readonly Plugin[];
}

async function buildEntries(
  input: Readonly<Record<string, string>>,
  { draft, plugins = [], codeSplitting = true }: BundleOptions,
): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [...plugins, workersBeside, keepModulePaths, lightBuiltins],
    ssr: { noExternal: bundledPackages },
    build: {
      ssr: true,
      target: "esnext",
      minify: false,
      outDir: draft,
      emptyOutDir: false,
      rolldownOptions: {
        input: { ...input },
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", codeSplitting },
      },
    },
  });
}

/** Returns the path of a source file in the bundle. */
function bundlePathOf(file: string): string {
  return join(folder, relative(source, file)).replace(/\.ts$/, ".js");
}

function urlText(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}
