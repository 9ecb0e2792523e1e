/** The contrast rule of axe-core, run once for each combination of colours instead of once for each text at each width. */
import type { Page } from "playwright-core";

/**
 * Returns the texts of a page, or of the elements that `within` selects, whose contrast axe-core finds too low. Texts are left
 * out when the rule has already passed, since the page was loaded, for a text of the same colour, size and weight before the
 * same colours, or could not decide on the same text before them: the rule takes more than half of the time of axe-core.
 */
export async function lowContrasts(page: Page, within = "html"): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(${lowContrastsIn})(${JSON.stringify(within)})`);
}

/** A function of the page. */
const lowContrastsIn = `async (within) => {
  const { passed, undecided } = (globalThis.checkedContrasts ??= { passed: new Set(), undecided: new WeakMap() });
  const grounds = new Map();
  const hasText = (element) =>
    element.matches("input, select, textarea") ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");

  // What an element draws behind its content, or does to it, after the same of its ancestors.
  const groundOf = (element) => {
    if (element === null) return "";
    const known = grounds.get(element);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(element);
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(" ");
    const ground = groundOf(element.parentElement) + (own === "rgba(0, 0, 0, 0) none 1 none normal" ? "" : "/" + own);
    grounds.set(element, ground);
    return ground;
  };
  const combinationOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const { left, top, width, height } = element.getBoundingClientRect();
    const others = document.elementsFromPoint(left + width / 2, top + height / 2).filter((other) => !other.contains(element));
    return [color, fontSize, fontWeight, textShadow, ...[element, ...others].map(groundOf)].join("|");
  };

  const found = new Map();
  for (const root of document.querySelectorAll(within))
    for (const element of [root, ...root.querySelectorAll("*")]) {
      if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const combination = combinationOf(element);
      if (!passed.has(combination) && !undecided.get(element)?.has(combination)) found.set(element, combination);
    }
  if (found.size === 0) return [];
  const { passes, violations } = await axe.run([...found.keys()], {
    runOnly: ["color-contrast"],
    resultTypes: ["passes", "violations"],
    elementRef: true,
    iframes: false,
    preload: false,
  });
  const elementsOf = (results) => new Set(results.flatMap(({ nodes }) => nodes.map(({ element }) => element)));
  const [good, bad] = [elementsOf(passes), elementsOf(violations)];
  for (const [element, combination] of found) {
    if (good.has(element)) passed.add(combination);
    else if (!bad.has(element)) undecided.set(element, (undecided.get(element) ?? new Set()).add(combination));
  }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary));
}`;
