import { useEffect, useState, type RefObject } from "react";

/** Returns whether an element is at least `widthMin` CSS pixels wide. */
export function useIsWide(ref: RefObject<HTMLElement | null>, widthMin: number): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    if (ref.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWide(entry.contentRect.width >= widthMin);
    });
    observer.observe(ref.current);
    return () => {
      observer.disconnect();
    };
  }, [ref, widthMin]);
  return isWide;
}
