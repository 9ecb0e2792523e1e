import fc from "fast-check";
import { expect, test } from "vitest";
import { urlPath, urlQuery } from "./url-parts.test-aid.ts";

test("generates parts that a URL keeps, with and without percent-encoding", () => {
  const [paths, queries] = [fc.sample(urlPath, 1000), fc.sample(urlQuery, 1000)];
  for (const texts of [paths, queries]) {
    expect(texts.some((text) => /%[0-9a-f]{2}/.test(text))).toBe(true);
    expect(texts.some((text) => /^[/\w]+$/.test(text))).toBe(true);
  }
  const urls = paths.map((path, at) => `http://localhost${path === "" ? "/" : path}?${queries[at] ?? ""}`);
  const isKept = (url: string): boolean => {
    const { pathname, search } = new URL(url);
    return url === `http://localhost${pathname}${search === "" ? "?" : search.replaceAll("%27", "'")}`;
  };
  // Segments of dots are removed (RFC 3986 §5.2.4).
  expect(urls.filter((url) => !isKept(url) && !/\/(?:\.|%2e){1,2}(?:[/?]|$)/.test(url))).toEqual([]);
});
