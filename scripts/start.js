/**
 * Runs the command line tool: from the build when it is up to date with the sources, else from the sources. Compiled code of
 * the sources is cached beside the dependencies, where other users cannot write; worker threads find the cache by an
 * environment variable. From the second start on, no types have to be stripped, and the 20 MB of code that strip them are
 * not loaded. This file is plain JavaScript for the same reason, with old syntax only, because it checks the version of Node
 * first: an old Node cannot load the sources. The process before the re-exec does without imports of modules of Node, which
 * read all of their properties and take longer to load than all of this.
 */
const { readFileSync } = process.getBuiltinModule ? process.getBuiltinModule("node:fs") : await import("node:fs");

const root = new URL("../", import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const needed = engines.node.replace(">=", "");
const [oldestMajor, oldestMinor] = needed.split(".").map(Number);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  const { isBuildCurrent } = await import("./source-stamp.js");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  if (isBuildCurrent()) {
    // The re-exec of `serve` then starts the build directly.
    process.argv[1] = fileURLToPath(new URL("dist/cli/main.js", root));
    await import("../dist/cli/main.js");
  } else {
    process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/restante", root));
    process.getBuiltinModule("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
    await import("../src/cli/main.ts");
  }
} else {
  process.stderr.write(
    `restante needs Node ${needed} or newer, and this is ${process.versions.node}. After npm ci, "npm start" and "npm run restante" find one by themselves.\n`,
  );
  process.exitCode = 1;
}
