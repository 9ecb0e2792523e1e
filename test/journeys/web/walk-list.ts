/** Steps of a walk by keyboard: the list, its selection, filters and search, and the command palette. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { focusedId, isInView, press, tabTo } from "./page-state.ts";
import { request, send } from "./setup.ts";
import {
  addressOn,
  escape,
  inspect,
  inspectClosely,
  other,
  rowsOf,
  runNamed,
  server,
  waitForDialog,
  type Walk,
} from "./walk.ts";

/** A message opened by its address has its row in view; the row that is moved to stays in view while messages open and close. */
export async function moveInList(walk: Walk): Promise<void> {
  const { page, ids, isBeside } = walk;
  const linked = 25;
  await page.getByRole("tablist", { name: "Message views" }).waitFor();
  if (isBeside) await expect.poll(async () => isInView(page, ids[linked])).toBe(true);
  await press(page, "Escape");
  await expect.poll(async () => focusedId(page)).toBe(ids[linked]);
  await expect.poll(async () => isInView(page, ids[linked])).toBe(true);
  await expect.poll(async () => page.title()).toMatch(/^\(\d+\) /);
  const row = 20;
  for (let at = linked; at > row; at -= 1) await page.keyboard.press(at % 2 === 0 ? "ArrowUp" : "k");
  await expect.poll(async () => focusedId(page)).toBe(ids[row]);
  await inspect(walk);
  await press(page, "Enter");
  await page.getByRole("tablist", { name: "Message views" }).waitFor();
  if (isBeside) await expect.poll(async () => isInView(page, ids[row])).toBe(true);
  await inspect(walk);
  await press(page, "j");
  await expect.poll(() => page.url()).toContain(ids[row + 1]);
  if (isBeside) await expect.poll(async () => isInView(page, ids[row + 1])).toBe(true);
  await inspect(walk);
  await press(page, "Escape");
  await expect.poll(async () => focusedId(page)).toBe(ids[row + 1]);
  await expect.poll(async () => isInView(page, ids[row + 1])).toBe(true);
  await press(page, "k");
  await expect.poll(async () => focusedId(page)).toBe(ids[row]);
  await inspect(walk);
}

/** Messages are selected, starred, filtered and tagged; desktop notifications are switched on and off. */
export async function select(walk: Walk): Promise<void> {
  const { page, faults, ids } = walk;
  await press(page, "x");
  await page.getByText("1 selected").waitFor();
  await inspectClosely(walk, "main > :first-child > :not([role=region])");
  await press(page, "Escape", "s");
  await rowsOf(page).locator("[aria-pressed=true]").first().waitFor();
  for (const [filter, count] of [
    ["Attachment", 2],
    ["Code", 1],
    ["Starred", 1],
  ] as const) {
    await press(page, "/");
    await tabTo(page, filter, faults);
    await press(page, "Enter");
    await expect.poll(async () => rowsOf(page).count()).toBe(count);
    if (filter === "Attachment") await showsPeopleAndFiles(page);
    await press(page, "Enter");
    await expect.poll(async () => rowsOf(page).count()).toBeGreaterThan(2);
  }
  await notify(walk);
  await press(page, "/");
  await tabTo(page, "Select all loaded messages", faults);
  await press(page, "Space");
  await page.getByText("100 selected").waitFor();
  await tabTo(page, "Tags", faults);
  await press(page, "Enter");
  await waitForDialog(page, /^Tags of/);
  await inspectClosely(walk, "[role=dialog]");
  await escape(page);
  await inspect(walk);
  await press(page, "Escape");
  await page.getByText("100 selected").waitFor({ state: "detached" });
  await page.getByText(`${ids.length} messages`, { exact: true }).waitFor();
}

