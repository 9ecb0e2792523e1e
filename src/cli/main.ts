#!/usr/bin/env node
// Only old syntax and no static import here: an old Node must come as far as the message below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`restante needs Node 24.15 or newer, and this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  if (process.argv[2] === "serve") (await import("./begin-anew.ts")).beginAnew();
  // Compiled code is kept beside the dependencies, where nobody else may write: the second start takes half the time.
  // Worker threads look for it by the environment.
  const { enableCompileCache } = await import("node:module");
  process.env["NODE_COMPILE_CACHE"] ??= `${import.meta.dirname}/../../node_modules/.cache/restante`;
  enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
  const { runHere } = await import("./here.ts");
  process.exitCode = await runHere(process.argv.slice(2));
}
