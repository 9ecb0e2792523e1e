import { describe, expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { findEmailClient } from "./email-client.ts";
import { composePage } from "./mail-page.ts";

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const gmail = findEmailClient("web-gmail-lightmode") ?? null;
const gmailBlocked = findEmailClient("web-gmail-lightmode-imagesblocked") ?? null;

/** Returns PNG bytes with a declared size. */
function pngOf(width: number, height: number): string {
  const bytes = Buffer.from(dot, "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

function mailWith(html: string, png = dot): Buffer {
  const lines = [
    "Content-Type: multipart/related; boundary=b",
    "",
    "--b",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    "--b",
    "Content-Type: image/png",
    "Content-ID: <a@b>",
    "Content-Transfer-Encoding: base64",
    "",
    png,
    "--b--",
    "",
  ];
  return Buffer.from(lines.join("\r\n"), "utf8");
}

describe("images of a page", () => {
  test("are the mail's own parts and its data URLs, each once", () => {
    const html = `<img src="cid:a%40b"><img src="cid:a@b"><img src="data:image/png;base64,${dot}"><p style="background:url(cid:a@b)">`;
    const page = composePage(mailWith(html), defaultLimits, gmail);
    expect([...page.images.keys()]).toEqual([
      "http://mail.invalid/part/0",
      "http://mail.invalid/part/1",
      "http://mail.invalid/part/2",
    ]);
    expect(page.images.get("http://mail.invalid/part/0")?.contentType).toBe("image/png");
    expect(page.html).not.toMatch(/cid:|data:/);
  });

  test.each([
    "https://x.example/a.png",
    "//x.example/a.png",
    "a.png",
    "file:///etc/passwd",
    "cid:gone",
    "data:image/svg+xml,<svg/>",
    "data:text/html,x",
    "data:image/png;base64,AAAA",
    "javascript:x",
    "",
  ])("blocks images of a page that are something else: %s", (src) => {
    const page = composePage(mailWith(`<img src="${src.replaceAll("<", "&lt;")}">`), defaultLimits, gmail);
    expect([page.html, page.images.size]).toEqual(['<img src="http://mail.invalid/absent">', 0]);
  });

  test("are limited to 40 megapixels each and 80 in total", () => {
    const at = (width: number, height: number, times = 1): number => {
      const html = Array.from({ length: times }, (_, each) => {
        return `<img src="data:image/png;base64,${pngOf(width, height)}" alt=${String(each)}><img src="data:image/png;base64,${pngOf(width, height)}${"=".repeat(each)}">`;
      });
      return composePage(mailWith(html.join("")), defaultLimits, gmail).images.size;
    };
    expect(at(8000, 5000)).toBe(1);
    expect(at(8001, 5000)).toBe(0);
    expect(at(8000, 5000, 3)).toBe(2);
    expect(at(0xffffffff, 0xffffffff)).toBe(0);
  });

  test("are omitted when the client blocks them", () => {
    const html = `<img src="cid:a@b" alt="Logo"><p style="background:url(cid:a@b)">`;
    const page = composePage(mailWith(html), defaultLimits, gmailBlocked);
    expect([page.images.size, page.html.includes('alt="Logo"')]).toEqual([0, true]);
  });
});

describe("the page", () => {
  test("omits features that the client lacks, except for an audit", () => {
    const mail = mailWith("<style>@media (prefers-color-scheme:dark){p{color:red}}</style><p>x");
    expect(composePage(mail, defaultLimits, gmail).html).toBe("<style></style><p>x");
    expect(composePage(mail, defaultLimits, null).html).toContain("prefers-color-scheme");
  });

  test("shows every character of a plain text", () => {
    const mail = Buffer.from("Content-Type: text/plain\r\n\r\n<script>1 & 2</script>\r\n");
    const { html, images } = composePage(mail, defaultLimits, gmail);
    expect(html).toContain("&lt;script>1 &amp; 2&lt;/script>");
    expect(images.size).toBe(0);
  });

  test("is empty for an empty mail", () => {
    expect(composePage(Buffer.from(""), defaultLimits, gmail).html).toContain("<body");
  });

  test("has limited nesting and shows the first five million characters", () => {
    const deep = composePage(mailWith("<table><tr><td>".repeat(5000)), defaultLimits, gmail).html;
    expect((deep.match(/<table/g) ?? []).length).toBeLessThan(100);
    const long = composePage(mailWith("x".repeat(5_000_100)), defaultLimits, gmail).html;
    expect(long.length).toBe(5_000_000);
  });
});
