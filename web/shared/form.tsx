import { useEffect, useRef, type ReactElement, type ReactNode } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import layout from "./layout.module.css";

/** A form handled by the page; Ctrl (or ⌘) + Enter submits it from any of its fields. */
export function Form(props: {
  readonly className?: string | undefined;
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

/** End of the form of a dialog: error, submit button and cancel button. */
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
      <div className={layout.row}>
        <Button variant="primary" type="submit" disabled={isPending}>
          {label}
        </Button>
        <Button onClick={onClose}>{strings.cancel}</Button>
      </div>
    </>
  );
}
