import { clsx } from "clsx";
import { MailPlus } from "lucide-react";
import type { ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useCompose } from "../api/sending.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import type { EmailFields } from "../wire.ts";

/** Adds a sample to a server: the quickest way to a first email. Nothing for a key that may not send. */
export function SampleButton({ server }: { readonly server: string }): ReactElement | null {
  const { canSend } = usePermissions();
  const { mutate, error, isPending } = useCompose(server);
  const labels = pageStrings.first;
  if (!canSend) return null;
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

const text = `Hello,

your sign-in code is 482913.

Or sign in with this link: https://example.com/sign-in?token=sample

Your receipt is attached.
`;
const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your sign-in code</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;color:#1f2328;background:#ffffff">
<h1 style="font-size:22px">Sign in to Example</h1>
<p>Your sign-in code is</p>
<p style="font-size:28px;font-weight:700;letter-spacing:4px">482913</p>
<p><a href="https://example.com/sign-in?token=sample" style="color:#1d4f91">Or sign in with this link</a></p>
<p>Your receipt is attached.</p>
</body></html>`;

/** The fields of the sample. */
const sampleEmail: EmailFields = {
  subject: "Your sign-in code: 482913",
  text,
  html,
  attachments: [{ fileName: "receipt.csv", contentType: "text/csv", content: btoa("item,price\nSample,0.00\n") }],
};
