import { clsx } from "clsx";
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import { strings } from "../strings.ts";
import { Button, type ButtonVariant } from "./button.tsx";
import { Dialog, DialogButton } from "./dialog.tsx";
import { Field } from "./field.tsx";
import layout from "./layout.module.css";
import { ErrorNotice } from "./notice.tsx";
import styles from "./read-only.module.css";
import { showToast } from "./toast.tsx";

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
    return () => form?.removeEventListener("keydown", onKeyDown);
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
export function FormDialog(
  props: FormContentProps & { readonly title: string; readonly lead?: string; readonly onClose: () => void },
): ReactElement {
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
  readonly variant?: ButtonVariant;
  readonly request: RequestState;
  readonly canSubmit?: boolean;
  readonly onSubmit: () => void;
  /** Cancels; absent for a form that is not in a dialog. */
  readonly onClose?: () => void;
  /** Buttons behind the one that submits. */
  readonly buttons?: ReactNode;
  readonly children?: ReactNode;
}

/** Content of a form: fields, the error of the request, and the button that submits, which is primary in a dialog. */
export function FormContent(props: FormContentProps): ReactElement {
  const { label, request, canSubmit = true, onSubmit, onClose, buttons, children } = props;
  const { variant = onClose === undefined ? "plain" : "primary" } = props;
  return (
    <Form className={layout.stack} onSubmit={onSubmit}>
      {children}
      {request.error !== null && <ErrorNotice error={request.error} />}
      <div className={layout.row}>
        <Button variant={variant} type="submit" disabled={request.isPending || !canSubmit}>
          {label}
        </Button>
        {buttons}
        {onClose !== undefined && <Button onClick={onClose}>{strings.cancel}</Button>}
      </div>
    </Form>
  );
}

/** Returns options of a mutation that calls `onClose` and shows a toast when it succeeds; the text may name its result. */
export function whenDone<Result>(
  text: string | ((result: Result) => string),
  onClose?: () => void,
): { readonly onSuccess: (result: Result) => void } {
  return {
    onSuccess: (result) => {
      onClose?.();
      showToast({ text: typeof text === "string" ? text : text(result) });
    },
  };
}

interface ConfirmDialogProps<Input> {
  readonly title: string;
  readonly lead: string;
  readonly label: string;
  readonly typed?: string;
  readonly action: {
    readonly error: Error | null;
    readonly mutate: (input: Input, options: { readonly onSuccess: () => void }) => void;
  };
  readonly input: NoInfer<Input>;
  readonly done?: string | (() => void);
  readonly onClose: () => void;
}

/**
 * Dialog that confirms an irreversible action, and closes when it is done. With `typed`, that text must be entered first; a
 * text as `done` is shown then, a function called.
 */
export function ConfirmDialog<Input>(props: ConfirmDialogProps<Input>): ReactElement {
  const { title, lead, label, typed, action, input, done, onClose } = props;
  const [text, setText] = useState("");
  const onSuccess = (): void => {
    onClose();
    if (typeof done === "string") showToast({ text: done });
    else done?.();
  };
  return (
    <FormDialog
      title={title}
      lead={lead}
      label={label}
      variant="dangerPrimary"
      request={{ error: action.error, isPending: false }}
      canSubmit={typed === undefined || text === typed}
      onSubmit={() => action.mutate(input, { onSuccess })}
      onClose={onClose}
    >
      {typed !== undefined && <Field label={strings.sure(typed)} value={text} onChange={setText} />}
    </FormDialog>
  );
}

/** Button that opens a {@link ConfirmDialog}; its label is that of the action or `opener`. */
export function ConfirmButton<Input>(
  props: Omit<ConfirmDialogProps<Input>, "onClose"> & {
    readonly opener?: string;
    readonly variant?: ButtonVariant;
    readonly action: { readonly reset: () => void };
  },
): ReactElement {
  const { opener = props.label, variant = "danger", ...dialog } = props;
  return (
    <DialogButton label={opener} variant={variant}>
      {(close) => (
        <ConfirmDialog
          {...dialog}
          onClose={() => {
            // The dialog is opened again without the error of a former attempt.
            dialog.action.reset();
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

/** A text, and beside it the control of what it explains. */
export function ActionRow({ lead, children }: { readonly lead: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      <p className={clsx(layout.soft, layout.fill)}>{lead}</p>
      {children}
    </div>
  );
}

/** Forms that can be changed or, with `isReadOnly`, only read: their fields are disabled, and their buttons hidden. */
export function ReadOnly(props: { readonly isReadOnly: boolean; readonly children: ReactNode }): ReactElement {
  return (
    <fieldset className={styles.forms} disabled={props.isReadOnly}>
      {props.children}
    </fieldset>
  );
}

/** Parses a limit in units, at least `least`; returns null for an empty text and undefined for an invalid one. */
export function parseLimit(text: string, unit: number, least = 1): number | null | undefined {
  if (text.trim() === "") return null;
  const limit = Math.round(Number(text) * unit);
  return Number.isSafeInteger(limit) && limit >= least ? limit : undefined;
}
