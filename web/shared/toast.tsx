/** Short messages about what was done. Their code is loaded with the first one. */
import type { ReactElement } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { errorText } from "./format.ts";
import { lazyPart } from "./lazy-component.ts";

/** A short message at the bottom of the page; `action` is offered while it is shown. */
export interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly durationMs?: number;
}

/** Shows a toast in the region; returns a function that hides it. */
type AddToast = (toast: Toast) => () => void;

const ToastRegion = lazyPart(async () => (await import("./toast-region.tsx")).ToastRegion);
const isNeeded = createStore(() => false);
/** Toasts that wait for the region. */
const waiting: { readonly toast: Toast; isHidden: boolean; hide: () => void }[] = [];
let region: AddToast | null = null;

/** Shows a toast; returns a function that hides it. */
export function showToast(toast: Toast): () => void {
  if (region !== null) return region(toast);
  const entry = { toast, isHidden: false, hide: (): void => undefined };
  waiting.push(entry);
  isNeeded.setState(true, true);
  return () => {
    entry.isHidden = true;
    entry.hide();
  };
}

/** Shows a toast with the message of an error. */
export function showError(error: unknown): void {
  showToast({ text: errorText(error) });
}

/** Connects the region that is on the page, and shows the toasts that waited for it; null when it leaves the page. */
export function connectRegion(add: AddToast | null): void {
  region = add;
  if (add === null) return;
  for (const entry of waiting.splice(0)) if (!entry.isHidden) entry.hide = add(entry.toast);
}

/** The region that shows all toasts. */
export function Toasts(): ReactElement | null {
  if (!useStore(isNeeded)) return null;
  return <ToastRegion />;
}
