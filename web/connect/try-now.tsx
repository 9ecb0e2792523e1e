import { clsx } from "clsx";
import { MailPlus } from "lucide-react";
import type { ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useCompose } from "../api/sending.ts";
import { Button } from "../shared/button.tsx";
import { CodeBox } from "../shared/code-box.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Session } from "../wire.ts";
import { sampleEmail } from "./sample-email.ts";
import { curlSnippet } from "./sending-snippets.ts";

/** The quickest ways to a first email: a sample, and a command. A key that may not send has no button for the sample. */
export function TryNow({ session, server }: { readonly session: Session; readonly server: string }): ReactElement {
  const { canSend } = usePermissions();
  const { smtp, mailDomain } = session;
  const labels = pageStrings.first;
  return (
    <>
      {canSend && <SampleButton server={server} />}
      {smtp !== null && (
        <div className={clsx(layout.stack, layout.tight)}>
          <p className={layout.soft}>{canSend ? labels.orCommand : labels.command}</p>
          <CodeBox
            file={labels.terminal}
            code={curlSnippet({ ...smtp, address: `anyone@${server}.${mailDomain}` }).code}
          />
        </div>
      )}
    </>
  );
}

function SampleButton({ server }: { readonly server: string }): ReactElement {
  const { mutate, error, isPending } = useCompose(server);
  const labels = pageStrings.first;
  return (
    <>
      <div className={clsx(layout.row, layout.wrap)}>
        <Button
          variant="primary"
          disabled={isPending}
          onClick={() => {
            mutate(sampleEmail, { onSuccess: () => showToast({ text: labels.sampleSent }) });
          }}
        >
          <MailPlus size={15} aria-hidden />
          {labels.sample}
        </Button>
        <p className={clsx(layout.soft, layout.fill)}>{labels.sampleHint}</p>
      </div>
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}
