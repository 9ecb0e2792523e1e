import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Imports of our own, by the path that is written there. */
const ownImport = /(?<= from )"(?<target>\.{1,2}\/[^"]+)\.ts"/g;

/**
 * URL of the `restante/redirect` module, by its file, so that it is found wherever a test run stands. From sources it is
 * a copy in JavaScript, in `folder`: the Node of the test run may be one that reads no TypeScript. Several processes may
 * make it, and load it, at the same time.
 */
export function redirectModule(folder: string): string {
  const module = new URL(`../testing/redirect${path.extname(import.meta.url)}`, import.meta.url);
  if (module.pathname.endsWith(".js")) return module.href;
  const root = fileURLToPath(new URL("..", import.meta.url));
  const copies = withoutWarnings(() => copyOf(fileURLToPath(module), new Map()));
  put(path.join(folder, "package.json"), '{ "type": "module" }\n');
  for (const [file, code] of copies) put(path.join(folder, path.relative(root, file).replace(/\.ts$/, ".js")), code);
  return pathToFileURL(path.join(folder, "testing", "redirect.js")).href;
}

/** Writes what is not there yet; nobody ever reads half of it. */
function put(file: string, text: string): void {
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

/** Node calls its own stripping of types experimental, to users who did not ask for it. */
function withoutWarnings<Result>(body: () => Result): Result {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return body();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Puts the code of a file, and of all that it imports, into `copies`, by its path. */
function copyOf(file: string, copies: Map<string, string>): Map<string, string> {
  if (copies.has(file)) return copies;
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"));
  copies.set(file, code.replaceAll(ownImport, '"$<target>.js"'));
  for (const { groups } of code.matchAll(ownImport)) {
    copyOf(path.resolve(path.dirname(file), `${groups?.["target"] ?? ""}.ts`), copies);
  }
  return copies;
}
