import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { Uploads } from "./uploads.ts";

const openUploads = async (): Promise<{ readonly uploads: Uploads<string>; readonly memory: MemoryServices }> => {
  const memory = memoryServices();
  const uploads = new Uploads<string>(await memory.services.authenticate(validKey, "send"), "upload", () => memory.now);
  await uploads.open("a", "facts");
  return { uploads, memory };
};

test("has the content of ranges that repeat bytes, and ignores a range behind a gap", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.infiniteStream(fc.nat(12)),
      async (content, cuts) => {
        const { uploads } = await openUploads();
        let received = 0;
        for (const cut of cuts) {
          const start = Math.max(0, received - (cut % 4));
          expect(await uploads.append("a", { start: content.byteLength + 1, bytes: content })).toMatchObject({
            receivedBytes: received,
          });
          const upload = await uploads.append("a", { start, bytes: content.subarray(start, start + cut) });
          received = Math.max(received, Math.min(content.byteLength, start + cut));
          expect(upload).toMatchObject({ facts: "facts", receivedBytes: received });
          if (upload === undefined || received < content.byteLength) continue;
          expect(new Uint8Array(await uploads.take("a", upload))).toEqual(content);
          break;
        }
        expect(await uploads.find("a")).toBeUndefined();
        expect(await uploads.append("a", { start: 0, bytes: content })).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  );
});

test("divides a range that is larger than an object, and leaves none of it when it is discarded", async () => {
  const { uploads, memory } = await openUploads();
  const bytes = Buffer.alloc(2_000_000, "restante");
  const upload = await uploads.append("a", { start: 0, bytes });
  expect(upload?.pieces).toHaveLength(3);
  expect(Buffer.compare(await uploads.take("a", upload ?? { pieces: [] }), bytes)).toBe(0);
  await uploads.open("b", "facts");
  const other = await uploads.append("b", { start: 0, bytes });
  await uploads.discard("b", other ?? { pieces: [] });
  const { objects } = await memory.services.authenticate(validKey, "send");
  expect([...(await objects.list("upload")), ...(await objects.list("upload piece"))]).toEqual([]);
});

test("counts the bytes of one of two requests that send the same range at once", async () => {
  const { uploads } = await openUploads();
  const bytes = Buffer.from("content");
  await Promise.all([
    uploads.append("a", { start: 0, bytes }),
    uploads.append("a", { start: 0, bytes: bytes.subarray(3) }),
  ]);
  const upload = await uploads.find("a");
  expect([4, 7]).toContain(upload?.receivedBytes);
  expect(upload?.pieces).toHaveLength(1);
});

test("expires a day after the last request", async () => {
  const { uploads, memory } = await openUploads();
  memory.now += 86_400_000 - 1;
  await uploads.append("a", { start: 0, bytes: Buffer.from("x") });
  memory.now += 86_400_000 - 1;
  expect(await uploads.find("a")).toMatchObject({ receivedBytes: 1 });
  memory.now += 1;
  expect(await uploads.find("a")).toBeUndefined();
});
