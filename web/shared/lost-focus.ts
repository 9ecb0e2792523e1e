/**
 * The focus when the element that had it leaves the page: a link that opens another page, a button that its use removes, the row
 * of a table. The nearest area around it that can have the focus gets it, such as the dialog or the content of the page.
 */

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

/** The element that has the focus, and its ancestors from the nearest on; empty after the user has left it. */
let focusedPath: readonly HTMLElement[] = [];
addEventListener(
  "focusin",
  ({ target }) => {
    focusedPath = target instanceof HTMLElement ? pathOf(target) : [];
  },
  { capture: true },
);
addEventListener(
  "focusout",
  ({ target }) => {
    // Some browsers report an element that is removed too, while it is still there.
    queueMicrotask(() => {
      if (!(target instanceof HTMLElement) || target !== focusedPath[0] || document.activeElement !== document.body)
        return;
      // A button that its use disables, until the response removes it, has not been left.
      if (target.isConnected && !target.matches(":disabled")) focusedPath = [];
    });
  },
  { capture: true },
);
new MutationObserver(() => {
  const [focused, ...ancestors] = focusedPath;
  if (focused === undefined || focused.isConnected || document.activeElement !== document.body) return;
  focusedPath = [];
  const nearest = ancestors.find((ancestor) => ancestor.isConnected && ancestor.hasAttribute("tabindex"));
  if (nearest === undefined) focusContent();
  else focusQuietly(nearest);
}).observe(document, { childList: true, subtree: true });

function pathOf(element: HTMLElement): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let at: HTMLElement | null = element; at !== null; at = at.parentElement) path.push(at);
  return path;
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
