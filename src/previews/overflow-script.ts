/** Texts that stick out of their box, as a browser lays the mail out. */

/** Texts that are reported. */
const textCountMax = 50;
const textLengthMax = 200;

/**
 * Returns the script that finds them, in JavaScript; its result is an argument of {@link readOverflows}. A text overflows
 * when its box is narrower, or lower by more than half a line. Boxes that hide their text, such as preheaders, do not count.
 */
export function overflowScript(): string {
  return `(${String(findOverflows)})(${String(textCountMax)}, ${String(textLengthMax)})`;
}

/** Returns the texts in a result of the script; never throws for any value that the page returned. */
export function readOverflows(given: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [];
  return texts.filter((one) => typeof one === "string").map((text) => text.slice(0, textLengthMax).toWellFormed());
}

/** Element of a page, as far as the script uses it: this project has no types of browsers. */
interface PageElement {
  readonly childNodes: ArrayLike<{ readonly nodeType: number; readonly nodeValue: string | null }>;
  readonly textContent: string | null;
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly scrollWidth: number;
  readonly scrollHeight: number;
}

interface PageGlobals {
  readonly document: { readonly querySelectorAll: (selector: string) => ArrayLike<PageElement> };
  readonly getComputedStyle: (element: PageElement) => Readonly<Record<"fontSize" | "visibility" | "opacity", string>>;
}

/** Runs in the page, so it uses nothing from around it. */
function findOverflows(countMax: number, lengthMax: number): readonly string[] {
  const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
  const found: string[] = [];
  for (const element of Array.from(document.querySelectorAll("body *"))) {
    const isText = Array.from(element.childNodes).some(
      (node) => node.nodeType === 3 && /\S/.test(node.nodeValue ?? ""),
    );
    if (!isText || element.clientWidth <= 1 || element.clientHeight <= 1) continue;
    const { fontSize, visibility, opacity } = getComputedStyle(element);
    if (visibility === "hidden" || Number(opacity) === 0) continue;
    const isWide = element.scrollWidth > element.clientWidth + 2;
    const isHigh = element.scrollHeight > element.clientHeight + parseFloat(fontSize) / 2;
    if (isWide || isHigh) found.push((element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, lengthMax));
    if (found.length >= countMax) break;
  }
  return found;
}
