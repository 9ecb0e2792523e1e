import { useEffect, useRef, type ReactElement, type ReactNode } from "react";
import { strings } from "../strings.ts";
import { ErrorNotice } from "./error-notice.tsx";

/** A form that the page handles itself; Ctrl (or ⌘) and Enter submit it from anywhere within, also from longer texts. */
export function Form(props: {
  readonly className: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { className, onSubmit, children } = props;
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const form = ref.current;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form?.requestSubmit();
    };
    form?.addEventListener("keydown", onKeyDown);
    return () => {
      form?.removeEventListener("keydown", onKeyDown);
    };
  }, []);
  return (
    <form
      ref={ref}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** The end of a dialog's form: what went wrong, the button that submits, and the way out. */
export function FormActions(props: {
  readonly label: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const { label, error, isPending, onClose } = props;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={isPending}>
          {label}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {strings.cancel}
        </button>
      </div>
    </>
  );
}
