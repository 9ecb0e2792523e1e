/** Steps of a walk by keyboard: an open message, its tabs, and the forms that send. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { press, tabBackTo, tabTo } from "./page-state.ts";
import { empty, messageIds } from "./setup.ts";
import {
  addressOn,
  escape,
  inspect,
  inspectBy,
  inspectClosely,
  other,
  rowsOf,
  runNamed,
  server,
  waitForDialog,
  type Walk,
} from "./walk.ts";
import { openArrival } from "./walk-list.ts";

/** After a click into an email, shortcuts star, mark, answer and delete it; its conversation appears with the answer. */
export async function answer(walk: Walk): Promise<void> {
  const { setup, page, width, faults } = walk;
  const subject = `Question ${width}`;
  await openArrival(walk, subject);
  const article = page.getByRole("article", { name: "Message" });
  await page.frameLocator("iframe").locator("b").click();
  await expect.poll(async () => page.evaluate("document.activeElement.tagName")).not.toBe("IFRAME");
  await press(page, "s");
  await article.getByRole("button", { name: "Star", pressed: true }).waitFor();
  const row = rowsOf(page).filter({ hasText: subject });
  await press(page, "u");
  await row
    .locator("a", { hasText: "Unread" })
    .or(row.locator(`a[aria-label^="Unread"]`))
    .waitFor({ state: "attached" });
  await press(page, "u", "r");
  await waitForDialog(page, "Reply");
  await tabTo(page, "Text", faults);
  await press(page, "Tab");
  await page.keyboard.insertText("At noon");
  await press(page, "Control+Enter");
  await page.getByRole("group").getByText("Sent", { exact: true }).waitFor();
  await inspectBy(walk, coveredByToast);
  await page.getByRole("button", { name: "Conversation 2" }).waitFor();
  await inspect(walk);
  expect(await messageIds(setup, other)).toHaveLength(1);
  await empty(setup, other);
  await press(page, "#");
  await page.getByRole("heading", { name: subject, exact: true }).waitFor({ state: "detached" });
  await inspect(walk);
  await press(page, "g", "t");
  await rowsOf(page).getByText(`Re: ${subject}`).waitFor();
  expect(page.url()).toMatch(/dir=sent$/);
  await inspect(walk);
}

