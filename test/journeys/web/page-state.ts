/** Conditions that hold on every page at every width, and keys for journeys without a mouse. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { markupViolations } from "./markup-rules.ts";
import { lowContrasts } from "./text-contrast.ts";

/** Adds axe-core to a page that allows no scripts of others. */
export async function addAxe(page: Page): Promise<void> {
  await page.evaluate(`${axe.source}; axe.configure({ noHtml: true })`);
}

/** Returns the violations that axe-core finds; nothing else is computed. */
export async function violations(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    `axe.run(document, { iframes: false, preload: false, resultTypes: ["violations"] }).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`,
  );
}

/**
 * Returns the violations in the current theme, optionally within elements, and those of the text contrast in the other theme,
 * which then is the current.
 */
export async function violationsInBothThemes(page: Page, within?: string): Promise<readonly string[]> {
  const found = [...(await markupViolations(page, within)), ...(await lowContrasts(page, within))];
  const theme = await switchTheme(page);
  const other = await lowContrasts(page, within);
  return [...found, ...other.map((text) => `${theme}: ${text}`)];
}

/** Switches between the light and the dark theme of the system; returns the one that is then current. */
export async function switchTheme(page: Page): Promise<"light" | "dark"> {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  const colorScheme = isDark ? "light" : "dark";
  await page.emulateMedia({ colorScheme });
  return colorScheme;
}

/** Returns the controls, headings and texts that extend beyond the window and cannot be scrolled to, and the page when it is too wide. */
export async function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the window"] : [];
    const isScrolled = (element) => {
      for (let at = element.parentElement; at !== null; at = at.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true;
      return false;
    };
    for (const element of document.querySelectorAll("a, button, input, select, textarea, h1, h2, h3, p, dd, td, th, pre, iframe")) {
      const { left, right, width, height } = element.getBoundingClientRect();
      const isSeen = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (isSeen && right > 0 && (left < -1 || right > innerWidth + 1) && !isScrolled(element))
        found.push(element.tagName + " " + (element.ariaLabel ?? element.textContent).slice(0, 40) + " ends at " + right);
    }
    return found;
  })()`);
}

/**
 * Returns the controls behind an open dialog that the keyboard, the mouse or a screen reader can reach; none without a dialog.
 * Toasts may be reached. Menus are not modal, so the page behind them is checked as usual.
 */
export async function pageBehind(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const open = [...document.querySelectorAll("[role=dialog]")].at(-1);
    if (open === undefined) return [];
    const controls = document.querySelectorAll("a[href], button, input, select, textarea, iframe, [tabindex]:not([tabindex='-1'])");
    const found = [...controls].filter((element) => !open.contains(element) && element.checkVisibility() &&
      element.closest("[aria-hidden=true], [inert], [aria-label=Notifications]") === null &&
      !element.hasAttribute("data-base-ui-focus-guard"));
    const names = found.map((element) => "is not hidden behind: " + element.tagName + " " + (element.ariaLabel ?? element.textContent).slice(0, 40));
    const { left, right, top, bottom } = open.getBoundingClientRect();
    for (const [x, y] of [[innerWidth / 2, 20], [20, innerHeight / 2], [innerWidth - 20, innerHeight - 20]]) {
      if (x >= left && x <= right && y >= top && y <= bottom) continue;
      const hit = document.elementFromPoint(x, y);
      if (hit?.closest("#content, header, main") != null) names.push("can be clicked behind: " + hit.tagName + " " + hit.className);
    }
    return names;
  })()`);
}

