import { Toast as BaseToast } from "@base-ui/react/toast";
import { useEffect, type ReactElement } from "react";
import { strings } from "../strings.ts";
import styles from "./toast.module.css";
import { connectRegion, type Toast } from "./toast.tsx";

const defaultMs = 4000;
const toastsMax = 5;
const manager = BaseToast.createToastManager();

function addToast({ text, action, durationMs = defaultMs }: Toast): () => void {
  const id = manager.add({
    title: text,
    timeout: durationMs,
    ...(action !== undefined && { actionProps: { children: action.label, onClick: action.run } }),
  });
  return () => manager.close(id);
}

/** The region that shows all toasts. */
export function ToastRegion(): ReactElement {
  useEffect(() => {
    connectRegion(addToast);
    return () => connectRegion(null);
  }, []);
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