/** Returns filters, chips and the search box that a toast covers. */
async function coveredByToast(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(
      "[aria-label=Filters] button, [aria-label=Codes] button, [role=search] button, [role=tab]")]
    .filter((element) => element.checkVisibility()).flatMap((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit?.closest("[data-swipe-direction], [aria-label=Notifications]") != null ? ["a toast covers " + element.textContent] : [];
    })`);
}

/** A message with forty recipients is shown on white, fits the width and takes most of the height; every tab works. */
export async function readTabs(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await press(page, "g", "i");
  await rowsOf(page).first().waitFor();
  await runNamed(page, "wide", "Wide");
  await page.getByRole("heading", { name: "Wide" }).waitFor();
  await page.frameLocator("iframe").getByText("Readable").waitFor();
  await showsEmail(walk);
  await readText(walk);
  await tabBackTo(page, "Mail", faults);
  await readSource(walk);
  await readAttachments(walk);
  await nextTab(walk, "Links");
  await page.getByRole("tabpanel").getByText("https://shop.example/terms").first().waitFor();
  await nextTab(walk, "Checks");
  await page.getByText(/^\d of \d groups passed$/).waitFor();
  await inspect(walk);
  await nextTab(walk, "Previews");
  await enlarge(walk);
  await tabBackTo(page, "Previews", faults);
  await nextTab(walk, "More");
  await page.getByText("Envelope sender", { exact: true }).waitFor();
  await page
    .getByRole("tabpanel")
    .getByText(/S: 250/)
    .first()
    .waitFor();
  await showView(walk, "Test");
  await tabTo(page, "Playwright", faults);
  await press(page, "ArrowRight");
  await page.getByRole("tabpanel").getByText("Wide").first().waitFor();
  await inspect(walk);
  await press(page, "Escape");
}

/** Selects the next tab of the message by an arrow key. */
async function nextTab(walk: Walk, tab: string): Promise<void> {
  const { page } = walk;
  await press(page, "ArrowRight");
  await page.locator("[role=tab][aria-selected=true]:focus").getByText(tab).waitFor();
  await expect.poll(async () => page.getByRole("tabpanel").getByText("Loading…").count()).toBe(0);
  await inspect(walk);
}

/** Shows a view of the current tab. */
async function showView(walk: Walk, view: string): Promise<void> {
  const { page, faults } = walk;
  await tabTo(page, view, faults);
  await press(page, "Enter");
  await page.getByRole("button", { name: view, pressed: true }).waitFor();
  await expect.poll(async () => page.getByRole("tabpanel").getByText("Loading…").count()).toBe(0);
  await inspect(walk);
}

/** Expects the email on white in both themes, in most of the height, and all recipients on request. */
async function showsEmail(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const ground = await page.evaluate("getComputedStyle(document.querySelector('iframe')).backgroundColor");
    if (ground !== "rgb(255, 255, 255)") faults.push(`${colorScheme}: the email is drawn on ${String(ground)}`);
  }
  await inspectBy(walk, heightFaults);
  await fitsWidth(walk);
  const details = page.getByRole("button", { name: "Header details" });
  const isOpen = (await details.getAttribute("aria-expanded")) === "true";
  await tabBackTo(page, "app@example.com", faults);
  if (!isOpen) await press(page, "Enter");
  await tabTo(page, "and 36 more", faults);
  await press(page, "Enter");
  await page.getByText("person-39@").first().waitFor();
  await inspect(walk);
}

/** Returns a fault when the email has less than half of the height of its pane. */
async function heightFaults(page: Page): Promise<readonly string[]> {
  const paneHeight = (await page.getByRole("article").boundingBox())?.height ?? 0;
  const frameHeight = (await page.locator("iframe").boundingBox())?.height ?? 0;
  return frameHeight < paneHeight / 2 ? [`the email has ${frameHeight} of ${paneHeight} px`] : [];
}

/** Draws the wide email in dark colours, fitted, in its own width, and in the width of a desktop. */
async function fitsWidth({ page, width, faults }: Walk): Promise<void> {
  const stage = page.locator("[data-width]");
  const stageEnd = await page.evaluate<number>(`document.querySelector("[data-width]").getBoundingClientRect().right`);
  const cell = (name: string): Locator => page.frameLocator("iframe").locator(name);
  const edge = async (): Promise<number> => {
    const box = await cell("#right").boundingBox();
    return box === null ? Infinity : Math.floor(box.x + box.width);
  };
  await expect.poll(edge).toBeLessThanOrEqual(stageEnd);
  await tabTo(page, "Dark mode of the email", faults);
  await press(page, "Enter");
  await stage.and(page.locator("[data-dark=true]")).waitFor();
  await press(page, "Enter");
  if ((await page.getByRole("button", { name: "Fit to width" }).count()) > 0) {
    await tabTo(page, "Fit to width", faults);
    await press(page, "Enter");
    await expect.poll(edge).toBeGreaterThan(stageEnd);
    await press(page, "Enter");
    await expect.poll(edge).toBeLessThanOrEqual(stageEnd);
  }
  // Smaller windows have no choice of widths.
  if (width < 900) return;
  await tabBackTo(page, "Width", faults);
  await press(page, "D");
  const start = (await stage.boundingBox())?.x ?? 0;
  await expect.poll(async () => (await cell("#left").boundingBox())?.x).toBeGreaterThanOrEqual(start);
}

async function readText(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await tabTo(page, "Mail", faults);
  await showView(walk, "Text");
  const link = page.getByRole("tabpanel").getByRole("link", { name: "https://shop.example/terms" });
  await link.waitFor();
  const font = await page.evaluate<string>(`getComputedStyle(document.querySelector("[role=tabpanel] a")).fontFamily`);
  expect(font).toContain("mono");
}

/** Shows the source as received, and the decoded HTML with highlighting. */
async function readSource(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await nextTab(walk, "Source");
  await page.locator(`pre[aria-label="Message source"]`).getByText("Subject: Wide").first().waitFor();
  await tabTo(page, "HTML", faults);
  await press(page, "Enter");
  await page.locator(`pre[aria-label="HTML source"]`).locator("span span").first().waitFor();
  await inspect(walk);
  await tabBackTo(page, "Source", faults);
  await showView(walk, "Headers");
  await showView(walk, "Structure");
  await tabBackTo(page, "Source", faults);
}

/** Shows an invitation and the pages of a PDF, and downloads all files. */
async function readAttachments(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await nextTab(walk, "Attachments");
  await page.getByRole("heading", { name: "Tasting Invitation" }).waitFor();
  await tabTo(page, "Download all (ZIP)", faults);
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Enter")]);
  expect(download.suggestedFilename()).toMatch(/^attachments-.*\.zip$/);
  await tabTo(page, "Show", faults);
  await press(page, "Enter");
  await page.getByRole("img", { name: "terms.pdf, page 1 of 2" }).waitFor();
  await tabTo(page, "Next page", faults);
  await press(page, "Enter");
  await page.getByRole("img", { name: "terms.pdf, page 2 of 2" }).waitFor();
  await inspect(walk);
  await tabBackTo(page, "Attachments", faults);
}

/** Filters the previews, which render by themselves, and enlarges one, to its own size at most; arrow keys show others. */
async function enlarge(walk: Walk): Promise<void> {
  const { page, width, faults } = walk;
  await page.getByText(/^\d+ of 15 rendered$/).waitFor();
  await tabTo(page, "Web", faults);
  await press(page, "Enter");
  await page.getByRole("heading", { name: "Apple Mail, iPhone" }).first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Enlarge Gmail, web, light" }).waitFor();
  await tabTo(page, "Enlarge Gmail, web, light", faults);
  await press(page, "Enter");
  await waitForDialog(page, "Gmail, web, light");
  const image = `document.querySelector("[role=dialog] img")`;
  await expect.poll(async () => page.evaluate(`${image}?.naturalWidth`)).toBe(1000);
  const shownWidth = await page.evaluate<number>(`${image}.getBoundingClientRect().width`);
  expect(shownWidth).toBeLessThanOrEqual(1002);
  if (width > 1100) expect(shownWidth).toBeGreaterThan(900);
  await inspect(walk);
  await press(page, "ArrowRight");
  await page.getByRole("dialog", { name: "Gmail, web, light" }).waitFor({ state: "detached" });
  await press(page, "ArrowLeft");
  await waitForDialog(page, "Gmail, web, light");
  await escape(page);
  await inspect(walk);
}

/** The audit of a plain-text email by a browser reports no fault of the page that the service wraps it in. */
export async function checkPlainText(walk: Walk): Promise<void> {
  const { page, faults } = walk;
  await runNamed(page, "plain", "Plain");
  await page.getByRole("heading", { name: "Plain", exact: true }).waitFor();
  await tabTo(page, "Mail", faults);
  for (let at = 0; (await page.locator("[role=tab]:focus").getByText("Checks").count()) === 0; at += 1) {
    if (at > 12) throw new Error("there is no tab of checks");
    await press(page, "ArrowRight");
  }
  await page.getByText(/^\d of \d groups passed$/).waitFor();
  await page.getByText("Accessibility: Passed").waitFor();
  expect(await page.getByRole("tabpanel").textContent()).not.toMatch(/axe-|document-title|html-has-lang/);
  await inspect(walk);
  await press(page, "Escape");
}

/** Forms have the focus in their first field, keep drafts, and offer to verify a recipient before sending. */
export async function fillForms(walk: Walk): Promise<void> {
  const { page, width, faults } = walk;
  const owner = `owner-${width}@outside.example`;
  await runNamed(page, "reminder", "Reminder");
  await page.getByRole("button", { name: "Forward" }).waitFor();
  await press(page, "f");
  const dialog = await waitForDialog(page, "Forward");
  await page.keyboard.insertText(owner);
  await dialog.getByText(`${owner} is not verified.`).waitFor();
  await inspectClosely(walk, "[role=dialog]");
  await tabTo(page, "Send verification", faults);
  await press(page, "Enter");
  await dialog.getByText(`A verification email was sent to ${owner}.`).waitFor();
  await inspect(walk);
  // The key after the one that closes the dialog opens it again.
  await press(page, "Escape", "f");
  await waitForDialog(page, "Forward");
  await expect.poll(async () => dialog.getByLabel("To").inputValue()).toBe(owner);
  await press(page, "Control+a", "Backspace");
  await escape(page);
  await press(page, "n");
  await page.getByRole("heading", { name: "New email" }).waitFor();
  await page.getByLabel("To", { exact: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.insertText(addressOn(server, "me"));
  await inspect(walk);
  await press(page, "Control+a", "Backspace");
}
