/**
 * Runs the command line tool: from the build when it is up to date with the sources, else from the sources. Compiled code of
 * the sources is cached beside the dependencies, where other users cannot write; worker threads find the cache by an
 * environment variable. From the second start on, no types have to be stripped, and the 20 MB of code that strip them are
 * not loaded. This file is plain JavaScript for the same reason, with old syntax only, because it checks the version of Node
 * first: an old Node cannot load the sources.
 */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { isBuildCurrent } from "./source-stamp.js";

const root = new URL("../", import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const [oldestMajor, oldestMinor] = engines.node.replace(">=", "").split(".").map(Number);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  if (isBuildCurrent()) {
    // The re-exec of `serve` then starts the build directly.
    process.argv[1] = fileURLToPath(new URL("dist/cli/main.js", root));
    await import("../dist/cli/main.js");
  } else {
    process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/restante", root));
    nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    await import("../src/cli/main.ts");
  }
} else {
  const needed = engines.node.replace(">=", "");
  process.stderr.write(
    `restante needs Node ${needed} or newer, and this is ${process.versions.node}. After npm ci, "npm start" and "npm run restante" find one by themselves.\n`,
  );
  process.exitCode = 1;
}