/** The focused element and what is wrong with it: none at all, out of sight, or not shown. */
const focusOf = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return { label: null, faults: ["no element has the focus"] };
  const labels = [...(focused.labels ?? [])].map((label) => label.textContent).join();
  // The text of an area is that of its controls.
  const text = focused.matches("[role=tabpanel], [role=dialog], [role=menu], main, article") ? "" : focused.textContent;
  const label = (focused.ariaLabel || labels || text || focused.title).trim();
  const name = focused.tagName + " " + label.slice(0, 40);
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const faults = right <= 0 || left >= innerWidth || bottom <= 0 || top >= innerHeight ? [name + " is out of sight"] : [];
  // Areas that scroll or hold the focus for their content need no ring.
  if (focused.matches("main, article, iframe, [role=dialog], [role=menu]")) return { label, faults };
  const isShown = [focused, focused.parentElement, focused.parentElement.parentElement].some((element) =>
    ["", "::before", "::after"].some((part) => {
      const { outlineStyle, boxShadow } = getComputedStyle(element, part);
      return outlineStyle !== "none" || boxShadow !== "none";
    }));
  return { label, faults: isShown ? faults : [...faults, name + " does not show that it has the focus"] };
})()`;

interface Focus {
  /** Label or text; null when no element has the focus. */
  readonly label: string | null;
  readonly faults: readonly string[];
}

/** Returns what is wrong with the focus: on no element, out of sight, or not shown. */
export async function focusFaults(page: Page): Promise<readonly string[]> {
  return (await page.evaluate<Focus>(focusOf)).faults;
}

/** Presses Tab until the focused element has this label or text; adds the faults of the focus on the way. Throws when none has. */
export async function tabTo(page: Page, name: string, faults: string[]): Promise<void> {
  await pressUntil(page, name, { key: "Tab", faults });
}

/** Presses Shift and Tab until the focused element has this label or text, as {@link tabTo} does with Tab. */
export async function tabBackTo(page: Page, name: string, faults: string[]): Promise<void> {
  await pressUntil(page, name, { key: "Shift+Tab", faults });
}

async function pressUntil(
  page: Page,
  name: string,
  { key, faults }: { readonly key: string; readonly faults: string[] },
): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press(key);
    const focus = await page.evaluate<Focus>(focusOf);
    // After the last element, the focus leaves the page once before it returns to the first.
    if (focus.label === null) continue;
    faults.push(...focus.faults);
    if (focus.label.startsWith(name)) return;
  }
  throw new Error(`${key} does not reach ${name}`);
}

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Returns the id of the message whose row has the focus. */
export async function focusedId(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>("document.activeElement?.closest('[data-id]')?.dataset.id");
}

/** Returns whether the whole row of a message is within the list. */
export async function isInView(page: Page, id: string | undefined): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const row = document.querySelector('li[data-id="${id ?? ""}"]')?.getBoundingClientRect();
    const list = document.querySelector("[role=region][aria-label=Messages]")?.getBoundingClientRect();
    return row !== undefined && list !== undefined && row.top >= list.top && row.bottom <= list.bottom;
  })()`);
}

/**
 * Controls whose area is smaller than 44 pixels, in a window narrower than 820. The area is that of the label of a checkbox, and
 * of an overlay (`::after`). Links within a text, and controls that are shown only while they have the focus, may be smaller.
 */
const smallTargetsOf = `(() => {
  if (innerWidth >= 820) return [];
  const controls = "button, select, summary, textarea, input, a[href], [role=menuitem], [role=option]";
  return [...document.querySelectorAll(controls)].flatMap((control) => {
    const area = (control.matches("[type=checkbox], [type=radio]") && control.closest("label")) || control;
    const style = getComputedStyle(area);
    const { width, height, right } = area.getBoundingClientRect();
    const isText = control.matches("a:not([class])") || (control.matches("a") && style.display === "inline");
    if (isText || width === 0 || right <= 0 || control.disabled || !control.checkVisibility({ visibilityProperty: true })) return [];
    const overlay = getComputedStyle(area, "::after");
    const [wide, high] = overlay.position === "absolute" ? [overlay.width, overlay.height].map(parseFloat) : [0, 0];
    const [x, y] = [Math.max(width, wide), Math.max(height, high)];
    if (x >= 43.5 && y >= 43.5) return [];
    const name = control.getAttribute("aria-label") ?? control.closest("label")?.textContent ?? control.textContent;
    return [control.localName + " " + name.trim().slice(0, 40) + " is a target of " + Math.round(x) + " by " + Math.round(y) + " pixels"];
  });
})()`;

/** Returns the controls that are too small for fingers; none in a window that is not narrow. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>(smallTargetsOf);
}
