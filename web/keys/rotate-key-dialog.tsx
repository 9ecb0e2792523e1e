import { useState, type ReactElement } from "react";
import { useRotateKey } from "../api/keys.ts";
import { Dialog } from "../shared/dialog.tsx";
import { SelectField } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Key } from "../wire.ts";
import { NewSecret } from "./new-secret.tsx";

/** Asks when the present secret shall end, rotates the key, and shows the new secret this once. */
export function RotateKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onClose: () => void;
}): ReactElement {
  const words = strings.keys;
  const [end, setEnd] = useState("day");
  const rotate = useRotateKey(apiKey.id);
  return (
    <Dialog title={words.rotateTitle(apiKey.name || words.nameless)} onClose={onClose}>
      {rotate.data === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            rotate.mutate(end === "now");
          }}
        >
          <p className="soft">{words.rotateLead}</p>
          <SelectField
            label={words.rotateEnd}
            value={end}
            options={Object.entries(words.rotateEnds)}
            onChange={setEnd}
          />
          {rotate.error !== null && <ErrorNotice error={rotate.error} />}
          <div className="row">
            <button type="submit" className="button primary" disabled={rotate.isPending}>
              {words.rotate}
            </button>
          </div>
        </form>
      ) : (
        <NewSecret secret={rotate.data.key} onClose={onClose} />
      )}
    </Dialog>
  );
}
