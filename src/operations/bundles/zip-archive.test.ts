import { expect, test } from "vitest";
import { zipArchive, type ArchiveFile } from "./zip-archive.ts";

/** Files that record how many chunks were read from them, and whether they were ended. */
class CountedFiles {
  readCount = 0;
  isEnded = false;
  readonly #fileCount: number;
  readonly #failsAt: number;

  constructor(fileCount: number, failsAt = Infinity) {
    this.#fileCount = fileCount;
    this.#failsAt = failsAt;
  }

  async *all(): AsyncGenerator<ArchiveFile, void> {
    try {
      for (let n = 0; n < this.#fileCount; n += 1) {
        yield { path: `${n}.png`, modifiedAt: 0, content: this.#chunks() };
      }
    } finally {
      this.isEnded = true;
    }
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    for (let n = 0; n < 100; n += 1) {
      this.readCount += 1;
      if (this.readCount === this.#failsAt) throw new Error("the store is away");
      await Promise.resolve();
      yield Buffer.alloc(64 * 1024, n);
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("reads no further ahead than a few buffers while the consumer waits", async () => {
  const files = new CountedFiles(5);
  const archive = zipArchive(files.all());
  await archive.next();
  await turns(200);
  expect(files.readCount).toBeLessThan(30);
  let length = 0;
  for await (const chunk of archive) length += chunk.length;
  expect([files.readCount, length > 5 * 100 * 64 * 1024]).toEqual([500, true]);
});

test("stops reading when the consumer ends", async () => {
  const files = new CountedFiles(5);
  const archive = zipArchive(files.all());
  await archive.next();
  await archive.return();
  const { readCount } = files;
  await turns(50);
  expect([files.readCount, files.isEnded]).toEqual([readCount, true]);
});

test("throws the error of a source", async () => {
  const files = new CountedFiles(2, 120);
  const read = async (): Promise<void> => {
    for await (const _ of zipArchive(files.all())) void _;
  };
  await expect(read()).rejects.toThrow("the store is away");
  expect(files.isEnded).toBe(true);
});
