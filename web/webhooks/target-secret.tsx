import type { ReactElement } from "react";
import type { Target } from "../api/callbacks.ts";
import { Button } from "../shared/button.tsx";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { NewSecret } from "../shared/new-secret.tsx";
import { pageStrings } from "../page-strings.ts";

/** Returns whether a saved target has a secret or a key to show. */
export function hasSecret(target: Target): boolean {
  return target.secret !== null || publicKeyOf(target) !== null;
}

/** The new secret of a target, shown once, or its public key. */
export function TargetSecret(props: { readonly target: Target; readonly onClose: () => void }): ReactElement {
  const { target, onClose } = props;
  const labels = pageStrings.webhooks;
  const publicKey = publicKeyOf(target);
  return (
    <>
      {publicKey !== null && (
        <>
          <p className={layout.soft}>{labels.publicKeyLead}</p>
          <CodeBox file={labels.publicKey} code={publicKey} />
        </>
      )}
      {target.secret === null ? (
        <div>
          <Button variant="primary" onClick={onClose}>
            {pageStrings.keys.done}
          </Button>
        </div>
      ) : (
        <NewSecret lead={labels.secretLead} name={labels.secretTitle} secret={target.secret} onClose={onClose} />
      )}
    </>
  );
}

function publicKeyOf(target: Target): string | null {
  return "publicKey" in target ? target.publicKey : null;
}
