/** Coverage of the sources, by the precise coverage of V8, which tells inputs that reach new code. */
import { Session } from "node:inspector/promises";

/** Blocks of the sources that ran, as identities. */
export class Coverage implements Disposable {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  /** Starts to count. */
  static async start(): Promise<Coverage> {
    const coverage = new Coverage();
    coverage.#session.connect();
    await coverage.#session.post("Profiler.enable");
    await coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return coverage;
  }

  /** Number of blocks that have run. */
  get blockCount(): number {
    return this.#seen.size;
  }

  /** Returns the blocks that ran since the last call and never before it, without remembering them. */
  async takeNew(): Promise<readonly string[]> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.includes("/src/"))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset }) => `${url}:${String(startOffset)}-${String(endOffset)}`),
        ),
      )
      .filter((block) => !this.#seen.has(block));
  }

  /** Remembers blocks, so that they are not new any more. */
  remember(blocks: readonly string[]): void {
    for (const block of blocks) this.#seen.add(block);
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }
}
