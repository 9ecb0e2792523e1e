import { useEffect, useState } from "react";

/** Returns a value once it has been the same for `ms` milliseconds, and the one before until then; at first the value itself. */
export function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (settled === value) return undefined;
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [settled, value, ms]);
  return settled;
}
