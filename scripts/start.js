/**
 * Runs the command line tool from its sources. Compiled code is kept beside the dependencies, where nobody else may write,
 * and worker threads find it by the environment: from the second start on nothing has to be stripped of its types, and the
 * 20 MB that do this are not even loaded. That is why this file is plain JavaScript. It has only old syntax and checks the
 * Node first: an old one cannot load the sources at all.
 */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const [oldestMajor, oldestMinor] = engines.node.replace(">=", "").split(".").map(Number);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/restante", root));
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import("../src/cli/main.ts");
} else {
  const needed = engines.node.replace(">=", "");
  process.stderr.write(
    `restante needs Node ${needed} or newer, and this is ${process.versions.node}. After npm ci, "npm start" and "npm run restante" find one by themselves.\n`,
  );
  process.exitCode = 1;
}
