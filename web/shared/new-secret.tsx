import type { ReactElement } from "react";
import { pageStrings } from "../page-strings.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import errorNoticeStyles from "./error-notice.module.css";
import layout from "./layout.module.css";

/** A new secret, shown once, with the sentence that says so. */
export function NewSecret(props: {
  readonly lead: string;
  /** Name of the secret, for the copy button. */
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
}): ReactElement {
  const { lead, name, secret, onClose } = props;
  return (
    <>
      <p className={layout.soft}>{lead}</p>
      <div className={errorNoticeStyles.notice}>
        <code className={layout.anywhere}>{secret}</code>
        <CopyButton text={secret} name={name} />
      </div>
      <div>
        <Button variant="primary" onClick={onClose}>
          {pageStrings.keys.done}
        </Button>
      </div>
    </>
  );
}
