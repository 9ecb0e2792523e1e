import { createTransport } from "nodemailer";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { focusedId, isInView } from "./page-state.ts";
import { clipboardOf, empty, messageIds, visit, type Setup } from "./setup.ts";
import { waitForDialog } from "./walk.ts";

const server = "shop1234";
const messageCount = 230;

/** Journeys that open messages anywhere in a long list, with the mouse and with the keyboard alone. */
export function describePlaceAndFocus(setup: () => Setup): void {
  let ids: readonly string[];
  beforeAll(async () => {
    await empty(setup(), server);
    const { smtp } = setup().service;
    const transport = createTransport({ ...smtp, pool: true, maxConnections: 4, tls: { rejectUnauthorized: false } });
    const sendOne = async (number: number): Promise<unknown> =>
      transport.sendMail({
        from: "app@example.com",
        to: `user-${String(number)}@${server}.restante.example.com`,
        subject: `Mail ${String(number)}`,
        text: `Text ${String(number)}`,
        html: `<p>Text <b>${String(number)}</b></p><p style="height: 2000px">End`,
      });
    await Promise.all(Array.from({ length: messageCount }, async (_, number) => sendOne(number)));
    transport.close();
    const pages = await Promise.all([0, 1, 2].map(async (page) => messageIds(setup(), server, page)));
    ids = pages.flat();
  });

  test("keeps the opened row in view and the list in place", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    // The rows of the narrow list are higher: most of its places lie beyond the end of the wide one.
    for (const [row, close] of [
      [15, async () => page.keyboard.press("Escape")],
      [60, async () => page.goBack()],
      [150, async () => page.getByRole("button", { name: "Back to the list" }).click()],
      [215, async () => page.goBack()],
      [220, async () => page.keyboard.press("Escape")],
    ] as const) {
      await scrollToRow(page, row);
      await rowOf(page, ids[row]).getByRole("link").click();
      await page.getByRole("tablist", { name: "Message views" }).waitFor();
      await expect.poll(() => isInView(page, ids[row])).toBe(true);
      await expect.poll(() => heightOf(page, ids[row])).toBe(70);
      expect(await isInView(page, ids[row])).toBe(true);
      await close();
      await expect.poll(() => heightOf(page, ids[row])).toBe(38);
      expect(await isInView(page, ids[row])).toBe(true);
      await expect.poll(() => focusedId(page)).toBe(ids[row]);
      await page.keyboard.press("j");
      await expect.poll(() => focusedId(page)).toBe(ids[row + 1]);
    }
  });

  test("shows the row of a message that is opened by its address, however old it is", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${ids[messageCount - 5] ?? ""}` });
    const { page } = visited;
    await expect.poll(() => isInView(page, ids[messageCount - 5])).toBe(true);
    await page.keyboard.press("j");
    await expect.poll(() => page.url()).toContain(ids[messageCount - 4]);
    await expect.poll(() => isInView(page, ids[messageCount - 4])).toBe(true);
  });

  test("handles shortcuts after a click into the email, whose text can still be copied", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${ids[3] ?? ""}` });
    const { page } = visited;
    const bold = page.frameLocator("iframe").locator("b");
    const isFrameFocused = async (): Promise<boolean> => page.evaluate("document.activeElement.tagName === 'IFRAME'");
    await bold.click();
    await expect.poll(isFrameFocused).toBe(false);
    await page.keyboard.press("j");
    await expect.poll(() => page.url()).toContain(ids[4]);
    const number = await bold.innerText();
    await bold.dblclick();
    await expect.poll(isFrameFocused).toBe(false);
    await page.keyboard.press("Control+c");
    await expect.poll(() => clipboardOf(page)).toBe(number);
    await expect.poll(isFrameFocused).toBe(false);
    await page.keyboard.press("k");
    await expect.poll(() => page.url()).toContain(ids[3]);
  });

  test("reaches list, message and every page of the server by keyboard", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await rowOf(page, ids[0]).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focusedId(page)).toBe(ids[1]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain(ids[0]);
    await page.getByRole("tablist", { name: "Message views" }).waitFor();
    expect(await focusedId(page)).toBe(ids[0]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.url()).toContain(ids[1]);
    await expect.poll(() => focusedId(page)).toBe(ids[1]);
    await page.getByRole("tablist", { name: "Message views" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('article') !== null")).toBe(true);
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await waitForDialog(page, "Forward");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await expect.poll(() => focusedId(page)).toBe(ids[1]);
    for (const [key, path] of [
      ["c", "/connect"],
      ["a", "/activity"],
      ["w", "/webhooks"],
      ["f", "/faults"],
      ["s", "/settings"],
      ["i", ""],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/servers/${server}${path}`);
    }
  });

  test("moves the focus into a message that covers the list, and back to its row", async () => {
    await using visited = await visit(setup(), {
      path: `/servers/${server}`,
      viewport: { width: 390, height: 844 },
    });
    const { page } = visited;
    await scrollToRow(page, 30);
    await rowOf(page, ids[30]).getByRole("link").click();
    await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("ARTICLE");
    await page.keyboard.press("Escape");
    await expect.poll(() => focusedId(page)).toBe(ids[30]);
    expect(await isInView(page, ids[30])).toBe(true);
  });
}

function rowOf(page: Page, id: string | undefined): ReturnType<Page["locator"]> {
  return page.locator(`li[data-id="${id ?? ""}"]`);
}

async function scrollToRow(page: Page, row: number): Promise<void> {
  await page.locator("li[data-id]").first().waitFor();
  await page.evaluate(`{
    const list = document.querySelector("[role=region][aria-label=Messages]");
    list.scrollTop = ${row} * list.querySelector("li").offsetHeight - 300;
  }`);
}

async function heightOf(page: Page, id: string | undefined): Promise<number> {
  return page.evaluate<number>(`document.querySelector('li[data-id="${id ?? ""}"]')?.offsetHeight ?? 0`);
}
