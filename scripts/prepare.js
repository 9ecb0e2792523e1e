/**
 * Builds the published files; run by `npm ci` in a checkout, and by npm when it installs from a git URL. Does nothing if the
 * build tools are missing (`--omit=dev`) or this Node cannot run TypeScript: `npm start` runs from the sources. Plain
 * JavaScript with old syntax, so that every Node can run it.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const has = (name) => {
  try {
    return require.resolve(`${name}/package.json`) !== "";
  } catch {
    return false;
  }
};
if (!has("typescript") || !has("vite"))
  process.stderr.write("restante: not built, development dependencies are missing\n");
else if (!process.features.typescript) process.stderr.write("restante: not built, this Node reads no TypeScript\n");
else await import("./build.ts");
