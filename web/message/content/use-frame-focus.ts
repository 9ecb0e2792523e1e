import { useEffect, type RefObject } from "react";

/** Keys that act on the content of the frame: modifiers of the browser's own shortcuts, for example copy, and scrolling. */
const frameKeys: ReadonlySet<string> = new Set(["Control", "Meta", "PageDown", "PageUp", " ", "Home", "End"]);
/** The frame has the focus for this time after such a key. */
const lentMs = 2000;

/**
 * Returns the focus from a frame to its stage when it was clicked. A frame without scripts reports no keys to the page, so the
 * page's shortcuts would stop. The frame gets the focus again for keys that act on its content, and keeps it when it is reached
 * by the Tab key.
 */
export function useFrameFocus(stageRef: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let isPointed = false;
    let isTabbed = false;
    let isLent = false;
    let timer = 0;
    const frameOf = (): HTMLIFrameElement | null => stageRef.current?.querySelector("iframe") ?? null;
    const takeBack = (): void => {
      if (document.activeElement === frameOf()) stageRef.current?.focus({ preventScroll: true });
    };
    const onPointer = ({ target }: Event): void => {
      isPointed = target === frameOf();
    };
    const onBlur = (): void => {
      // The frame becomes the active element after the event.
      setTimeout(() => {
        // With the mouse at rest over the frame, taking it back would keep the Tab key from ever passing the frame.
        if (isPointed && !isTabbed && !isLent) takeBack();
      });
    };
    const onKeyUp = (): void => {
      isTabbed = false;
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      isTabbed = key === "Tab";
      if (!frameKeys.has(key) || document.activeElement !== stageRef.current) return;
      isLent = true;
      frameOf()?.focus({ preventScroll: true });
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        isLent = false;
        takeBack();
      }, lentMs);
    };
    document.addEventListener("pointerover", onPointer);
    addEventListener("blur", onBlur);
    addEventListener("keydown", onKeyDown);
    addEventListener("keyup", onKeyUp);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", onPointer);
      removeEventListener("blur", onBlur);
      removeEventListener("keydown", onKeyDown);
      removeEventListener("keyup", onKeyUp);
    };
  }, [stageRef]);
}
