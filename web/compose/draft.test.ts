import fc from "fast-check";
import { expect, test } from "vitest";
import { contentOf, emptyDraft, toBase64 } from "./draft.ts";

test("encodes files as base64 with their names and types, whatever their bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const files = [new File([bytes], "a.bin"), new File([bytes], "b.png", { type: "image/png" })];
      const { attachments } = await contentOf({ ...emptyDraft, files });
      const content = Buffer.from(bytes).toString("base64");
      expect(attachments).toEqual([
        { fileName: "a.bin", contentType: "application/octet-stream", content },
        { fileName: "b.png", contentType: "image/png", content },
      ]);
    }),
  );
});

test("files of any size go", () => {
  const bytes = Buffer.alloc(3_000_001, "x");
  expect(toBase64(bytes)).toBe(bytes.toString("base64"));
});

test("an empty field is left out, so that an empty draft asks for a sample", async () => {
  expect(await contentOf(emptyDraft)).toEqual({});
  expect(await contentOf({ ...emptyDraft, text: "Hello", html: "<p>" })).toEqual({ text: "Hello", html: "<p>" });
});
