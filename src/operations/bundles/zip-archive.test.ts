import fc from "fast-check";
import { expect, test } from "vitest";
import { type ArchiveFile, folderOf, safeFileNames, slugOf, zipArchive } from "./zip-archive.ts";

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

test.each([
  ["Your code is 804 219", "your-code-is-804-219"],
  ["Größe: naïve Ångström", "gro-e-naive-angstrom"],
  ["../../etc/passwd", "etc-passwd"],
  ["C:\\Windows\\con", "c-windows-con"],
  ["確認コード", "message"],
  ["", "message"],
  ["x".repeat(100), "x".repeat(40)],
])("turns the subject %j into %s", (subject, slug) => {
  expect(slugOf(subject)).toBe(slug);
});

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

test("returns a name that is safe on every file system, for any subject", () => {
  const subjects = fc.oneof(fc.string({ unit, maxLength: 40 }), fc.constantFrom("CON", "nul.", "a/../..", "\0", ". "));
  fc.assert(
    fc.property(subjects, fc.nat(9999), (subject, position) => {
      const folder = folderOf(position, { subject, received: "2026-11-20T10:42:07.975Z" });
      expect(folder).toMatch(/^\d{4}-2026-11-20T10-42-07-[a-z0-9]+(?:-[a-z0-9]+)*$/);
    }),
  );
});

test.each([
  [
    ["a.png", "A.png", "a.png", "a (2).png"],
    ["a.png", "A (2).png", "a (3).png", "a (2) (2).png"],
  ],
  [
    ["../../etc/passwd", "C:\\x", "con.txt", "..", ""],
    ["_.._etc_passwd", "C__x", "_con.txt", "attachment", "attachment (2)"],
  ],
  [
    ["Größe\u202egpj.exe", "確認.pdf"],
    ["Größe_gpj.exe", "確認.pdf"],
  ],
  [[`${"x".repeat(200)}.pdf`], [`${"x".repeat(116)}.pdf`]],
])("names the files %j as %j", (names, safe) => {
  expect(safeFileNames(names)).toEqual(safe);
});

test("returns different safe names, for any names", () => {
  const name = fc.oneof(fc.string({ unit, maxLength: 10 }), fc.constantFrom("CON", "a.b", "a (2).b", "..", "a/b"));
  fc.assert(
    fc.property(fc.array(name), (names) => {
      const safe = safeFileNames(names);
      expect(new Set(safe.map((one) => one.toLowerCase())).size).toBe(names.length);
      const wrong = safe.filter(
        (one) => one === "" || /[\p{Cc}/\\:*?"<>|]|^[. ]|[. ]$/u.test(one) || /^con(?:\.|$)/i.test(one),
      );
      expect(wrong).toEqual([]);
    }),
  );
});
