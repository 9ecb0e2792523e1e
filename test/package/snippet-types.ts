/** Types of the snippets of the README, the guides and the web UI, with the package as it is published. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runIn, type Outcome } from "../../compat/playwright/project.ts";
import { allBlocks, folderOf } from "../snippets/blocks.ts";
import { windowSnippets } from "../snippets/window-snippets.ts";
import { link, modules, put } from "../snippets/workspace.ts";
import { root } from "./installed-package.ts";

/** Types of libraries that have none. */
const untyped = `declare module "sns-validator" {
  type Validated = (error: Error | null, message?: Record<string, unknown>) => void;
  export default class MessageValidator {
    validate(message: string | Record<string, unknown>, callback: Validated): void;
  }
}
`;

const strict = {
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: "esnext",
  lib: ["esnext", "dom"],
  module: "nodenext",
  types: ["node"],
  skipLibCheck: true,
  moduleDetection: "force",
  allowImportingTsExtensions: true,
};

/** Compiles the snippets in `folder`, in which the package is installed, and returns the result of the compiler. */
export async function compileSnippets(folder: string): Promise<Outcome> {
  for (const name of modules) {
    const path = join(folder, "node_modules", name);
    if (!existsSync(path)) link(join(root, "node_modules", name), path);
  }
  const checked = join(folder, "checked");
  link(join(root, "node_modules", "@types"), join(checked, "node_modules", "@types"));
  for (const { page, line, file, code, language, notRun } of allBlocks()) {
    // The tests of the examples compile those.
    if (!/^[tj]s$/.test(language) || notRun?.startsWith("the examples have it") === true) continue;
    put(join(checked, folderOf(page), file ?? `line-${line}.ts`), code);
  }
  for (const { file, code } of windowSnippets({ url: "http://127.0.0.1:8025", smtpPort: 1025 })) {
    if (file.endsWith(".ts")) put(join(checked, "web-ui", file), code);
  }
  put(join(checked, "package.json"), '{"type":"module"}');
  put(join(checked, "untyped.d.ts"), untyped);
  put(join(checked, "tsconfig.json"), JSON.stringify({ compilerOptions: strict, include: ["**/*.ts"] }));
  return runIn(checked, [join(root, "node_modules", "typescript", "bin", "tsc"), "--singleThreaded"]);
}
