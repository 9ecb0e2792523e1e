/** Entry point of the single executable, in which Node and the modules are one file: scripts/build-executable.ts. */
import { embeddedAllocator, usesEmbeddedStore } from "../app/memory-profile.ts";
import { startEarlyWriter } from "../store/sqlite/threads/early-writer.ts";

/** Runs a worker module from its text; the build defines it. */
declare function runEmbeddedWorker(name: string): void;

const { argv, env, execPath } = process;
const words = argv.slice(2);
if (words[0] === "serve" && !("MALLOC_ARENA_MAX" in env)) {
  try {
    // V8 flags are part of the executable; Node flags would be taken for arguments of the program.
    process.execve?.(execPath, [execPath, ...words], { ...embeddedAllocator, ...env });
  } catch {
    // Harmless: the service runs with more memory.
  }
}
// The thread starts while this one loads the other modules.
if (words[0] === "serve" && usesEmbeddedStore(argv, env)) startEarlyWriter();
if (words[0] === "worker") runEmbeddedWorker(words[1] ?? "");
else {
  const { runHere } = await import("./run.ts");
  process.exitCode = await runHere(words);
}
