/** Copies the browser files of Swagger UI, and their licences, into `dist/reference`; see docs/decisions/0039. */
import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildInto } from "./replace-files.ts";

const files = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css", "LICENSE", "NOTICE"];

/** Copies the files; does nothing if development dependencies are not installed. */
export async function buildReference(): Promise<void> {
  const source = findPackage();
  if (source === undefined) return;
  const target = join(import.meta.dirname, "..", "dist", "reference");
  await buildInto(target, (draft) => {
    for (const file of files) copyFileSync(join(source, file), join(draft, file));
  });
}

function findPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  } catch {
    // A development dependency, which is not installed.
    return undefined;
  }
}
