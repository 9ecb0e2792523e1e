/** The focus when the element that had it leaves the page, as a link does that opens another page. */

/** Id of the element with the content of a page. */
export const contentId = "content";

/** Returns whether no element has the focus but, at most, the content as a whole. */
export function isFocusLost(): boolean {
  const focused = document.activeElement;
  return focused === null || focused === document.body || focused.id === contentId;
}

let wasUsed = false;
for (const type of ["keydown", "pointerdown"])
  addEventListener(
    type,
    () => {
      wasUsed = true;
    },
    { capture: true, once: true },
  );

/**
 * Moves a lost focus to the content of a page that is shown, so that Tab continues there and arrow keys scroll it; a `ref`.
 * Does nothing before the first key or click: a page that is loaded keeps the start of the document.
 */
export function takeLostFocus(content: HTMLElement | null): void {
  if (content !== null && wasUsed && isFocusLost()) focusQuietly(content);
}

/** Moves the focus to the content of the page; for a control that disappears with its use. */
export function focusContent(): void {
  const content = document.getElementById(contentId);
  if (content !== null) focusQuietly(content);
}

/** Focuses without a ring around the whole content, which Tab alone shows. */
function focusQuietly(content: HTMLElement): void {
  content.dataset["quiet"] = "";
  content.addEventListener(
    "blur",
    () => {
      delete content.dataset["quiet"];
    },
    { once: true },
  );
  content.focus({ preventScroll: true });
}
