/** Area in which the HTML of an email is shown, at its own size or fitted to the width of the area. */
import { Shrink } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactElement, type RefObject } from "react";
import { IconButton } from "../../shared/icon-button.tsx";
import { strings } from "../../strings.ts";
import type { Message } from "../../wire.ts";
import { fixedWidthOf } from "./fixed-width.ts";
import styles from "./html-view.module.css";
import { useFrameFocus } from "./use-frame-focus.ts";

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
    onToggle: () => {
      setFitted(!isFitted);
    },
    scale: isFitted ? Math.min(1, share) : 1,
  };
}

/** Button that fits an email to the stage; nothing for one that is not too wide. */
export function FitButton({ fit }: { readonly fit: Fit }): ReactElement | null {
  if (!fit.isTooWide) return null;
  return <IconButton name={strings.html.fit} icon={Shrink} aria-pressed={fit.isFitted} onClick={fit.onToggle} />;
}

/** Returns the width of an element in CSS pixels, and of a later size; 0 before it is known. */
function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (ref.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      setWidth(entry?.contentRect.width ?? 0);
    });
    observer.observe(ref.current);
    return () => {
      observer.disconnect();
    };
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
