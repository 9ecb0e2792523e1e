import { describe, expect, test } from "vitest";
import { programNames } from "../analysis/lint/compatibility-table.ts";
import { describeEmulation, emailClients, findEmailClient, withoutImages } from "./email-client.ts";

describe("the table of email clients", () => {
  test("has each label and each former id once, in a form that is valid in an id", () => {
    const labels = emailClients.map(({ label }) => label);
    const formerIds = emailClients.map(({ formerId }) => formerId.toLowerCase());
    for (const label of labels) expect(label).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/);
    expect([new Set(labels).size, new Set(formerIds).size]).toEqual([labels.length, labels.length]);
  });

  test("contains the names that the official libraries' tests use", () => {
    expect(findEmailClient("iphone-16plus-applemail-lightmode-portrait")?.program).toBe("Apple Mail (iOS)");
    expect(findEmailClient("OL2021")?.program).toBe("Outlook (Windows)");
    expect(findEmailClient("ol2021")?.label).toBe("windows-outlook2021-lightmode");
    expect(findEmailClient("no-such-program")).toBeUndefined();
  });

  test.each(emailClients.map((client) => [client.label, client] as const))(
    "%s: what it lacks is known",
    (_, client) => {
      expect(programNames).toContain(client.program);
      expect(client.name).not.toBe("");
      expect(describeEmulation(client)).toContain(client.program);
    },
  );

  test("has one variant without images for every client", () => {
    for (const client of emailClients) {
      const twin = withoutImages(client);
      expect([twin.images, twin.program, twin.viewport]).toEqual(["blocked", client.program, client.viewport]);
      expect(withoutImages(twin)).toBe(twin);
    }
  });
});

test("describes dark mode, blocked images and zoom", () => {
  const of = (label: string): string => describeEmulation(findEmailClient(label) ?? raise(label));
  expect(of("pixel-9-gmail-darkmode-portrait")).toMatch(/colours turned by Chromium's rules/);
  expect(of("iphone-16plus-applemail-darkmode-portrait")).toMatch(/told that dark is preferred; images/);
  expect(of("web-gmail-lightmode-imagesblocked")).toMatch(/no images\. The program's own engine/);
  expect(of("iphone-16plus-gmail-lightmode-portrait")).toMatch(/wide mails scaled down/);
});

function raise(label: string): never {
  throw new Error(`there is no ${label}`);
}