/** Desktop notifications are switched on and off; an email that arrives while the page is hidden is announced. */
async function notify(walk: Walk): Promise<void> {
  const { setup, page, faults } = walk;
  // This browser denies notifications, whatever permissions its context has.
  await page.evaluate(`{
    globalThis.shown = [];
    globalThis.Notification = class {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title) { shown.push(title); }
      close() {}
      addEventListener() {}
    };
  }`);
  await tabTo(page, "Turn on desktop notifications", faults);
  await press(page, "Enter");
  await page.getByText("You will be notified").waitFor();
  await page.getByRole("button", { name: "Turn off desktop notifications" }).and(page.locator(":focus")).waitFor();
  await inspect(walk);
  await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true })`);
  await send(setup, { subject: "Announced", from: addressOn(other, "friend") }, addressOn(server, "me"));
  await expect.poll(async () => page.evaluate("shown")).toEqual([expect.stringContaining("Announced")]);
  await page.evaluate("delete document.visibilityState; delete document.hidden");
  const [newest] = await request<readonly { readonly id: string }[]>(setup, `GET /api/messages?server=${server}`);
  await request(setup, `DELETE /api/messages/${newest?.id ?? ""}`);
  await press(page, "Enter");
  await page.getByRole("button", { name: "Turn on desktop notifications" }).waitFor();
}

/** Expects sender and recipient without the domain that all share, and inline images apart from attachments. */
async function showsPeopleAndFiles(page: Page): Promise<void> {
  const invoice = await rowsOf(page).filter({ hasText: "Invoice" }).textContent();
  expect(invoice).toContain("Erika Sender→anna");
  expect(invoice).not.toContain("restante.test");
  const wide = rowsOf(page).filter({ hasText: "Wide" });
  await wide.getByText("1 inline image or file").waitFor();
  await wide.getByText("2 attachments").waitFor();
}

/** Results update and matches are marked while typing; operators become chips, terms narrow, and the URL has the query. */
export async function search(walk: Walk): Promise<void> {
  const { page } = walk;
  await press(page, "/");
  for (const [text, count] of [
    ["erika send", 1],
    ["erika@sender.example", 1],
    ["ser-1", 12],
    ["terms-of-use", 1],
    ["482913", 1],
    ["invoice", 2],
  ] as const) {
    await page.keyboard.insertText(text);
    await expect.poll(async () => rowsOf(page).count()).toBe(count);
    if (text !== "invoice") await press(page, "Control+a", "Backspace");
  }
  await expect.poll(async () => page.evaluate(`CSS.highlights.get("search-match")?.size ?? 0`)).toBe(2);
  await page.keyboard.type(" from:eri");
  await page.getByRole("listbox", { name: "Search suggestions" }).waitFor();
  await inspectClosely(walk, "[role=search]");
  await press(page, "Space");
  await page.getByRole("button", { name: "Remove from:eri" }).waitFor();
  await expect.poll(async () => rowsOf(page).count()).toBe(1);
  await page.waitForURL("**?q=from%3Aeri+invoice");
  await inspect(walk);
  await press(page, "Control+a", "Backspace", "Backspace");
  await expect.poll(async () => rowsOf(page).count()).toBeGreaterThan(2);
}

/** An empty result offers what would match, and the search over all servers. */
export async function findNothing(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await page.keyboard.type("recipient:erika ");
  const offer = page.getByRole("button", { name: "1 for from:erika" });
  await offer.waitFor();
  await inspectClosely(walk, "main");
  await tabTo(page, "Search all servers", faults);
  await press(page, "Enter");
  await page.getByRole("group", { name: "Servers to search" }).waitFor();
  await offer.waitFor();
  await inspect(walk);
  await tabTo(page, "1 for from:erika", faults);
  await press(page, "Enter");
  await page.getByRole("list", { name: "Search results" }).getByRole("link", { name: "Invoice" }).waitFor();
  await inspectClosely(walk, "main");
}

/** The palette opens messages, help, menus and the list of pages open and close, and give the focus back. */
export async function runCommands(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await press(page, "Control+k");
  await page
    .getByRole("option", { name: /^Mail \d+/ })
    .first()
    .waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await press(page, "Escape");
  await runNamed(page, "reminder", "Reminder");
  await page.getByRole("heading", { name: "Reminder" }).waitFor();
  await inspect(walk);
  await press(page, "?");
  await waitForDialog(page, "Keyboard shortcuts");
  await inspectClosely(walk, "[role=dialog]");
  await escape(page);
  await inspect(walk);
  await tabTo(page, "Actions", faults);
  await press(page, "Enter");
  await page.getByRole("menu").waitFor();
  await inspectClosely(walk, "[role=menu]");
  await press(page, "ArrowDown");
  await escape(page);
  await inspect(walk);
  if (walk.isPhone) {
    await tabTo(page, "Menu", faults);
    await press(page, "Enter");
    await waitForDialog(page, "Menu");
    await inspectClosely(walk, "[role=dialog]");
    await escape(page);
  }
  for (const [keys, title] of [
    ["w", "Webhooks"],
    ["c", "Connect"],
    ["s", "Settings"],
    ["a", "Activity"],
  ] as const) {
    await press(page, "g", keys);
    const heading = page.getByRole("heading", { name: title, exact: true }).first();
    await heading.waitFor();
    expect((await heading.boundingBox())?.y).toBeGreaterThan(0);
    const serverWidth = (await page.getByRole("combobox", { name: "Server" }).boundingBox())?.width;
    if (walk.isPhone) expect(serverWidth).toBeGreaterThan(150);
    await inspect(walk);
  }
  if (!walk.isPhone) await page.locator("nav a[aria-current=page]").getByText("Activity").waitFor();
  // A dialog over a page gives the focus back to the page, where the next key is a shortcut.
  await press(page, "?");
  await waitForDialog(page, "Keyboard shortcuts");
  await press(page, "Escape", "g", "i");
  await rowsOf(page).first().waitFor();
}

/** All results of a search are selected and deleted, after a confirmation with their number; later messages stay. */
export async function deleteResults(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await runNamed(page, "inbox", "Inbox");
  await rowsOf(page).first().waitFor();
  await press(page, "/");
  await page.keyboard.insertText("subject:mail ");
  await page.getByText("101 messages", { exact: true }).waitFor();
  await tabTo(page, "Select all loaded messages", faults);
  await press(page, "Space");
  await tabTo(page, "Select all 101 results", faults);
  await press(page, "Enter");
  await page.getByText("101 selected").waitFor();
  await tabTo(page, "Delete", faults);
  await press(page, "Enter");
  const dialog = await waitForDialog(page, "Delete 101 messages?");
  await dialog.getByText("Permanently deletes 101 messages and their attachments.").waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await tabTo(page, "Delete", faults);
  await press(page, "Enter");
  await page.getByText("101 messages deleted").waitFor();
  await page.getByText("No messages match.").waitFor();
  await inspect(walk);
}

/** Sends an email from the other server and opens it by its row, which appears in the open list. */
export async function openArrival({ setup, page }: Walk, subject: string): Promise<void> {
  await press(page, "g", "i");
  await rowsOf(page).first().waitFor();
  const from = addressOn(other, "friend");
  await send(setup, { subject, from, html: `<p>When <b>exactly</b>?`, text: "When?" }, addressOn(server, "me"));
  await rowsOf(page).first().getByText(subject).waitFor();
  const [newest] = await request<readonly { readonly id: string }[]>(setup, `GET /api/messages?server=${server}`);
  for (let tries = 0; (await focusedId(page)) !== newest?.id; tries += 1) {
    if (tries > 30) throw new Error(`the keyboard does not reach ${subject}`);
    await press(page, "k");
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  await press(page, "Enter");
  await page.getByRole("heading", { name: subject }).waitFor();
}
