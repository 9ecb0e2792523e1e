import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { showView } from "./accessibility.ts";
import {
  addAxe,
  cutOff,
  focusedId,
  focusFaults,
  isInView,
  press,
  tabTo,
  violationsInBothThemes,
} from "./page-state.ts";
import { empty, messageIds, send, visit, type Setup } from "./setup.ts";

const server = "shop1234";
const to = (name: string): string => `${name}@${server}.restante.test`;
const fillerCount = 30;

/** A page at one width, and the faults found so far. */
interface Walk {
  readonly page: Page;
  /** Whether an open message is beside the list; otherwise it covers the list. */
  readonly isBeside: boolean;
  readonly isPhone: boolean;
  /** Ids of the messages, newest first. */
  readonly ids: readonly string[];
  readonly faults: string[];
}

/** Journeys by keyboard alone through the list, messages, search, forms and failures, at every width and in both themes. */
export function describeSizes(setup: () => Setup): void {
  let ids: readonly string[];
  beforeAll(async () => {
    await empty(setup(), server);
    for (let at = 0; at < fillerCount; at += 1)
      await send(setup(), { subject: `Mail ${at}`, text: "x" }, to(`user-${at}`));
    const wide = `<p style="color:#111">Readable</p><table width="1000"><tr><td>Left<td align="right">Right</table>`;
    await send(setup(), { subject: "Wide", html: wide, to: manyRecipients() }, to("person-0"));
    const attachments = [{ filename: "terms-of-use.pdf", content: "x" }];
    const invoice = { from: "Erika Sender <erika@sender.example>", subject: "Invoice", text: "Your code is 482913" };
    await send(setup(), { ...invoice, attachments, references: "<root@shop.example>" }, to("anna"));
    await send(setup(), { subject: "Reminder", text: "Your invoice is due" }, to("ben"));
    ids = await messageIds(setup(), server);
  });

  test.each([
    [390, "light"],
    [820, "dark"],
    [1440, "light"],
    [3840, "dark"],
  ] as const)("works by keyboard at %i px, without cut-off content or lost focus", async (width, colorScheme) => {
    const viewport = { width, height: width === 3840 ? 1080 : 844 };
    const options = { viewport, colorScheme, reducedMotion: "reduce", path: `/servers/${server}` } as const;
    await using visited = await visit(setup(), options);
    const { page, consoleErrors } = visited;
    await addAxe(page);
    const isBeside = width >= 1180;
    const walk = { page, isBeside, isPhone: width < 820, ids, faults: [] };
    const steps = { moveInList, select, search, findNothing, runCommand, readTabs, fillForms, showWrongStates };
    for (const [name, step] of Object.entries(steps)) await takeStep(walk, name, step);
    expect(consoleErrors.filter((text) => !text.includes("404"))).toEqual([]);
    await takeStep(walk, "signInAgain", signInAgain);
    expect(walk.faults).toEqual([]);
  });
}

function manyRecipients(): string {
  return Array.from({ length: 40 }, (_, at) => to(`person-${at}`)).join(", ");
}

/** Does a step and adds its name to the faults that it finds. */
async function takeStep(walk: Walk, name: string, step: (walk: Walk) => Promise<void>): Promise<void> {
  const faults: string[] = [];
  await step({ ...walk, faults });
  walk.faults.push(...new Set(faults.map((fault) => `${name}: ${fault}`)));
}

/** Adds what is wrong with the page as it is. */
async function inspect({ page, faults }: Walk): Promise<void> {
  faults.push(...(await cutOff(page)), ...(await focusFaults(page)));
}

/** Adds what is wrong with the page as it is, also by the rules of axe-core, in both themes. */
async function inspectClosely(walk: Walk, within?: string): Promise<void> {
  await inspect(walk);
  walk.faults.push(...(await violationsInBothThemes(walk.page, within)));
}

