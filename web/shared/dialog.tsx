import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactElement, type ReactNode } from "react";
import { strings } from "../strings.ts";

/** A question in front of the page; keeps the keyboard inside, beginning with its first field, and Escape closes it. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  /** Takes as much room as there is. */
  readonly isLarge?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { title, onClose, isLarge = false, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    ref.current?.showModal();
    ref.current?.querySelector<HTMLElement>("form input, form select, form textarea")?.focus();
  }, []);
  return (
    <dialog ref={ref} className={isLarge ? "dialog large" : "dialog"} aria-labelledby={titleId} onClose={onClose}>
      <div className="stack">
        <div className="row">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button push" aria-label={strings.close} onClick={onClose}>
            <X size={16} aria-hidden />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
