import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Size of content in bytes from which on a worker collects garbage after a call. */
export const largeWorkBytesMin: number = 4 * 1024 * 1024;

let collect: (() => void) | undefined;

/**
 * Collects the garbage of the calling thread, which waits for it. For workers after large calls, because V8 does not
 * shrink the heap of an idle thread, which may have hundreds of megabytes.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    // The flag applies to contexts created after it is set.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    // V8 compares a hash of all flags with that of cached code, and would reject the cache at the next start.
    setFlagsFromString("--no-expose-gc");
  }
  // Releases the last subject of a regular expression (`RegExp.input`), which may be large.
  /^/.exec("");
  collect();
}
