/**
 * URL of a worker thread's file beside the calling module, `name` without ending: `workerUrl(import.meta.url,
 * "write-worker")`. It has the ending of the caller, so it is found in the sources (`.ts`) and in the build (`.js`),
 * where the compiler rewrites imports but no other texts.
 */
export function workerUrl(moduleUrl: string, name: string): URL {
  const ending = moduleUrl.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`./${name}${ending}`, moduleUrl);
}
