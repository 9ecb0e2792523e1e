import { useState, type ReactElement } from "react";
import { useCreateKey } from "../api/keys.ts";
import { CopyButton } from "../shared/copy.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { ProblemNote } from "../shared/problem.tsx";
import { strings } from "../strings.ts";

/** Asks for a name, makes the key, and shows it this once. */
export function CreateKey(props: { readonly server: string | null; readonly onClose: () => void }): ReactElement {
  const { server, onClose } = props;
  const [name, setName] = useState("");
  const create = useCreateKey(server);
  return (
    <Dialog title={strings.keys.create} onClose={onClose}>
      {create.data === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(name);
          }}
        >
          <Field
            label={strings.keys.name}
            maxLength={200}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
          {create.error !== null && <ProblemNote error={create.error} />}
          <div className="row">
            <button type="submit" className="button primary" disabled={create.isPending}>
              {strings.keys.submit}
            </button>
          </div>
        </form>
      ) : (
        <>
          <p className="soft">{strings.keys.shownOnce}</p>
          <div className="notice">
            <code style={{ overflowWrap: "anywhere" }}>{create.data.key}</code>
            <CopyButton text={create.data.key} name={strings.signIn.key} />
          </div>
          <div>
            <button type="button" className="button primary" onClick={onClose}>
              {strings.keys.done}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
