import { Toast as BaseToast } from "@base-ui/react/toast";
import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import styles from "./toast.module.css";

/** A short message at the bottom of the page; `action` is offered while it is shown. */
export interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly durationMs?: number;
}

const defaultMs = 4000;
const toastsMax = 5;
const manager = BaseToast.createToastManager();

/** Shows a toast; returns a function that hides it. */
export function showToast({ text, action, durationMs = defaultMs }: Toast): () => void {
  const id = manager.add({
    title: text,
    timeout: durationMs,
    ...(action !== undefined && { actionProps: { children: action.label, onClick: action.run } }),
  });
  return () => {
    manager.close(id);
  };
}

/** The region that shows all toasts. */
export function Toasts(): ReactElement {
  return (
    <BaseToast.Provider toastManager={manager} limit={toastsMax}>
      <BaseToast.Portal>
        <BaseToast.Viewport className={styles.toasts} aria-label={strings.notifications}>
          <ToastList />
        </BaseToast.Viewport>
      </BaseToast.Portal>
    </BaseToast.Provider>
  );
}

function ToastList(): readonly ReactElement[] {
  const { toasts } = BaseToast.useToastManager();
  // The library's role is a dialog that is not modal; a group does not count as an open dialog for shortcuts and tests.
  return toasts.map((toast) => (
    <BaseToast.Root key={toast.id} toast={toast} className={styles.toast} role="group" aria-modal={undefined}>
      <BaseToast.Title render={<span />} />
      <BaseToast.Action className={styles.action} />
    </BaseToast.Root>
  ));
}
