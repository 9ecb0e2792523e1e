import axe from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { empty, messageIds, send, visit, type Bench } from "./bench.ts";

const server = "shop1234";
const empties = "auth5678";
const tabs = ["html", "text", "source", "headers", "structure", "attachments", "links", "delivery", "checks", "test"];

/** Every page, in light and in dark, on a desk and in a hand. */
export function accessible(bench: () => Bench): void {
  let message: string;
  beforeAll(async () => {
    await empty(bench(), server);
    await empty(bench(), empties);
    const mail = {
      subject: "Your code",
      text: "Your code is 482913. https://shop.example/a",
      html: `<p>Your code is 482913</p><img src="https://cdn.example/a.png"><a href="https://shop.example/a">go</a>`,
      attachments: [{ filename: "a.csv", content: "a,b" }],
    };
    for (const name of ["one", "two", "three"]) await send(bench(), mail, `${name}@${server}.restante.test`);
    [message = ""] = await messageIds(bench(), server);
  });

  const views = (): readonly string[] => [
    "/",
    "/keys",
    `/servers/${empties}`,
    `/servers/${server}`,
    `/servers/${server}?subject=code&body=code&match=any&after=2026-01-01T00:00:00Z`,
    `/servers/${server}?subject=nothing-has-this`,
    ...["connect", "pictures", "settings"].map((view) => `/servers/${server}/${view}`),
    ...tabs.map((tab) => `/servers/${server}/messages/${message}/${tab}`),
  ];

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
  ] as const)("axe-core finds nothing to complain of in %s at %i px", async (colorScheme, width) => {
    await using visitor = await visit(bench(), { colorScheme, viewport: { width, height: 740 } });
    const { page, complaints } = visitor;
    await page.evaluate(axe.source);
    const found: string[] = [];
    for (const view of views()) {
      await show(page, view);
      found.push(...(await violations(page)).map((text) => `${view}: ${text}`));
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) found.push(`${view}: too wide`);
    }
    expect(found).toEqual([]);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints.filter((text) => !text.includes("cdn.example"))).toEqual([]);
  });

  test("axe-core finds nothing to complain of before anyone has signed in", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await bench().browser.newContext({ colorScheme });
      const page = await context.newPage();
      await page.goto(bench().service.url);
      await page.getByLabel("API key").waitFor();
      await page.evaluate(axe.source);
      expect(await violations(page)).toEqual([]);
      await context.close();
    }
  });
}

/** Goes to a view without loading the page anew, as links do, and waits until it is there. */
async function show(page: Page, view: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(view)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
  const isThere = `document.querySelector("[aria-busy=true]") === null && document.querySelector("h1") !== null &&
    !document.body.innerText.includes("Loading…")`;
  await expect.poll(() => page.evaluate(isThere)).toBe(true);
}

async function violations(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    `axe.run(document, { iframes: false }).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`,
  );
}
