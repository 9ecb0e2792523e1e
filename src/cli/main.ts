#!/usr/bin/env node
// Only old syntax, and no static import besides the version check, so that an old Node can print its error.
import { unsupportedNode } from "../core/supported-node.ts";

const problem = unsupportedNode();
if (problem === undefined) {
  const isEmbedded = process.argv[2] === "serve" && (await import("./service/re-exec.ts")).reExec().isEmbedded;
  // Compile cache beside the dependencies: the second start takes half the time. Threads and workers find it by the variable.
  // Not imported: the bundle would get it from the chunk of all commands, which would then be compiled before there is a cache.
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  process.env["NODE_COMPILE_CACHE"] ??= `${import.meta.dirname}/../../node_modules/.cache/restante`;
  enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
  // The thread starts while this one loads the other modules.
  if (isEmbedded) (await import("../store/sqlite/threads/early-writer.ts")).startEarlyWriter();
  const { runHere } = await import("./run.ts");
  process.exitCode = await runHere(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
