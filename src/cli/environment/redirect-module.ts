import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeFile } from "./trust-files.ts";

/** Mode of the copies, which processes of other users may load. */
const readable = 0o644;

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
  writeFile(path.join(folder, "package.json"), '{ "type": "module" }\n', readable);
  for (const [file, code] of copies)
    writeFile(path.join(folder, path.relative(root, file).replace(/\.ts$/, ".js")), code, readable);
  return pathToFileURL(path.join(folder, "testing", "redirect.js")).href;
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
