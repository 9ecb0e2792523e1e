import type { ReactElement, ReactNode } from "react";
import type { Target } from "../api/callbacks.ts";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { SecretDialog } from "../shared/secret-dialog.tsx";
import { pageStrings } from "../page-strings.ts";

/** Returns whether a saved target has a secret or a key to show. */
export function hasSecret(target: Target): boolean {
  return target.secret !== null || publicKeyOf(target) !== null;
}

/** A dialog that shows its children and, once there is one, the new secret of a target, or its public key. */
export function TargetSecretDialog(props: {
  readonly title: string;
  readonly target: Target | undefined;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}): ReactElement {
  const { title, target, onClose, children } = props;
  const labels = pageStrings.webhooks;
  const publicKey = target === undefined ? null : publicKeyOf(target);
  return (
    <SecretDialog
      title={title}
      lead={labels.secretLead}
      name={labels.secretTitle}
      secret={target?.secret}
      onClose={onClose}
    >
      {children}
      {publicKey !== null && (
        <>
          <p className={layout.soft}>{labels.publicKeyLead}</p>
          <CodeBox file={labels.publicKey} code={publicKey} />
        </>
      )}
    </SecretDialog>
  );
}

function publicKeyOf(target: Target): string | null {
  return "publicKey" in target ? target.publicKey : null;
}
