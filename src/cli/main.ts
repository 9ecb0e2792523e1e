#!/usr/bin/env node
// Only old syntax, and no static import beside that of the check: an old Node must get as far as its message.
import { unsupportedNode } from "../core/supported-node.ts";

const problem = unsupportedNode();
if (problem === undefined) {
  if (process.argv[2] === "serve") (await import("./re-exec.ts")).reExec();
  // Compiled code is kept beside the dependencies, where nobody else may write: the second start takes half the time.
  // Worker threads look for it by the environment.
  const { enableCompileCache } = await import("node:module");
  process.env["NODE_COMPILE_CACHE"] ??= `${import.meta.dirname}/../../node_modules/.cache/restante`;
  enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
  const { runHere } = await import("./here.ts");
  process.exitCode = await runHere(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
