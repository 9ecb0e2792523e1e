import { describe, expect, test } from "vitest";
import { clientNames } from "../analysis/lint/compatibility-table.ts";
import { describeEmulation, emailClients, findEmailClient, withoutImages } from "./email-client.ts";

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

function raise(label: string): never {
  throw new Error(`there is no ${label}`);
}
