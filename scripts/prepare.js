/**
 * `npm ci` in a checkout, and npm when it installs from a git URL, run this: it builds what the package publishes. Where
 * the build tools are missing (`--omit=dev`) or this Node reads no TypeScript, it leaves that out: `npm start` runs from
 * the sources. Plain JavaScript with old syntax, so that any Node can decide.
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
