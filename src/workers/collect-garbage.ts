import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Handling more bytes than this leaves a heap that is worth collecting at once. */
export const largeWorkBytesMin: number = 4 * 1024 * 1024;

let collect: (() => void) | undefined;

/**
 * Collects the garbage of the calling thread now. For worker threads that were given something large: V8 leaves an idle
 * thread's heap as it is, which may be hundreds of megabytes.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    // The flag counts for contexts that are created after it.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  // The last subject of a regular expression (`RegExp.input`) is kept, however large it is.
  /^/.exec("");
  collect();
}
