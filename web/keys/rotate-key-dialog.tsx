import { useState, type ReactElement } from "react";
import { useRotateKey } from "../api/keys.ts";
import { Button } from "../shared/button.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Key } from "../wire.ts";
import { NewSecret } from "../shared/new-secret.tsx";

/** Dialog that rotates a key and shows its new secret once. */
export function RotateKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onClose: () => void;
}): ReactElement {
  const labels = pageStrings.keys;
  const [expiry, setExpiry] = useState("day");
  const rotate = useRotateKey(apiKey.id);
  return (
    <Dialog title={labels.rotateTitle(apiKey.name || labels.nameless)} onClose={onClose}>
      {rotate.data === undefined ? (
        <form
          className={layout.stack}
          onSubmit={(event) => {
            event.preventDefault();
            rotate.mutate(expiry === "now");
          }}
        >
          <p className={layout.soft}>{labels.rotateLead}</p>
          <SelectField
            label={labels.rotateEnd}
            value={expiry}
            options={Object.entries(labels.rotateEnds)}
            onChange={setExpiry}
          />
          {rotate.error !== null && <ErrorNotice error={rotate.error} />}
          <div className={layout.row}>
            <Button variant="primary" type="submit" disabled={rotate.isPending}>
              {labels.rotate}
            </Button>
          </div>
        </form>
      ) : (
        <NewSecret
          lead={pageStrings.keys.shownOnce}
          name={strings.signIn.key}
          secret={rotate.data.key}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
