import { useState, type ReactElement } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";
import layout from "./layout.module.css";
import { showToast } from "./toast.tsx";

/**
 * Dialog that confirms an irreversible action, and closes when it is done. With `typed`, that text must be entered first; a
 * text as `done` is shown then, a function called.
 */
export function ConfirmDialog<Input>(props: {
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
}): ReactElement {
  const { title, lead, label, typed, action, input, done, onClose } = props;
  const [text, setText] = useState("");
  const onSuccess = (): void => {
    onClose();
    if (typeof done === "string") showToast({ text: done });
    else done?.();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        className={layout.stack}
        onSubmit={() => {
          action.mutate(input, { onSuccess });
        }}
      >
        <p className={layout.soft}>{lead}</p>
        {typed !== undefined && <Field label={strings.sure(typed)} value={text} onChange={setText} />}
        {action.error !== null && <ErrorNotice error={action.error} />}
        <div className={layout.row}>
          <Button variant="dangerPrimary" type="submit" disabled={typed !== undefined && text !== typed}>
            {label}
          </Button>
          <Button onClick={onClose}>{strings.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
