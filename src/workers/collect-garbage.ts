import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Size of content in bytes from which on a worker collects garbage after a call. */
export const largeWorkBytesMin: number = 4 * 1024 * 1024;

type Collect = (options?: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

let collect: Collect | undefined;

/**
 * Collects the garbage of the calling thread. For worker threads after large calls: V8 does not shrink the heap of an idle
 * thread, which may have hundreds of megabytes.
 */
export function collectGarbage(): void {
  exposedCollect()();
}

/**
 * Collects the garbage of the calling thread, and returns the empty pages of its young generation, which V8 keeps otherwise.
 * For the main thread after the start, once: it takes some 30 ms.
 */
export function shrinkHeap(): void {
  exposedCollect()({ type: "major", execution: "sync", flavor: "last-resort" });
}

function exposedCollect(): Collect {
  if (collect === undefined) {
    // The flag applies to contexts created after it is set.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as Collect;
  }
  // Releases the last subject of a regular expression (`RegExp.input`), which may be large.
  /^/.exec("");
  return collect;
}
