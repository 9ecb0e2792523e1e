/**
 * Contexts of zstd that are used again. `zstdCompressSync` and `zstdDecompressSync` make a stream with a native context for each
 * call, which takes longer than a small frame and leaves work for the garbage collector. Node has no public interface that uses
 * one again on the calling thread, so this file calls the native handle of a stream; callers use the public functions where
 * {@link ZstdContext.run} returns undefined.
 */
import { constants, ZstdCompress, ZstdDecompress, type ZstdOptions } from "node:zlib";

/** Longest input and output; larger ones would make a context keep more memory, and gain little. */
export const contextBytesMax: number = 256 * 1024;

/** Stream with the members that Node does not document. */
interface Internals {
  readonly _handle?: {
    readonly writeSync?: (
      flush: number,
      ...buffers: readonly [...input: [Uint8Array, number, number], ...output: [Uint8Array, number, number]]
    ) => void;
  } | null;
  /** Free bytes of the output, and bytes of the input that are left. */
  readonly _writeState?: Uint32Array;
}

/** Context that compresses or decompresses one buffer after another; created with the first. */
export class ZstdContext {
  readonly #open: () => object;
  #stream: Internals | undefined;
  #hasFailed = false;

  private constructor(open: () => object) {
    this.#open = open;
  }

  /** Returns a context whose results equal those of `zstdCompressSync`. */
  static forCompression(options: ZstdOptions): ZstdContext {
    return new ZstdContext(() => new ZstdCompress(options));
  }

  /** Returns a context whose results equal those of `zstdDecompressSync`. */
  static forDecompression(options: ZstdOptions): ZstdContext {
    return new ZstdContext(() => new ZstdDecompress(options));
  }

  /**
   * Writes the result for all of `input` into `output` and returns its length. Returns undefined when it does not leave a byte of
   * the output free, when the input is invalid or longer than {@link contextBytesMax}, when this Node has other internals, and
   * when the result has not `expectedBytes`, if these are known: Node 24 returns a short one for a frame that was cut.
   */
  run(input: Uint8Array, output: Uint8Array, expectedBytes?: number): number | undefined {
    if (input.length > contextBytesMax || output.length > contextBytesMax) return undefined;
    this.#stream ??= this.#start();
    const length = this.#write(this.#stream, input, output);
    if (length !== undefined && length === (expectedBytes ?? length)) return length;
    // It may be in the middle of a frame. A reset would lose parameters and dictionary.
    this.#stream = undefined;
    return undefined;
  }

  #write(
    { _handle: handle, _writeState: state }: Internals,
    input: Uint8Array,
    output: Uint8Array,
  ): number | undefined {
    if (handle?.writeSync === undefined || state === undefined) return undefined;
    handle.writeSync(constants.ZSTD_e_end, input, 0, input.length, output, 0, output.length);
    const [free = 0, left = 0] = state;
    return !this.#hasFailed && left === 0 && free > 0 ? output.length - free : undefined;
  }

  #start(): Internals {
    const stream: Internals = this.#open();
    this.#hasFailed = false;
    const noteFailure = (): void => {
      this.#hasFailed = true;
    };
    if (stream._handle) Object.assign(stream._handle, { onerror: noteFailure });
    return stream;
  }
}
