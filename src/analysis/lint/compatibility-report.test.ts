import { describe, expect, test } from "vitest";
import { compatibilityAttributes, compatibilityFeatures } from "./compatibility-report.ts";
import { readUsage } from "./html-usage.ts";

const used = (html: string): readonly string[] => {
  const usage = readUsage(html, compatibilityAttributes());
  return compatibilityFeatures()
    .filter((feature) => feature.isUsed(usage))
    .map(({ title }) => title);
};

describe("the data set", () => {
  test("has most features, each with a page and the clients that lack it", () => {
    expect(compatibilityFeatures().length).toBeGreaterThan(200);
    for (const { url, unsupported, partial } of compatibilityFeatures()) {
      expect(url).toMatch(/^https:\/\/www\.caniemail\.com\/features\//);
      expect(unsupported.length + partial.length).toBeGreaterThan(0);
      for (const name of [...unsupported, ...partial]) expect(name).toMatch(/^.+ \(.+\)$/);
    }
  });

  test("contains Outlook", () => {
    const radius = compatibilityFeatures().find(({ title }) => title === "border-radius");
    expect(radius?.unsupported).toContain("Outlook (Windows)");
    expect(radius?.unsupported).not.toContain("Gmail (Android)");
  });
});

describe("features", () => {
  test.each([
    ['<p style="Border-Radius: 3px">', "border-radius"],
    ["<style>p { /* x: y; */ border-radius: 3px }</style>", "border-radius"],
    ['<p style="display: flex !important">', "display:flex"],
    ['<p style="display: flex !important">', "!important keyword"],
    ["<style>@media (prefers-color-scheme: dark) { p { color: red } }</style>", "@media (prefers-color-scheme)"],
    ["<style>@import url(x);</style>", "@import"],
    ["<style>a:hover, b::before { color: red }</style>", ":hover"],
    ["<style>a:hover, b::before { color: red }</style>", "::before"],
    ['<p style="width:calc(100% - 2rem)">', "CSS calc() function"],
    ['<p style="width:calc(100% - 2rem)">', "rem unit"],
    ['<p style="color:var(--brand)">', "CSS Variables (Custom Properties)"],
    ['<p style="gap:1px">', "gap, column-gap, row-gap"],
    ['<p style="margin-inline:1px">', "margin-inline & margin-block"],
    ["<video></video>", "<video> element"],
    ["<input type=checkbox>", '<input type="checkbox"> element'],
    ["<section>", "HTML5 semantics"],
    ["<img srcset=x>", "srcset and sizes attributes"],
    ["<img src=https://a.com/x.webp?v=1>", "webP image format"],
    ["<img src=data:image/png;base64,AA>", "Base 64 image format"],
  ])("detects a feature in %s: %s", (html, title) => {
    expect(used(html)).toContain(title);
  });

  test.each([
    ["<p>border-radius: 3px</p>", "border-radius"],
    ['<p style="background:url(border-radius)">', "border-radius"],
    ["<style>/* p { border-radius: 3px } */</style>", "border-radius"],
    ["<!-- <video> -->", "<video> element"],
    ['<p style="color:#123rem">', "rem unit"],
    ["<p class=flex>", "display:flex"],
  ])("detects a feature in no other HTML: %s", (html, title) => {
    expect(used(html)).not.toContain(title);
  });
});
