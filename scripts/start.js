/**
 * Runs the command line tool from its sources. Compiled code is kept beside the dependencies, where nobody else may write,
 * and worker threads find it by the environment: from the second start on nothing has to be stripped of its types, and the
 * 20 MB that do this are not even loaded. That is why this file is plain JavaScript, with no static import: an old Node
 * must come as far as the message that says so.
 */
const { enableCompileCache } = await import("node:module");
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/../node_modules/.cache/restante`;
enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
await import("../src/cli/main.ts");
