/** Short notes at the bottom of the page, some with a way back. */
import type { ReactElement } from "react";
import { createStore, useStore } from "./store.ts";

/** A note; `action` is offered while it is shown. */
export interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it is shown. */
  readonly durationMs?: number;
}

interface ShownToast extends Toast {
  readonly id: number;
}

const defaultMs = 4000;
const toasts = createStore<readonly ShownToast[]>([]);
let lastId = 0;

/** Shows a note; the answer takes it away early. */
export function showToast(toast: Toast): () => void {
  lastId += 1;
  const id = lastId;
  const hide = (): void => {
    toasts.set(toasts.get().filter((shown) => shown.id !== id));
  };
  toasts.set([...toasts.get(), { ...toast, id }]);
  window.setTimeout(hide, toast.durationMs ?? defaultMs);
  return hide;
}

/** Where the notes are shown. */
export function Toasts(): ReactElement {
  const shown = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, action }) => (
        <div key={id} className="toast">
          <span>{text}</span>
          {action !== undefined && (
            <button type="button" className="button" onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
