import { useState, type ReactElement, type ReactNode } from "react";
import { pageStrings } from "../page-strings.ts";
import { Button } from "./button.tsx";
import { copyText, CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import errorNoticeStyles from "./error-notice.module.css";
import layout from "./layout.module.css";

/**
 * A dialog that shows its children and, once there is one, a secret that is shown nowhere else. An attempt to close it before
 * the secret was copied shows a warning; a second one closes it.
 */
export function SecretDialog(props: {
  readonly title: string;
  /** Sentence: the secret is shown once. */
  readonly lead: string;
  /** Name of the secret, for the copy button. */
  readonly name: string;
  /** `undefined` while there is none yet; null where there is none to show. */
  readonly secret: string | null | undefined;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}): ReactElement {
  const { title, lead, name, secret, onClose, children } = props;
  const labels = pageStrings.secrets;
  const [isCopied, setCopied] = useState(false);
  const [warning, setWarning] = useState<string | null>(null);
  const close = (): void => {
    if (secret == null || isCopied || warning !== null) onClose();
    else setWarning(labels.notCopied);
  };
  const copyAndClose = (text: string): void => {
    copyText(text).then(onClose, () => setWarning(labels.copyFailed));
  };
  return (
    <Dialog title={title} onClose={close}>
      {children}
      {secret === null && (
        <div>
          <PrimaryButton label={labels.done} onClick={onClose} />
        </div>
      )}
      {typeof secret === "string" && (
        <>
          <p className={layout.soft}>{lead}</p>
          <Secret name={name} secret={secret} onCopied={() => setCopied(true)} />
          {warning !== null && (
            <p className={layout.bad} role="alert">
              {warning}
            </p>
          )}
          <div>
            <PrimaryButton label={labels.copyAndClose} onClick={() => copyAndClose(secret)} />
          </div>
        </>
      )}
    </Dialog>
  );
}

function PrimaryButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactElement {
  return (
    <Button variant="primary" onClick={onClick}>
      {label}
    </Button>
  );
}

function Secret(props: {
  readonly name: string;
  readonly secret: string;
  readonly onCopied: () => void;
}): ReactElement {
  const { name, secret, onCopied } = props;
  return (
    <div className={errorNoticeStyles.notice} onCopy={onCopied}>
      <code className={layout.anywhere}>{secret}</code>
      <CopyButton text={secret} name={name} onCopied={onCopied} />
    </div>
  );
}
