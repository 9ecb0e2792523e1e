import { describe, expect, test } from "vitest";
import { emailClients } from "./email-client.ts";
import { findScreenshotClient, screenshotClientNames } from "./screenshot-client.ts";

describe("findScreenshotClient", () => {
  test.each<[string, boolean, { label: string; dark: "no" | "asked" | "forced" }]>([
    ["outlook-2021", false, { label: "windows-outlook2021-lightmode", dark: "no" }],
    ["Outlook-2021", true, { label: "windows-outlook2021-lightmode-dark", dark: "forced" }],
    ["apple-mail-ios", true, { label: "iphone-16plus-applemail-darkmode-portrait", dark: "asked" }],
    ["gmail-android", true, { label: "pixel-9-gmail-darkmode-portrait", dark: "forced" }],
    ["outlook-com", true, { label: "web-outlookcom-darkmode", dark: "forced" }],
    ["thunderbird", true, { label: "macos-thunderbird-lightmode-dark", dark: "asked" }],
    ["macos-applemail-darkmode", false, { label: "macos-applemail-darkmode", dark: "asked" }],
    [
      "web-outlookcom-lightmode-imagesblocked",
      true,
      { label: "web-outlookcom-darkmode-imagesblocked", dark: "forced" },
    ],
  ])("%s, dark: %s, is %o", (name, isDark, expected) => {
    expect(findScreenshotClient(name, isDark)).toMatchObject({ ...expected, pixelRatio: 1 });
  });

  test("finds every short name and label, each in both modes", () => {
    const names = [...screenshotClientNames, ...emailClients.map(({ label }) => label)];
    expect(names.filter((name) => findScreenshotClient(name, false) === undefined)).toEqual([]);
    expect(names.filter((name) => findScreenshotClient(name, true)?.dark === "no")).toEqual([]);
    expect(findScreenshotClient("eudora", false)).toBeUndefined();
  });
});
