import { describe, expect, test } from "vitest";
import { notFoundPage } from "./page-response.ts";
import type { WebUi } from "./assets.ts";

const page = { contentType: "text/html; charset=utf-8", bytes: Buffer.from("<p>page"), gzip: Buffer.from("") };
const web = { assets: { find: async () => Promise.resolve(page) } } as unknown as WebUi;
const browser = { "sec-fetch-mode": "navigate", accept: "text/html" };

describe("notFoundPage", () => {
  test("is the page of the web UI with 404 for a browser", async () => {
    for (const headers of [browser, { accept: "text/html,application/xhtml+xml;q=0.9" }]) {
      const response = await notFoundPage(web, { method: "GET", url: "/nope", headers });
      expect(response).toMatchObject({ status: 404, headers: { "content-type": page.contentType } });
      expect(response?.headers).toHaveProperty("content-security-policy");
    }
  });

  test.each<readonly [string, string, Record<string, string>]>([
    ["GET", "/api/nothing", browser],
    ["GET", "/web/nothing", browser],
    ["GET", "/assets/index.js", browser],
    ["POST", "/nope", browser],
    ["GET", "/nope", { accept: "application/json" }],
    ["GET", "/nope", {}],
    ["GET", "/nope", { accept: "text/html", "sec-fetch-mode": "cors" }],
  ])("is no response to %s %s with %j", async (method, url, headers) => {
    expect(await notFoundPage(web, { method, url, headers })).toBeNull();
    expect(await notFoundPage(null, { method, url, headers })).toBeNull();
  });
});
