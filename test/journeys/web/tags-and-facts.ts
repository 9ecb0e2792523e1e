import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { showView } from "./accessibility.ts";
import { markupViolations } from "./markup-rules.ts";
import { addAxe } from "./page-state.ts";
import { empty, messageIds, request, rowsOf, send, visit, type Setup } from "./setup.ts";
import { lowContrasts } from "./text-contrast.ts";

const server = "auth5678";
const from = '"The customer happiness department" <no-reply+customer-happiness@notifications.harbour.example>';
const to = `reader@${server}.restante.example.com`;
const widths = [
  [390, 844],
  [820, 1180],
  [1440, 900],
  [3840, 2160],
] as const;

/** Journeys through the menu of tags, the facts of an open message and the score of its checks, at four widths. */
export function describeTagsAndFacts(setup: () => Setup): void {
  let opened = "";
  beforeAll(async () => {
    await empty(setup(), server);
    for (const subject of ["One", "Two", "Three"]) await send(setup(), { from, subject, html: `<p>${subject}` }, to);
    const [newest = "", ...others] = await messageIds(setup(), server);
    opened = newest;
    const tag = async (ids: readonly string[], name: string): Promise<unknown> =>
      request(setup(), `POST /api/messages/marks?server=${server}`, { ids, addTags: [name] });
    await tag([newest, ...others], "beta");
    await tag([newest], "to do");
    await tag(others, "a long name of a tag that does not fit into the menu of tags at any width");
  });

  test("lists the tags of the server, by keyboard, at every width", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}`, reducedMotion: "reduce" });
    const { page } = visited;
    await addAxe(page);
    for (const [width, height] of widths) {
      await page.setViewportSize({ width, height });
      await showView(page, `/servers/${server}`);
      await useTagMenu(page, width, height);
    }
  });

  test("shows who sent a message to whom, when, and how large it is, whole at every width", async () => {
    // A phone begins with the short form of the header.
    const viewport = { width: 390, height: 844 };
    await using visited = await visit(setup(), { viewport, path: `/servers/${server}/messages/${opened}` });
    const article = visited.page.getByRole("article", { name: "Message" });
    for (const [width, height] of widths) {
      await visited.page.setViewportSize({ width, height });
      await article.getByText(/^\d{3} B$/).waitFor();
      expect([width, await article.locator("time").first().isVisible()]).toEqual([width, true]);
      for (const address of ["no-reply+customer-happiness@notifications.harbour.example", to])
        expect([width, await article.locator("header").getByText(address).first().isVisible()]).toEqual([width, true]);
      expect([width, await visited.page.evaluate(cutTexts)]).toEqual([width, []]);
    }
  });

  test("shows the score of the checks on their tab once they were opened, without moving other tabs", async () => {
    const path = `/servers/${server}/messages/${opened}`;
    await using visited = await visit(setup(), { viewport: { width: 1440, height: 900 }, path });
    const tab = (name: RegExp) => visited.page.getByRole("tab", { name });
    const place = async (): Promise<number | undefined> => (await tab(/^More$/).boundingBox())?.x;
    const before = await place();
    expect(before).toBeGreaterThan(0);
    await tab(/^Checks$/).click();
    await tab(/^Checks ?\d\/\d$/).waitFor();
    expect(await place()).toBe(before);
    await tab(/^Mail$/).click();
    await tab(/^Checks ?\d\/\d$/).waitFor();
  });
}

/** Texts of the header that do not fit into their box. */
const cutTexts = `[...document.querySelectorAll("article header *")]
  .filter((one) => one.checkVisibility() && one.clientWidth > 1 && getComputedStyle(one).overflow === "hidden")
  .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
  .map((one) => one.textContent)`;

/** Opens the menu of tags by keyboard, expects it within the window and accessible, chooses a tag, and closes it by mouse. */
async function useTagMenu(page: Page, width: number, height: number): Promise<void> {
  const tags = page.getByRole("button", { name: "Tags", exact: true });
  const isInView = async (locator: typeof tags): Promise<boolean> => {
    const box = await locator.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height;
  };
  await tags.focus();
  expect(await isInView(tags)).toBe(true);
  await page.keyboard.press("Enter");
  const item = page.getByRole("menuitemcheckbox", { name: "to do, 1 message" });
  await item.waitFor();
  const menu = await page.getByRole("menu").boundingBox();
  expect(await isInView(page.getByRole("menu"))).toBe(true);
  const count = await page
    .getByRole("menuitemcheckbox", { name: /^a long name/ })
    .getByText("2")
    .boundingBox();
  expect((count?.x ?? Infinity) + (count?.width ?? 0)).toBeLessThan((menu?.x ?? 0) + (menu?.width ?? 0));
  expect([...(await markupViolations(page)), ...(await lowContrasts(page))]).toEqual([]);
  await expect.poll(async () => page.evaluate("document.activeElement.closest('[role=menu]') !== null")).toBe(true);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect.poll(async () => rowsOf(page).count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("q")).toBe('tag:"to do"');
  await expect.poll(async () => page.evaluate("document.activeElement.textContent")).toBe("Tags");
  await tags.click();
  await item.waitFor();
  const { x = 0, y = 0 } = (await page.locator("[aria-haspopup=menu][aria-expanded=true]").boundingBox()) ?? {};
  await page.mouse.click(x + 8, y + 8);
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await page.getByRole("menu").count()).toBe(0);
}
