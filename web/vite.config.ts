import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin, type UserConfig } from "vite";

const target = "es2023";

/**
 * Adds the script that sends the first requests of the page before its code is loaded. It is a build of its own, because a second
 * entry would split the code of the page into many files.
 */
function earlyScript(): Plugin {
  return {
    name: "early-script",
    apply: "build",
    async buildStart() {
      this.emitFile({ type: "asset", name: "early.js", source: await buildEarlyScript() });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) => {
        const fileName = Object.keys(bundle).find((name) => /\/early-[^/]+\.js$/.test(name));
        if (fileName === undefined) throw new Error("the early script is not in the bundle");
        return [{ tag: "script", attrs: { async: true, src: `./${fileName}` }, injectTo: "head" }];
      },
    },
  };
}

async function buildEarlyScript(): Promise<string> {
  const input = join(import.meta.dirname, "early", "main.ts");
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: { write: false, target, modulePreload: false, rolldownOptions: { input, output: { format: "iife" } } },
  });
  const [output] = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  if (output?.type !== "chunk") throw new Error("the early script has no code");
  return output.code;
}

/**
 * Adds the character maps and standard fonts of pdf.js, with their licences, which it requests for PDF files that do not embed
 * them. Their folder is named after the version, because browsers keep files for a year.
 */
function pdfResources(): Plugin {
  return {
    name: "pdf-resources",
    apply: "build",
    generateBundle() {
      const manifest = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
      const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
      for (const folder of ["cmaps", "standard_fonts"]) {
        for (const name of readdirSync(join(dirname(manifest), folder))) {
          const source = readFileSync(join(dirname(manifest), folder, name));
          this.emitFile({ type: "asset", fileName: `assets/pdf.js-${version}/${folder}/${name}`, source });
        }
      }
    },
  };
}

/** Returns a function that names the chunk of modules that the entry imports statically; null for those of other pages. */
function nameOfFirstView(): (id: string, context: { getModuleInfo: ModuleInfoOf }) => string | null {
  let modules: ReadonlySet<string> | undefined;
  return (id, context) => {
    modules ??= staticImportsOf(join(import.meta.dirname, "main.tsx"), (one) => context.getModuleInfo(one));
    return modules.has(id) ? "first-view" : null;
  };
}

type ModuleInfoOf = (id: string) => { readonly importedIds: readonly string[] } | null;

function staticImportsOf(entry: string, getModuleInfo: ModuleInfoOf): ReadonlySet<string> {
  const found = new Set([entry]);
  // A set visits what is added meanwhile.
  for (const id of found) for (const imported of getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // Files find each other below any path; the service completes the addresses in the page.
  base: "./",
  plugins: [react(), earlyScript(), pdfResources()],
  logLevel: "warn",
  css: { modules: { localsConvention: "camelCaseOnly" } },
  worker: { format: "es" },
  build: {
    outDir: join(import.meta.dirname, "..", "dist", "web"),
    emptyOutDir: true,
    // The content security policy forbids data: URLs, and supported browsers preload modules without a polyfill.
    assetsInlineLimit: 0,
    // Licences of the bundled libraries, some of which ask for a copy beside their code.
    license: { fileName: "licenses.md" },
    modulePreload: { polyfill: false },
    target,
    // Modules of the first view are one file: split by the pages that share them, they compress 10 kB worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: nameOfFirstView(), debugName: "first-view" }] } } },
  },
});
export default config;
