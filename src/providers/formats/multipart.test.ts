import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyNameBytesMax } from "../../core/arrival-rate.ts";
import { formPartCountMax, readFormBody } from "./multipart.ts";

const boundary = "multipart/form-data; boundary=X";

async function encoded(form: FormData): Promise<{ readonly body: Uint8Array; readonly contentType: string }> {
  const response = new Response(form);
  const body = new Uint8Array(await response.arrayBuffer());
  return { body, contentType: response.headers.get("content-type") ?? "" };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function field(name: string, value: string): string {
  return `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

describe("readFormBody", () => {
  test("reads the fields and files of a multipart body in order", async () => {
    const form = new FormData();
    const image = new Uint8Array(600_000).map((_, index) => index % 251);
    form.append("from", "Änne <a@example.com>");
    form.append("to", "b@example.com");
    form.append("attachment", new Blob([image], { type: "image/png" }), "Grüße.png");
    form.append("to", "c@example.com");
    form.append("attachment", new Blob([]), "empty.bin");
    const { body, contentType } = await encoded(form);
    const read = await readFormBody(body, contentType);
    expect(read?.fields).toEqual([
      ["from", "Änne <a@example.com>"],
      ["to", "b@example.com"],
      ["to", "c@example.com"],
    ]);
    expect(read?.files.map(({ name, fileName, contentType: type }) => [name, fileName, type])).toEqual([
      ["attachment", "Grüße.png", "image/png"],
      ["attachment", "empty.bin", "application/octet-stream"],
    ]);
    expect(Buffer.compare(read?.files[0]?.content ?? new Uint8Array(), image)).toBe(0);
    expect(read?.files[1]?.content.byteLength).toBe(0);
  });

  test("reads a URL-encoded body", async () => {
    const form = bytes("to=a%40example.com&to=b%40example.com&subject=%E2%82%AC+1");
    expect(await readFormBody(form, "application/x-www-form-urlencoded; charset=utf-8")).toEqual({
      fields: [
        ["to", "a@example.com"],
        ["to", "b@example.com"],
        ["subject", "€ 1"],
      ],
      files: [],
    });
  });

  test.each<[string, string, string | undefined]>([
    ["another content type", "{}", "application/json"],
    ["no content type", "a=1", undefined],
    ["a multipart type without a boundary", `${field("a", "1")}--X--\r\n`, "multipart/form-data"],
    ["a body without its boundary", "a=1", boundary],
    ["a body that ends early", field("a", "1"), boundary],
    ["an empty body", "", boundary],
    ["a name that is too long", `${field("n".repeat(bodyNameBytesMax + 1), "1")}--X--\r\n`, boundary],
    ["too many parts", `${field("a", "1").repeat(formPartCountMax + 1)}--X--\r\n`, boundary],
  ])("rejects %s", async (_name, body, contentType) => {
    expect(await readFormBody(bytes(body), contentType)).toBeNull();
  });

  test("settles for any bytes", async () => {
    const part = fc.constantFrom(
      "--X",
      "--X--",
      "\r\n",
      "\n",
      "Content-Disposition: form-data; name=a",
      "; filename=b",
      "Content-Type: a/b",
      "\r\n\r\n",
      "\0",
      "é",
      "Content-Disposition: attachment\r\n\r\n",
      'Content-Disposition: form-data; name="',
    );
    const body = fc.oneof(
      fc.uint8Array(),
      fc.array(part, { maxLength: 30 }).map((parts) => bytes(parts.join(""))),
    );
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const read = await readFormBody(given, boundary);
        expect(read === null || Array.isArray(read.fields)).toBe(true);
      }),
    );
  });
});
