import type { ReactElement } from "react";
import { Button } from "../shared/button.tsx";
import { CopyButton } from "../shared/copy.tsx";
import errorNoticeStyles from "../shared/error-notice.module.css";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";

/** The secret of a new key, shown once. */
export function NewSecret({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <>
      <p className={layout.soft}>{strings.keys.shownOnce}</p>
      <div className={errorNoticeStyles.notice}>
        <code className={layout.anywhere}>{secret}</code>
        <CopyButton text={secret} name={strings.signIn.key} />
      </div>
      <div>
        <Button variant="primary" onClick={onClose}>
          {strings.keys.done}
        </Button>
      </div>
    </>
  );
}
