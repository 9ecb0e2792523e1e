/**
 * Removes the scripts that only run in a checkout from `package.json` while npm packs it (`prepack`), and restores the file
 * afterwards (`postpack`). The published package then has no `prepare` script.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const manifest = join(root, "package.json");
/** Copy of the original file; left behind when packing was interrupted. */
const original = join(root, "node_modules", ".cache", "restante-pack", "package.json");
const checkoutScripts: ReadonlySet<string> = new Set(["prepare", "prepack", "postpack"]);

restore();
if (process.argv[2] === "strip") strip();

function strip(): void {
  const text = readFileSync(manifest, "utf8");
  mkdirSync(dirname(original), { recursive: true });
  writeFileSync(original, text);
  replaceManifest(stripped(text));
}

/** A manifest that was edited since it was stripped is left as it is. */
function restore(): void {
  if (!existsSync(original)) return;
  const text = readFileSync(original, "utf8");
  if (readFileSync(manifest, "utf8") === stripped(text)) replaceManifest(text);
  rmSync(original);
}

function stripped(text: string): string {
  const content = JSON.parse(text) as { readonly scripts: Readonly<Record<string, string>> };
  const scripts = Object.fromEntries(Object.entries(content.scripts).filter(([name]) => !checkoutScripts.has(name)));
  return `${JSON.stringify({ ...content, scripts }, null, 2)}\n`;
}

/** Tests and other commands may read the file meanwhile, so it is replaced atomically. */
function replaceManifest(text: string): void {
  writeFileSync(`${manifest}.new`, text);
  renameSync(`${manifest}.new`, manifest);
}
