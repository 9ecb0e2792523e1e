import type { ReactElement } from "react";
import { CopyButton } from "../shared/copy.tsx";
import { strings } from "../strings.ts";

/** A secret that is shown this once. */
export function NewSecret({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <>
      <p className="soft">{strings.keys.shownOnce}</p>
      <div className="notice">
        <code style={{ overflowWrap: "anywhere" }}>{secret}</code>
        <CopyButton text={secret} name={strings.signIn.key} />
      </div>
      <div>
        <button type="button" className="button primary" onClick={onClose}>
          {strings.keys.done}
        </button>
      </div>
    </>
  );
}
