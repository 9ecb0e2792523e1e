import { useState, type ReactElement } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { Field } from "./field.tsx";
import layout from "./layout.module.css";

/** Dialog that confirms an irreversible action. With `typed`, that text must be entered first. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly lead: string;
  readonly label: string;
  readonly typed?: string;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { title, lead, label, typed, error, onConfirm, onClose } = props;
  const [text, setText] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <p className={layout.soft}>{lead}</p>
        {typed !== undefined && (
          <Field
            label={strings.sure(typed)}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
            }}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        <div className={layout.row}>
          <Button variant="dangerPrimary" type="submit" disabled={typed !== undefined && text !== typed}>
            {label}
          </Button>
          <Button onClick={onClose}>{strings.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
