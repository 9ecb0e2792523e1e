import { describe, expect, test } from "vitest";
import { createListEncoder, joinItems, type ListEnvelope } from "./message-json.ts";

const things = [{ a: 1 }, { a: "…" }];
const write = (envelope: ListEnvelope, userAgent: string | undefined, items: readonly unknown[] = things): unknown =>
  JSON.parse(Buffer.concat(createListEncoder(envelope)(joinItems(items), userAgent)).toString("utf8"));

const official = [
  "mailosaur-node/11.0.0",
  "mailosaur-python/8.0.0",
  "mailosaur-java/9.0.0 Google-HTTP-Java-Client/1.47.0 (gzip)",
  "Google-HTTP-Java-Client/1.47.0 mailosaur-java/9.0.0",
  "mailosaur-dotnet/9.0.0",
  "mailosaur-ruby/8.0.0",
  "mailosaur-php/8.0.0",
  "mailosaur-go/2.0.0",
  "mailosaur-dart/0.0.1",
  "mailosaur-swift/2.0.0",
  "cypress-mailosaur/5.0.0",
];
const others = [
  undefined,
  "",
  "curl/8.10.0",
  "node",
  "not-mailosaur-node/1",
  "mailosaur",
  "mailosaur-node",
  "Mozilla/5.0",
];

describe("the list envelope", () => {
  test.each(official)("auto: %s gets items", (userAgent) => {
    expect(write("auto", userAgent)).toEqual({ items: things });
  });

  test.each(others)("auto: %s gets an array", (userAgent) => {
    expect(write("auto", userAgent)).toEqual(things);
  });

  test.each([...official, ...others])("a forced form applies to every client: %s", (userAgent) => {
    expect(write("array", userAgent)).toEqual(things);
    expect(write("items", userAgent)).toEqual({ items: things });
  });

  test("encodes an empty list", () => {
    expect(write("array", undefined, [])).toEqual([]);
    expect(write("items", undefined, [])).toEqual({ items: [] });
  });

  test("does not copy the items", () => {
    const items = joinItems(things);
    expect(createListEncoder("auto")(items, undefined)).toContain(items);
  });
});
