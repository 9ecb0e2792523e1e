/** The interactive API reference in a real browser. */
import { expect, test } from "vitest";
import { newContext, visit, type Setup } from "./setup.ts";

/** Journeys through `/docs`. */
export function describeApiReference(setup: () => Setup): void {
  test("shows every operation and calls one, without a request to another host", async () => {
    const { service } = setup();
    const context = await newContext(setup());
    const page = await context.newPage();
    const consoleErrors: string[] = [];
    page.on("pageerror", (error) => consoleErrors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") consoleErrors.push(message.text());
    });
    const foreign: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(service.url) && !url.startsWith("data:")) foreign.push(url);
    });
    await page.goto(`${service.url}/docs`);
    await page.locator("#operations-tag-messages").waitFor();
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    const count = Object.values(document.paths).flatMap((methods: object) => Object.keys(methods)).length;
    let shown = 0;
    for (const tag of await page.locator(".opblock-tag").all()) {
      await tag.click();
      await page.locator(".opblock").first().waitFor();
      shown += await page.locator(".opblock").count();
      await tag.click();
      await page.locator(".opblock").first().waitFor({ state: "detached" });
    }
    expect(shown).toBe(count);

    await page.locator("#operations-tag-service").click();
    await page.locator("#operations-service-getHealth .opblock-summary-control").click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table .response-col_status", { hasText: "200" }).first().waitFor();
    expect([consoleErrors, foreign]).toEqual([[], []]);
    await context.close();
  });

  test("is linked from the page of connections", async () => {
    await using visited = await visit(setup(), { path: "/servers/shop1234/connect" });
    const { page, context } = visited;
    // The test above renders the page, which takes seconds.
    await context.route(/\/docs$/, async (route) => route.fulfill({ contentType: "text/html", body: "<title>opened" }));
    const link = page.getByRole("link", { name: "Reference", exact: true });
    const [opened] = await Promise.all([context.waitForEvent("page"), link.click()]);
    await opened.waitForURL(`${setup().service.url}/docs`);
    expect(await opened.title()).toBe("opened");
  });
}
