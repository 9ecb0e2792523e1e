import type { ApiKey } from "../../core/api-key.ts";
import type { KeyStore } from "../key-store.ts";
import type { WriterCalls } from "./threads/calls.ts";
import { Memory } from "./messages/answer-cache.ts";
import type { Reads } from "./threads/reads.ts";
import type { Thread } from "./threads/thread.ts";

/** The part of the store that keeps API keys: each request asks for one, so those that were found are remembered. */
export abstract class SqliteKeys implements KeyStore {
  protected readonly memory: Memory = new Memory();
  readonly #writer: Thread<WriterCalls>;

  constructor(writer: Thread<WriterCalls>) {
    this.#writer = writer;
  }

  /** Reads on one snapshot of this thread's connection. */
  protected abstract read<Result>(body: (reads: Reads) => Result): Result;

  /** Throws `unavailable` once the store is closed. */
  protected abstract requireOpen(): void;

  async addKey(key: ApiKey): Promise<void> {
    await this.#change(this.#writer.call("addKey", [key]));
  }

  async listKeys(): Promise<readonly ApiKey[]> {
    return this.read(({ keys }) => keys.list());
  }

  async findKey(hash: string): Promise<ApiKey | undefined> {
    this.requireOpen();
    const known = this.memory.recallKey(hash);
    if (known !== undefined) return known;
    const key = this.read(({ keys }) => keys.find(hash));
    if (key !== undefined) this.memory.rememberKey(hash, key);
    return key;
  }

  async removeKey(id: string): Promise<boolean> {
    return this.#change(this.#writer.call("removeKey", [id]));
  }

  async rehashKey(id: string, hash: string): Promise<boolean> {
    return this.#change(this.#writer.call("rehashKey", [id, hash]));
  }

  async rotateKey(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined> {
    return this.#change(this.#writer.call("rotateKey", [id, hash, formerUntil]));
  }

  /** Keeps the remembered keys: the instant of their last use may be behind. */
  async noteKeyUse(id: string, at: number): Promise<void> {
    await this.#writer.call("noteKeyUse", [id, at]);
  }

  async #change<Result>(change: Promise<Result>): Promise<Result> {
    try {
      return await change;
    } finally {
      this.memory.forgetKeys();
    }
  }
}
