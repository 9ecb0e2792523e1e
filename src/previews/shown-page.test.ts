import { describe, expect, test } from "vitest";
import { composeShownPage, inlineBytesMax, repeatedBytesMax } from "./shown-page.ts";

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const still = { parts: [], isRemoteAllowed: false, isDark: false };

/** Returns an image of the given size. */
function imageOf(sizeBytes: number): Uint8Array {
  return Buffer.concat([dot, Buffer.alloc(sizeBytes - dot.byteLength)]);
}

describe("composeShownPage", () => {
  test("embeds inline images as data URLs, in attributes and in styles", () => {
    const parts = [{ contentId: "a&b@c", bytes: dot }];
    const html = `<img src="cid:a&amp;b@c"><img src="CID:a%26b%40c"><td background="cid:a%26b@c"><p style="background:url(cid:a%26b@c)">`;
    const page = composeShownPage({ ...still, html, parts });
    expect(page.match(/data:image\/png;base64,iVBOR/g)).toHaveLength(4);
    expect(page).not.toContain("cid:");
  });

  test("embeds nothing for parts that are missing or not an image", () => {
    const parts = [{ contentId: "a", bytes: Buffer.from("<svg onload=x>") }];
    const page = composeShownPage({ ...still, html: "<img src=cid:a><img src=cid:b>", parts });
    expect(page).toBe(`<img src="data:,"><img src="data:,">`);
  });

  test("embeds each image once, and repetitions only within their limit", () => {
    const parts = [{ contentId: "a", bytes: imageOf(3 * 1024 * 1024) }];
    const page = composeShownPage({ ...still, html: "<img src=cid:a>".repeat(10_000), parts });
    expect(page.match(/data:image/g)).toHaveLength(3);
    expect(page.length).toBeLessThan(((3 * 1024 * 1024 + repeatedBytesMax) * 4) / 3 + 300_000);
  });

  test("limits the total size of all different images", () => {
    const parts = Array.from({ length: 6 }, (_, at) => ({
      contentId: String(at),
      bytes: imageOf(inlineBytesMax / 4),
    }));
    const html = parts.map(({ contentId }) => `<img src=cid:${contentId}>`).join("");
    const page = composeShownPage({ ...still, html, parts });
    expect(page.match(/data:image/g)).toHaveLength(4);
  });

  test("bounds memory for many references to a large image", () => {
    const parts = [{ contentId: "a", bytes: imageOf(1024 * 1024) }];
    const html = "<img src=cid:a>".repeat(50_000);
    const before = process.memoryUsage().rss;
    const page = composeShownPage({ ...still, html, parts });
    const grownBytes = process.memoryUsage().rss - before;
    expect(page.length).toBeLessThan(20 * 1024 * 1024);
    expect(grownBytes).toBeLessThan(400 * 1024 * 1024);
  });

  test("removes external resources unless they are allowed", () => {
    const html = `<link rel=stylesheet href=https://x.example/a.css><style>@import "https://x.example/b.css";p{background:url(//x.example/c)}</style><img src=https://x.example/d srcset="https://x.example/e 2x"><video poster=http://x.example/f src=http://x.example/g></video>`;
    expect(composeShownPage({ ...still, html })).not.toContain("x.example");
    expect(composeShownPage({ ...still, html, isRemoteAllowed: true })).toBe(
      `<link rel="stylesheet" href="https://x.example/a.css" media="all"><style>@import url("https://x.example/b.css") ;p{background:url("https://x.example/c");}</style><img src="https://x.example/d" srcset="https://x.example/e 2x"><video poster="http://x.example/f" src="http://x.example/g"></video>`,
    );
  });

  test("always removes resource hints, frames, plug-ins and redirects", () => {
    const html = `<link rel="preconnect stylesheet" href=https://x.example><link rel=prefetch href=https://x.example><iframe src=https://x.example></iframe><object data=https://x.example></object><embed src=https://x.example><meta http-equiv=refresh content="0;https://x.example"><base href=https://x.example><form action=https://x.example><a ping=https://x.example>`;
    expect(composeShownPage({ ...still, html, isRemoteAllowed: true })).toBe("<form><a>");
  });

  test("resolves colour scheme queries by the reader's choice", () => {
    const html =
      "<style>@media (prefers-color-scheme: dark){a{b:c}} @media(PREFERS-COLOR-SCHEME:light){a{b:c}}</style>";
    expect(composeShownPage({ ...still, html, isDark: true })).toMatch(/\(min-width:0\).*\(max-width:0\)/);
    expect(composeShownPage({ ...still, html })).toMatch(/\(max-width:0\).*\(min-width:0\)/);
  });
});
