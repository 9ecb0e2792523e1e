/** Bundles the command line tool for tests that start processes: loading one file takes a third less CPU time than 500. */
import { rmSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "restante-tests");
/** Chunks of other sources are kept for this long, because another run may use them. */
const oldMs = 86_400_000;

/** Builds the bundle and returns the path of its main file. Packages and worker threads are loaded from their own files. */
export async function bundleService(): Promise<string> {
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [keepModulePaths],
    build: {
      ssr: true,
      target: "esnext",
      minify: false,
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: join(root, "src", "cli", "main.ts"),
        output: { entryFileNames: "main.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > oldMs) rmSync(file, { recursive: true });
  }
  return join(folder, "main.js");
}

/** Keeps the paths of the source files, from which modules find workers, assets and package.json. */
const keepModulePaths: Plugin = {
  name: "keep-module-paths",
  transform: (code, id) =>
    code.includes("import.meta")
      ? code
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
      : undefined,
};
