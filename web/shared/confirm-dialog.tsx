import { useState, type ReactElement } from "react";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { strings } from "../strings.ts";

/** A question before something that cannot be undone. With `typed`, that text must be typed first. */
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
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <p className="soft">{lead}</p>
        {typed !== undefined && (
          <Field
            label={strings.settings.sure(typed)}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
            }}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        <div className="row">
          <button type="submit" className="button danger primary" disabled={typed !== undefined && text !== typed}>
            {label}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {strings.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
