import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientNames } from "../analysis/lint/compatibility-report.ts";
import { encodeMessageId, type ServerId } from "../core/ids.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";
import {
  describeEmulation,
  emailClients,
  encodePreviewId,
  findEmailClient,
  findScreenshotClient,
  parsePreviewId,
  screenshotClientNames,
  withoutImages,
} from "./email-client.ts";

describe("the table of email clients", () => {
  test("has unique labels and former ids that are valid in a preview id", () => {
    const labels = emailClients.map(({ label }) => label);
    const formerIds = emailClients.map(({ formerId }) => formerId.toLowerCase());
    for (const label of labels) expect(label).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/);
    expect([new Set(labels).size, new Set(formerIds).size]).toEqual([labels.length, labels.length]);
  });

  test("contains the names that the official libraries' tests use", () => {
    expect(findEmailClient("iphone-16plus-applemail-lightmode-portrait")?.caniemailName).toBe("Apple Mail (iOS)");
    expect(findEmailClient("OL2021")?.caniemailName).toBe("Outlook (Windows)");
    expect(findEmailClient("ol2021")?.label).toBe("windows-outlook2021-lightmode");
    expect(findEmailClient("no-such-client")).toBeUndefined();
  });

  test.each(emailClients.map((client) => [client.label, client] as const))(
    "%s has a name and data of caniemail.com",
    (_, client) => {
      expect(clientNames).toContain(client.caniemailName);
      expect(client.name).not.toBe("");
      expect(describeEmulation(client)).toContain(client.caniemailName);
    },
  );

  test("has one variant without images for every client", () => {
    for (const client of emailClients) {
      const variant = withoutImages(client);
      expect([variant.images, variant.caniemailName, variant.viewport]).toEqual([
        "blocked",
        client.caniemailName,
        client.viewport,
      ]);
      expect(withoutImages(variant)).toBe(variant);
    }
  });
});

test("describes dark mode, blocked images and zoom", () => {
  const of = (label: string): string => describeEmulation(findEmailClient(label) ?? raise(label));
  expect(of("pixel-9-gmail-darkmode-portrait")).toMatch(/colours inverted by Chromium/);
  expect(of("iphone-16plus-applemail-darkmode-portrait")).toMatch(/prefers-color-scheme: dark; only images/);
  expect(of("web-gmail-lightmode-imagesblocked")).toMatch(/no images\. The client's own engine/);
  expect(of("iphone-16plus-gmail-lightmode-portrait")).toMatch(/wide mails scaled down/);
});

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

describe("the id of a preview", () => {
  const messages = fc
    .record({ random: fc.nat(0xffffffff), receivedAt: fc.nat(2 ** 47 - 1), isSent: fc.boolean() })
    .map(({ random, receivedAt, isSent }) => {
      return encodeMessageId({
        server: "shop1234" as ServerId,
        direction: isSent ? "Sent" : "Received",
        receivedAt,
        random,
      });
    });

  test("contains the message and the client, in any letter case", () => {
    fc.assert(
      fc.property(messages, fc.constantFrom(...emailClients), (message, client) => {
        const id = encodePreviewId({ message, client });
        expect(parsePreviewId(id)).toEqual({ message, client });
        expect(parsePreviewId(id.toUpperCase())).toEqual({ message, client });
        expect(encodeURIComponent(id)).toBe(id);
      }),
    );
  });

  const message = encodeMessageId({ server: "shop1234" as ServerId, direction: "Received", receivedAt: 1, random: 2 });

  test.each([
    "",
    "-",
    message,
    `${message}-`,
    `${message}-no-such-client`,
    `${message}web-gmail-lightmode`,
    `${message}_web-gmail-lightmode`,
    `${message.slice(1)}-web-gmail-lightmode`,
    "00000000-0000-4000-8000-000000000000-web-gmail-lightmode",
    `${message}-web-gmail-lightmode-imagesblocked-imagesblocked`,
  ])("%j is not one", (text) => {
    expect(parsePreviewId(text)).toBeUndefined();
  });

  test("parsing never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(parsePreviewId(text)).toBeUndefined();
      }),
    );
  });
});

function raise(label: string): never {
  throw new Error(`there is no ${label}`);
}
