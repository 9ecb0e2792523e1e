import { describe, expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { checkContent, type ContentChecks, isMisleading, isShortLink } from "./content-checks.ts";
import { readFacts } from "./mail-facts.ts";

const check = (html: string, head = ""): ContentChecks =>
  checkContent(readFacts(Buffer.from(`${head}Content-Type: text/html; charset=utf-8\r\n\r\n${html}`), defaultLimits));

describe("the content of a mail", () => {
  test.each([
    ["embed", "<embed src=x>"],
    ["iframe", "<iframe src=x></iframe>"],
    ["object", "<object></object>"],
    ["script", "<SCRIPT>x</SCRIPT>"],
    ["shortUrls", "<a href='https://www.bit.ly/x'>x</a>"],
    ["missingAlt", "<img src=x>"],
  ] as const)("has %s where it stands, and only there", (name, html) => {
    const { [name]: own, ...others } = check(`<p>text</p>${html}`, "List-Unsubscribe: <mailto:u@a.com>\r\n");
    expect(own).toBe(true);
    expect(Object.values(others).filter((value) => value === true)).toEqual([]);
  });

  test("is measured in bytes of the visible text and of the whole mail", () => {
    const { textSize, totalSize, missingListUnsubscribe } = check("<p>Grüße</p>");
    expect([textSize, totalSize]).toEqual([
      7,
      Buffer.byteLength("Content-Type: text/html; charset=utf-8\r\n\r\n<p>Grüße</p>"),
    ]);
    expect(missingListUnsubscribe).toBe(true);
  });

  test("counts the text and the links of a text mail", () => {
    const facts = readFacts(Buffer.from("Subject: x\r\n\r\nSee https://t.co/x\r\n"), defaultLimits);
    expect(checkContent(facts)).toMatchObject({ shortUrls: true, missingAlt: false });
    expect(checkContent(facts).textSize).toBeGreaterThan(0);
  });
});

test.each([
  ["https://bit.ly/x", true],
  ["HTTP://BIT.LY/x", true],
  ["https://www.t.co/", true],
  ["https://notbit.ly/x", false],
  ["https://bit.ly.evil.com/x", false],
  ["https://a.com/?u=bit.ly", false],
  ["bit.ly/x", false],
  ["mailto:x@bit.ly", false],
])("%s is a short link: %j", (href, isShort) => {
  expect(isShortLink(href)).toBe(isShort);
});

test.each([
  ["https://evil.com/", "https://bank.com/login", true],
  ["https://evil.com/", "www.bank.com", true],
  ["https://click.bank.com/x", "https://www.bank.com", false],
  ["https://evil.com/", "bank.com", false],
  ["https://evil.com/", "Go to https://bank.com", false],
  ["https://evil.com/", null, false],
  ["mailto:x@evil.com", "https://bank.com", false],
])("%s under the text %j misleads: %j", (href, text, misleads) => {
  expect(isMisleading({ href, text })).toBe(misleads);
});