/** The row that is moved to stays in sight: while its message opens, is left for the next one, and closes. */
async function moveInList(walk: Walk): Promise<void> {
  const { page, ids, isBeside } = walk;
  await rowsOf(page).first().waitFor();
  const row = 20;
  for (let at = 0; at <= row; at += 1) await page.keyboard.press(at % 2 === 0 ? "ArrowDown" : "j");
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

/** Messages are selected, filtered and tagged; the dialog that deletes all results opens and closes. */
async function select(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await press(page, "x");
  await page.getByText("1 selected").waitFor();
  await inspectClosely(walk);
  await press(page, "Escape", "s");
  await rowsOf(page).locator("[aria-pressed=true]").first().waitFor();
  await press(page, "s");
  await press(page, "/");
  await tabTo(page, "Has attachment", faults);
  await press(page, "Enter");
  await expect.poll(async () => rowsOf(page).count()).toBe(1);
  await press(page, "Enter");
  await expect.poll(async () => rowsOf(page).count()).toBeGreaterThan(1);
  await press(page, "/");
  await tabTo(page, "Select all loaded messages", faults);
  await press(page, "Space");
  await page.getByText(`${walk.ids.length} selected`).waitFor();
  await tabTo(page, "Tags", faults);
  await press(page, "Enter");
  await page.getByRole("dialog").waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await press(page, "Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await inspect(walk);
  await press(page, "Escape");
  await page.getByText(`${walk.ids.length} selected`).waitFor({ state: "detached" });
}

/** The list follows what is typed; an operator becomes a chip, and a second term narrows. */
async function search(walk: Walk): Promise<void> {
  const { page } = walk;
  await press(page, "/");
  for (const [text, count] of [
    ["erika send", 1],
    ["ser-1", 11],
    ["terms-of-use", 1],
    ["invoice", 2],
  ] as const) {
    await page.keyboard.insertText(text);
    await expect.poll(async () => rowsOf(page).count()).toBe(count);
    if (text !== "invoice") await press(page, "Control+a", "Backspace");
  }
  await page.keyboard.type(" from:eri");
  await page.getByRole("listbox", { name: "Search suggestions" }).waitFor();
  await inspectClosely(walk);
  await press(page, "Space");
  await page.getByRole("button", { name: "Remove from:eri" }).waitFor();
  await expect.poll(async () => rowsOf(page).count()).toBe(1);
  await inspectClosely(walk);
  await press(page, "Control+a", "Backspace", "Backspace");
  await expect.poll(async () => rowsOf(page).count()).toBeGreaterThan(2);
}

/** An empty result offers what would match, and the search over all servers. */
async function findNothing(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await page.keyboard.type("recipient:erika ");
  const offer = page.getByRole("button", { name: "1 for from:erika" });
  await offer.waitFor();
  await inspectClosely(walk);
  await tabTo(page, "Search all servers", faults);
  await press(page, "Enter");
  await page.getByRole("group", { name: "Servers to search" }).waitFor();
  await offer.waitFor();
  await inspect(walk);
  await tabTo(page, "1 for from:erika", faults);
  await press(page, "Enter");
  await page.getByRole("list", { name: "Search results" }).getByRole("link", { name: "Invoice" }).waitFor();
  await inspectClosely(walk);
}

/** The palette opens pages and messages; help, menus and the list of pages open and close. */
async function runCommand(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await press(page, "Control+k");
  await page.getByRole("option", { name: "Reminder" }).waitFor();
  await inspectClosely(walk);
  await page.keyboard.type("reminder");
  await page.getByRole("option", { name: "Invoice" }).waitFor({ state: "detached" });
  await press(page, "Enter");
  await page.getByRole("heading", { name: "Reminder" }).waitFor();
  await inspect(walk);
  await press(page, "?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await press(page, "Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await inspect(walk);
  await tabTo(page, "More", faults);
  await press(page, "Enter");
  await page.getByRole("menu").waitFor();
  await inspectClosely(walk, "[role=menu]");
  await press(page, "ArrowDown", "Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await inspect(walk);
  if (walk.isPhone) {
    await tabTo(page, "Menu", faults);
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Menu" }).waitFor();
    await inspectClosely(walk, "[role=dialog]");
    await press(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await press(page, "g", "a");
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await inspect(walk);
}

/** A message with forty recipients is drawn on white and has most of the height; arrow keys select its tabs. */
async function readTabs(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await press(page, "g", "i");
  await rowsOf(page).nth(2).waitFor();
  await press(page, "j", "j", "j", "Enter");
  await page.getByRole("heading", { name: "Wide" }).waitFor();
  await page.frameLocator("iframe").getByText("Readable").waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const ground = await page.evaluate("getComputedStyle(document.querySelector('iframe')).backgroundColor");
    if (ground !== "rgb(255, 255, 255)") faults.push(`${colorScheme}: the email is drawn on ${String(ground)}`);
  }
  const paneHeight = (await page.getByRole("article").boundingBox())?.height ?? 0;
  const frameHeight = (await page.locator("iframe").boundingBox())?.height ?? 0;
  if (frameHeight < paneHeight / 2) faults.push(`the email has ${frameHeight} of ${paneHeight} px`);
  await tabTo(page, "HTML", faults);
  for (const tab of ["Source", "Headers"]) {
    await press(page, "ArrowRight");
    await page.locator("[role=tab][aria-selected=true]:focus").getByText(tab).waitFor();
    await inspect(walk);
  }
  await press(page, "Escape");
}

/** Forms have the focus in their first field, keep drafts, and warn of a recipient before sending. */
async function fillForms(walk: Walk): Promise<void> {
  const { page } = walk;
  await rowsOf(page).first().waitFor();
  await press(page, "g", "i", "j", "Enter");
  await page.getByRole("button", { name: "Forward" }).waitFor();
  await press(page, "f");
  const dialog = page.getByRole("dialog", { name: "Forward" });
  await dialog.waitFor();
  await page.keyboard.type("owner@outside.example");
  await dialog.getByText("owner@outside.example is not verified.").waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await press(page, "Escape");
  await dialog.waitFor({ state: "detached" });
  await press(page, "f");
  await expect.poll(async () => dialog.getByLabel("To").inputValue()).toBe("owner@outside.example");
  await press(page, "Control+a", "Backspace", "Escape");
  await dialog.waitFor({ state: "detached" });
  await press(page, "n");
  await page.getByRole("heading", { name: "New email" }).waitFor();
  await page.keyboard.type("a");
  await expect.poll(async () => page.getByLabel("To", { exact: true }).inputValue()).toBe("a");
  await inspect(walk);
  await press(page, "Backspace");
}

/** Unknown addresses and servers have pages; a connection that is lost is shown. */
async function showWrongStates(walk: Walk): Promise<void> {
  const { page } = walk;
  await showView(page, "/nope");
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await tabTo(page, "All servers", walk.faults);
  await inspect(walk);
  await showView(page, "/servers/unknown1");
  await page.getByRole("heading", { name: "Server not found" }).waitFor();
  await tabTo(page, "Server", walk.faults);
  await inspect(walk);
}

/** The sign-in page says why a key or the service fails, with the focus in the field. */
async function signInAgain(walk: Walk): Promise<void> {
  const { page } = walk;
  await press(page, "Control+k");
  await page.getByRole("option", { name: "Sign out" }).waitFor();
  await page.keyboard.type("sign out");
  await press(page, "Enter");
  await page.getByLabel("API key").waitFor();
  await page.keyboard.type("wrong");
  await press(page, "Enter");
  await page.getByRole("alert").getByText("That key isn't valid.").waitFor();
  await addAxe(page);
  await inspectClosely(walk);
  await page.context().setOffline(true);
  await press(page, "Enter");
  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await inspectClosely(walk);
  await page.context().setOffline(false);
}

function rowsOf(page: Page): Locator {
  return page.locator("li[data-id]");
}
