import { useEffect, useRef, type ReactElement, type ReactNode } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
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

/** State of the request that a form sends. */
export interface RequestState {
  readonly error: Error | null;
  readonly isPending: boolean;
}

/** A dialog with a form: an explanation, fields, the error of the request, submit and cancel. */
export function FormDialog(props: FormContentProps & { readonly title: string; readonly lead?: string }): ReactElement {
  const { title, lead, children, ...form } = props;
  return (
    <Dialog title={title} onClose={form.onClose}>
      <FormContent {...form}>
        {lead !== undefined && <p className={layout.soft}>{lead}</p>}
        {children}
      </FormContent>
    </Dialog>
  );
}

interface FormContentProps {
  /** Text of the button that submits. */
  readonly label: string;
  readonly request: RequestState;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Form of a dialog that has other content, too. */
export function FormContent({ label, request, onSubmit, onClose, children }: FormContentProps): ReactElement {
  return (
    <Form className={layout.stack} onSubmit={onSubmit}>
      {children}
      {request.error !== null && <ErrorNotice error={request.error} />}
      <div className={layout.row}>
        <Button variant="primary" type="submit" disabled={request.isPending}>
          {label}
        </Button>
        <Button onClick={onClose}>{strings.cancel}</Button>
      </div>
    </Form>
  );
}
