import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { clsx } from "clsx";
import { type LucideIcon, X } from "lucide-react";
import { type ReactElement, type ReactNode, useRef, useState } from "react";
import { strings } from "../strings.ts";
import { Button, type ButtonVariant, IconButton } from "./button.tsx";
import styles from "./dialog.module.css";
import layout from "./layout.module.css";
import { contentId, focusContent, isFocusLost } from "./lost-focus.ts";

/** A modal dialog. The focus starts in the first field of its form and returns to the opener; Escape closes it. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether the dialog is as wide as the page. */
  readonly isLarge?: boolean;
  /** Whether the dialog is a panel at the end of the screen, as high as the screen. */
  readonly isDrawer?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { title, onClose, isLarge = false, isDrawer = false, children } = props;
  const ref = useRef<HTMLDivElement>(null);
  const [returnFocus] = useState(focusReturn);
  return (
    <BaseDialog.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup
          ref={ref}
          className={clsx(styles.dialog, isLarge && styles.large, isDrawer && styles.drawer)}
          initialFocus={() => ref.current?.querySelector<HTMLElement>("form :is(input, select, textarea)") ?? true}
          finalFocus={returnFocus}
        >
          <div className={layout.stack}>
            <div className={layout.row}>
              <BaseDialog.Title>{title}</BaseDialog.Title>
              <BaseDialog.Close render={<IconButton name={strings.close} icon={X} className={layout.push} />} />
            </div>
            {children}
          </div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/**
 * Returns a function that returns the focus to the element that has it now, and `true` when the library is to do so: after a menu
 * or another dialog, which have closed. The library gives the focus of an area such as an open message to the first control
 * within, which may be the search box, where the next shortcut would be typed.
 */
function focusReturn(): () => boolean {
  const opener = document.activeElement;
  if (opener?.closest("[role=menu], [role=dialog]") != null) return () => true;
  return () => {
    queueMicrotask(() => {
      // Closing may have opened another page or dialog, which has the focus.
      if (!isFocusLost()) return;
      if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected && opener.id !== contentId) {
        opener.focus({ preventScroll: true });
      } else focusContent();
    });
    return false;
  };
}

/** A button that opens a dialog: `children` renders it with the function that closes it. */
export function DialogButton(props: {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly variant?: ButtonVariant;
  readonly children: (close: () => void) => ReactElement;
}): ReactElement {
  const { label, icon: Icon, variant = "plain", children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} onClick={() => setOpen(true)}>
        {Icon !== undefined && <Icon size={15} aria-hidden />}
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
