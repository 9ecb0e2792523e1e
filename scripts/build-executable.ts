/**
 * Builds the service as one executable file for the present platform: `npm run build:executable [FILE]`. Node mounts the
 * modules and the web UI in it as a virtual file system; threads do not see that, so each of them, and each worker process,
 * is one module, which is started from its text. docs/decisions/0071-single-executable.md
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { build, type InlineConfig, type Plugin } from "vite";
import { buildWeb } from "./build-web.ts";
import { ascii } from "./bundle-service.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");
const folder = join(root, "node_modules", ".cache", "restante-executable");
const executable = process.argv[2] ?? join(root, "dist-executable", "restante");
/** Packages of previews, which are installed separately and are not found by the executable. */
const external = ["playwright-core", "@sparticuz/chromium"];
const embeddedWorkers = "\0embedded-workers";

/** Starts threads and workers from their text. Their names are paths below `src`, without ending. */
const embeddedWorkersCode = `
import { createRequire } from "node:module";
import { posix } from "node:path";
import { getAsset } from "node:sea";
import { compileFunction } from "node:vm";
import { Worker } from "node:worker_threads";
export const embeddedWorkerUrl = (folder, name) => new URL("worker:" + posix.join(folder, name));
export const startEmbeddedWorker = ({ pathname }, options) =>
  new Worker(getAsset("workers/" + pathname + ".cjs", "utf8") + "\\n//# sourceURL=" + pathname, { ...options, eval: true });
export const embeddedProgram = ({ pathname }, flags) => ["--node-options=" + flags.join(" "), "worker", pathname];
export const runEmbeddedWorker = (name) => {
  const module = { exports: {} };
  const text = getAsset("workers/" + name + ".cjs", "utf8");
  const run = compileFunction(text, ["exports", "require", "module"], { filename: name });
  run(module.exports, createRequire(import.meta.url), module);
};
`;

const embeddedNames = ["embeddedWorkerUrl", "startEmbeddedWorker", "embeddedProgram", "runEmbeddedWorker"];

rmSync(folder, { recursive: true, force: true });
await buildWeb();
const workers = await Array.fromAsync(glob("{operations,store}/**/*-worker.ts", { cwd: source }));
for (const file of workers) await buildModules(workerConfig(file));
await buildModules(mainConfig());
writeExecutable();

async function buildModules(config: InlineConfig): Promise<void> {
  await build({ configFile: false, root, logLevel: "error", ...config });
}

function mainConfig(): InlineConfig {
  return {
    plugins: [adaptModules((path) => `new URL(${JSON.stringify(path)}, import.meta.url).href`)],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: "esnext",
      minify: false,
      outDir: join(folder, "modules"),
      rolldownOptions: {
        input: { main: join(source, "cli", "executable.ts") },
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  };
}

/** Workers are CommonJS, because Node evaluates the text of a thread as such. */
function workerConfig(file: string): InlineConfig {
  const name = file.replace(/\.ts$/, "").split(sep).join("/");
  return {
    plugins: [adaptModules((path) => JSON.stringify(`file:///restante/${path}`))],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: "esnext",
      minify: false,
      outDir: join(folder, "workers", dirname(name)),
      emptyOutDir: false,
      rolldownOptions: {
        input: join(source, file),
        output: { format: "cjs", entryFileNames: `${name.split("/").at(-1) ?? ""}.cjs`, codeSplitting: false },
      },
    },
  };
}

/** Replaces what depends on files: the URLs of modules and of workers, and a library that is loaded on demand. */
function adaptModules(urlOf: (path: string) => string): Plugin {
  return {
    name: "adapt-modules",
    enforce: "pre",
    resolveId: (id) => (id === embeddedWorkers ? id : undefined),
    load: (id) => (id === embeddedWorkers ? embeddedWorkersCode : undefined),
    renderChunk: ascii,
    transform: (code, id) => {
      if (!id.startsWith(source)) return undefined;
      const path = relative(root, id).split(sep).join("/");
      const adapted = code
        .replaceAll("workerUrl(import.meta.url,", `embeddedWorkerUrl(${JSON.stringify(dirname(path).slice(4))},`)
        .replaceAll("new Worker(file,", "startEmbeddedWorker(file,")
        .replace(/^declare function .*$/m, "")
        .replaceAll("nodeProgram(file, flags)", "embeddedProgram(file, flags)")
        .replaceAll(
          /createRequire\(import\.meta\.url\)\("(libphonenumber-js\/min|iconv-lite|@exodus\/bytes\/encoding\.js)"\)/g,
          'require("$1")',
        )
        .replaceAll("import.meta.url", urlOf(path))
        .replaceAll("import.meta.dirname", JSON.stringify(`/restante/${dirname(path)}`));
      const names = embeddedNames.filter((name) => adapted.includes(`${name}(`));
      const imported =
        names.length === 0 ? "" : `import { ${names.join(", ")} } from ${JSON.stringify(embeddedWorkers)};`;
      return imported + adapted;
    },
  };
}

function writeExecutable(): void {
  mkdirSync(dirname(executable), { recursive: true });
  const config = join(folder, "sea.json");
  const content = {
    main: join(folder, "modules", "main.mjs"),
    mainFormat: "module",
    output: executable,
    disableExperimentalSEAWarning: true,
    useVfs: true,
    execArgv: ["--max-semi-space-size=8", "--no-parallel-scavenge"],
    // The flags of workers.
    execArgvExtension: "cli",
    assets: assetsOf(),
  };
  writeFileSync(config, JSON.stringify(content));
  const { status } = spawnSync(process.execPath, [`--build-sea=${config}`], { stdio: "inherit" });
  if (status !== 0) throw new Error(`Node exited with ${status}`);
}

/** Returns the files in the executable by their path below its root. */
function assetsOf(): Readonly<Record<string, string>> {
  const below = (parent: string, prefix: string): readonly (readonly [string, string])[] =>
    readdirSync(parent, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [prefix + relative(parent, file).split(sep).join("/"), file] as const);
  return Object.fromEntries([
    ...below(join(folder, "modules"), "").filter(([name]) => name !== "main.mjs"),
    ...below(join(folder, "workers"), "workers/"),
    ...below(join(root, "dist", "web"), "dist/web/"),
    ...below(join(root, "dist", "reference"), "dist/reference/"),
    ["package.json", join(root, "package.json")],
  ]);
}
