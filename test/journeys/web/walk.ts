/** Walks by keyboard through the web UI at one width, which collect the faults of each step. */
import type { Locator, Page } from "playwright-core";
import { cutOff, focusFaults, pageBehind, smallTargets, violationsInBothThemes } from "./page-state.ts";
import type { Setup } from "./setup.ts";

/** Server that is walked through. */
export const server = "shop1234";
/** Server without messages. */
export const other = "auth5678";

/** Returns an address of a server. */
export function addressOn(of: string, name: string): string {
  return `${name}@${of}.restante.example.com`;
}

/** A page at one width, and the faults found so far. */
export interface Walk {
  readonly setup: Setup;
  readonly page: Page;
  readonly width: number;
  /** Further widths, to which the page is resized for each inspection. */
  readonly otherWidths: readonly number[];
  readonly isPhone: boolean;
  /** Whether an open message is beside the list; otherwise it covers the list. */
  readonly isBeside: boolean;
  /** Ids of the messages at the start, newest first. */
  readonly ids: readonly string[];
  readonly faults: string[];
}

/** Does a step and adds its name to the faults that it finds. An error of the step ends the walk, with the faults so far. */
export async function takeStep(walk: Walk, name: string, step: (walk: Walk) => Promise<void>): Promise<void> {
  const faults: string[] = [];
  const named = (): readonly string[] => [...new Set(faults.map((fault) => `${name}: ${fault}`))];
  try {
    await step({ ...walk, faults });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = [`${name} at ${walk.width} px: ${reason}`, ...walk.faults, ...named()].join("\n");
    throw new Error(message, { cause: error });
  }
  walk.faults.push(...named());
}

/**
 * Adds the faults of the current page at each width of the walk: cut-off content, lost focus, controls that are reachable
 * behind a dialog, and on phones targets that are too small for fingers.
 */
export async function inspect(walk: Walk): Promise<void> {
  await inspectBy(walk, faultsOf);
}

/** Adds the faults that {@link inspect} finds, and violations of axe-core within an element in both themes. */
export async function inspectClosely(walk: Walk, within?: string): Promise<void> {
  await inspectBy(walk, async (page) => [...(await faultsOf(page)), ...(await violationsInBothThemes(page, within))]);
}

async function faultsOf(page: Page): Promise<readonly string[]> {
  const targets = await smallTargets(page);
  return [...(await cutOff(page)), ...(await focusFaults(page)), ...(await pageBehind(page)), ...targets];
}

/** Adds what a check finds at the width of the walk and at its other widths. */
export async function inspectBy(
  { page, width, otherWidths, faults }: Walk,
  check: (page: Page) => Promise<readonly string[]>,
): Promise<void> {
  // A dialog gives the focus back only after it has left.
  await page.locator(":focus").first().waitFor({ state: "attached" });
  faults.push(...(await check(page)));
  for (const other of otherWidths) {
    await resize(page, other);
    faults.push(...(await check(page)).map((fault) => `at ${other} px: ${fault}`));
  }
  if (otherWidths.length > 0) await resize(page, width);
}

/** Returns the size of the window of a walk. */
export function viewportOf(width: number): { readonly width: number; readonly height: number } {
  return { width, height: width === 3840 ? 1080 : 844 };
}

async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize(viewportOf(width));
  await page.evaluate("new Promise(requestAnimationFrame)");
}

/** Returns the rows of messages, including those behind a dialog. */
export function rowsOf(page: Page): Locator {
  return page.locator("li[data-id]");
}

/** Waits until the focus is in a dialog; text typed before that is lost. */
export async function waitForDialog(page: Page, name: string | RegExp): Promise<Locator> {
  const dialog = page.getByRole("dialog", { name });
  await dialog.and(page.locator(":focus-within, :focus")).waitFor();
  return dialog;
}

/** Closes the dialog or menu that is open. */
export async function escape(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("[role=dialog], [role=menu]").first().waitFor({ state: "detached" });
}

/** Opens a page, server or message, or runs an action, by the command palette. */
export async function runNamed(page: Page, typed: string, option: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await waitForDialog(page, "Search and commands");
  await page.keyboard.insertText(typed);
  // Not the option that searches for the text, which is there before the messages are found.
  await page
    .getByRole("option", { name: new RegExp(`^${option}`) })
    .first()
    .waitFor();
  const selected = page.locator("[role=option][aria-selected=true]");
  for (let at = 0; !(await selected.innerText()).startsWith(option); at += 1) {
    if (at > 20) throw new Error(`the arrow keys do not reach ${option}`);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}
