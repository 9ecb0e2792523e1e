/**
 * Returns the URL of a worker module beside the calling module, `name` without ending: `workerUrl(import.meta.url,
 * "write-worker")`. It has the file extension of the caller: `.ts` in the sources, `.js` in the
 * build, where the compiler rewrites imports but no other strings.
 */
export function workerUrl(moduleUrl: string, name: string): URL {
  const ending = moduleUrl.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`./${name}${ending}`, moduleUrl);
}
