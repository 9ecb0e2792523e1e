import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Relative imports of TypeScript files. */
const ownImport = /(?<= from )"(?<target>\.{1,2}\/[^"]+)\.ts"/g;

/**
 * Returns the file URL of the `restante/redirect` module, which works from any folder. In a checkout, it is a copy in
 * JavaScript in `folder`, because the Node of the test run may not support TypeScript. Several processes may write and load
 * the copy concurrently.
 */
export function redirectModule(folder: string): string {
  const module = new URL(`../../testing/redirect${path.extname(import.meta.url)}`, import.meta.url);
  if (module.pathname.endsWith(".js")) return module.href;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const copies = withoutWarnings(() => copyOf(fileURLToPath(module), new Map()));
  writeAtomically(path.join(folder, "package.json"), '{ "type": "module" }\n');
  for (const [file, code] of copies)
    writeAtomically(path.join(folder, path.relative(root, file).replace(/\.ts$/, ".js")), code);
  return pathToFileURL(path.join(folder, "testing", "redirect.js")).href;
}

/** Writes a file atomically unless it already has this content. */
function writeAtomically(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (readIfThere(file) === text) return;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file is optional.
    return undefined;
  }
}

/** Suppresses Node's warning that type stripping is experimental. */
function withoutWarnings<Result>(body: () => Result): Result {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return body();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Adds the code of a file and of its imports to `copies`, by path. */
function copyOf(file: string, copies: Map<string, string>): Map<string, string> {
  if (copies.has(file)) return copies;
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"));
  copies.set(file, code.replaceAll(ownImport, '"$<target>.js"'));
  for (const { groups } of code.matchAll(ownImport)) {
    copyOf(path.resolve(path.dirname(file), `${groups?.["target"] ?? ""}.ts`), copies);
  }
  return copies;
}
