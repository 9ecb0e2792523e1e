/** Area in which the HTML of an email is shown, at its own size or fitted to the width of the area. */
import { Shrink } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactElement, type RefObject } from "react";
import { IconButton } from "../../shared/button.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import styles from "./html-view.module.css";

/** State of fitting an email to the width of its stage. */
export interface Fit {
  readonly isTooWide: boolean;
  readonly isFitted: boolean;
  readonly onToggle: () => void;
  /** Share of its size that the email is shown at, at most 1. */
  readonly scale: number;
}

/** Returns the fit of an email to a stage; with `isFullWidth` false, it has a width that was chosen. */
export function useFit(message: Message, stageRef: RefObject<HTMLDivElement | null>, isFullWidth: boolean): Fit {
  const fixedWidth = useMemo(() => fixedWidthOf(message.html.body ?? ""), [message]);
  const stageWidth = useWidth(stageRef);
  const [isFitted, setFitted] = useState(true);
  const share = fixedWidth === null || stageWidth === 0 || !isFullWidth ? 1 : stageWidth / fixedWidth;
  return {
    isTooWide: share < 1,
    isFitted,
    onToggle: () => setFitted(!isFitted),
    scale: isFitted ? Math.min(1, share) : 1,
  };
}

/** Button that fits an email to the stage; nothing for one that is not too wide. */
export function FitButton({ fit }: { readonly fit: Fit }): ReactElement | null {
  if (!fit.isTooWide) return null;
  return <IconButton name={pageStrings.html.fit} icon={Shrink} aria-pressed={fit.isFitted} onClick={fit.onToggle} />;
}

/** Returns the width of an element in CSS pixels, and of a later size; 0 before it is known. */
function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (ref.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/** Keys typed into fields of the email are not shortcuts. */
const formFields = /<(?:input|textarea|select)\b/i;

/** The stage with the frame of an email. */
export function Stage(props: {
  readonly stageRef: RefObject<HTMLDivElement | null>;
  readonly width: string;
  readonly isDark: boolean;
  readonly scale: number;
  readonly html: string;
  readonly children: ReactElement;
}): ReactElement {
  const { stageRef, width, isDark, html, scale, children } = props;
  const noRef = useRef<HTMLDivElement>(null);
  useFrameFocus(formFields.test(html) ? noRef : stageRef);
  const size = `${100 / scale}%`;
  return (
    <div ref={stageRef} tabIndex={-1} className={styles.stage} data-width={width} data-dark={isDark}>
      <div className={styles.fitted} style={scale === 1 ? {} : { width: size, height: size, scale: String(scale) }}>
        {children}
      </div>
    </div>
  );
}

/** Widths that declare a layout: attributes and declarations, in CSS pixels; not those of media queries. */
const widths = /(?<![\w-])(?:min-)?width\s{0,9}[=:]\s{0,9}["']?(\d{3,4})(?:px)?(?![\d%])/gi;
/** Signs of a layout that follows the width of the window. */
const responsive = /@media[^{]{0,200}max-(?:device-)?width/i;
/** Wider elements are images and spacers rather than the layout. */
const widthMax = 1200;
/** Left and right margin that browsers give a page. */
const marginsWidth = 16;
/** Text that is searched, in characters. */
const searchedLengthMax = 200_000;

/** Returns the width that a fixed layout of an email needs with its margins, in CSS pixels; null for one that follows the window. */
export function fixedWidthOf(html: string): number | null {
  const searched = html.slice(0, searchedLengthMax);
  if (responsive.test(searched)) return null;
  let found = 0;
  for (const [, digits = "0"] of searched.matchAll(widths)) {
    const width = Number(digits);
    if (width <= widthMax) found = Math.max(found, width);
  }
  return found === 0 ? null : found + marginsWidth;
}

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
