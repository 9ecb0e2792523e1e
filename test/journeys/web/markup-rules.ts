/** The rules of axe-core about markup, run once for each state of a page or dialog instead of once for each width. */
import type { Page } from "playwright-core";

/**
 * Returns the violations that axe-core finds in a page, or in the elements that `within` selects, apart from the text contrast.
 * The rules are left out when they have passed, since the page was loaded, for the same markup with the same elements in
 * sight, scrollable and underlined: nothing else of a page decides about them.
 */
export async function markupViolations(page: Page, within = "html"): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(${markupViolationsIn})(${JSON.stringify(within)})`);
}

/** A function of the page. */
const markupViolationsIn = `async (within) => {
  const passed = (globalThis.passedStates ??= new Set());
  const isSeen = (element) => {
    const { width, height, right } = element.getBoundingClientRect();
    const style = { visibilityProperty: true, opacityProperty: true };
    return width > 1 && height > 1 && right > 0 && element.checkVisibility(style);
  };
  const isScrollable = (element) =>
    (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight) &&
    /auto|scroll/.test(getComputedStyle(element).overflow);
  const isUnderlined = (element) => element.matches("a") && getComputedStyle(element).textDecorationLine !== "none";
  const stateOf = (root) => {
    const copy = root.cloneNode(true);
    // Styles of elements place and size them.
    for (const element of [copy, ...copy.querySelectorAll("[style]")]) element.removeAttribute("style");
    const facts = [root, ...root.querySelectorAll("*")].map((element) =>
      [isSeen, isScrollable, isUnderlined].map((holds) => (holds(element) ? "1" : "0")).join(""));
    return copy.outerHTML + facts.join(" ");
  };

  const state = within + [...document.querySelectorAll(within)].map(stateOf).join("");
  if (passed.has(state)) return [];
  const { violations } = await axe.run(within, {
    iframes: false,
    preload: false,
    resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: false } },
  });
  if (violations.length === 0) passed.add(state);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary));
}`;
