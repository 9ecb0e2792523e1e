import { getHeapSpaceStatistics } from "node:v8";
import { collectGarbage } from "../../../core/process-resources.ts";

/**
 * Growth of the old generation since its last collection at which it is collected again. After a first collection, V8 starts
 * one of its own at less than that, which keeps the compiled code of classes that have no object at the moment.
 */
const growthFactor = 2;
/** Growth since the first look at which the old generation is collected for the first time: V8 would let it grow further. */
const firstGrowthFactor = 1.5;
/** Stored messages between two looks at the heap, which take some microseconds. */
const messageCountPerLook = 128;

/**
 * Bounds the garbage that a flood of mail leaves in the old generation of the calling thread. V8 lets the old generation of
 * a young process, and of each thread, grow to a multiple of its live objects before it collects it for the first time, and
 * its pages are fragmented afterwards.
 */
export class HeapBound {
  readonly #oldBytesMin: number;
  readonly #oldBytes: () => number;
  readonly #collect: () => void;
  #countUntilLook = messageCountPerLook;
  #bytesMax: number | undefined;

  /**
   * Below `oldBytesMin`, the old generation is not collected. The other parameters measure and collect the heap of the calling
   * thread by default.
   */
  constructor(oldBytesMin: number, oldBytes: () => number = oldGenerationBytes, collect: () => void = collectGarbage) {
    this.#oldBytesMin = oldBytesMin;
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
    this.#bytesMax ??= this.#boundOf(bytes, firstGrowthFactor);
    if (bytes < this.#bytesMax) return;
    this.#collect();
    this.#bytesMax = this.#boundOf(this.#oldBytes());
  }

  #boundOf(oldBytes: number, factor = growthFactor): number {
    return Math.max(this.#oldBytesMin, oldBytes * factor);
  }
}

function oldGenerationBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? 0;
}
