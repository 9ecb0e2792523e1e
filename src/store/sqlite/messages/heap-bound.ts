import { getHeapSpaceStatistics } from "node:v8";
import { collectGarbage } from "../../../core/collect-garbage.ts";

/** Size of the old generation below which it is not collected. */
const oldBytesMin = 24 * 1024 * 1024;
/** Growth of the old generation since its last collection at which it is collected again. */
const growthFactor = 1.5;
/** Stored messages between two looks at the heap, which take some microseconds. */
const messageCountPerLook = 256;

/**
 * Bounds the garbage that a flood of mail leaves in the old generation of the calling thread. V8 lets the old generation of
 * a young process grow to a multiple of its live objects before it collects it for the first time, and its pages are
 * fragmented afterwards.
 */
export class HeapBound {
  readonly #oldBytes: () => number;
  readonly #collect: () => void;
  #countUntilLook = messageCountPerLook;
  #bytesMax: number | undefined;

  /** The parameters measure and collect the heap of the calling thread by default. */
  constructor(oldBytes: () => number = oldGenerationBytes, collect: () => void = collectGarbage) {
    this.#oldBytes = oldBytes;
    this.#collect = collect;
  }

  /** Must be called after messages were stored. Collects garbage, for some 20 ms, where the old generation has grown. */
  messagesStored(messageCount: number): void {
    this.#countUntilLook -= messageCount;
    if (this.#countUntilLook > 0) return;
    this.#countUntilLook = messageCountPerLook;
    const bytes = this.#oldBytes();
    // A program that embeds the store may have a large heap of its own.
    this.#bytesMax ??= boundOf(bytes);
    if (bytes < this.#bytesMax) return;
    this.#collect();
    this.#bytesMax = boundOf(this.#oldBytes());
  }
}

function boundOf(oldBytes: number): number {
  return Math.max(oldBytesMin, oldBytes * growthFactor);
}

function oldGenerationBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? 0;
}
