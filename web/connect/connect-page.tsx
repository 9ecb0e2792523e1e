import { clsx } from "clsx";
import { MailPlus } from "lucide-react";
import { type ReactElement, useMemo } from "react";
import { usePassword } from "../api/credentials.ts";
import { usePermissions } from "../api/permissions.ts";
import { useCompose } from "../api/sending.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { CodeBox } from "../shared/code-box.tsx";
import { SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice, PendingStatus } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import { useStoredChoice } from "../shared/stored-text.ts";
import { whenDone } from "../shared/form.tsx";
import type { EmailFields, Session } from "../wire.ts";
import styles from "./connect-page.module.css";
import { Credentials } from "./credentials.tsx";
import { readingSnippets } from "./reading-snippets.ts";
import { sendingSnippets } from "./sending-snippets.ts";
import type { Snippet } from "./snippet.ts";

interface ConnectProps {
  readonly session: Session;
  readonly server: string;
}

/** Connection settings of a server, ready to copy, and how to read it in tests. */
export function ConnectPage(props: ConnectProps): ReactElement {
  const { session, server } = props;
  const { url, mailDomain } = session;
  const reading = useMemo(
    () => readingSnippets({ url, server, domain: `${server}.${mailDomain}` }),
    [url, server, mailDomain],
  );
  const labels = pageStrings.connect;
  return (
    <Page title={labels.title}>
      <Panel className={layout.stack}>
        <Credentials {...props} />
        <SampleButton server={server} />
      </Panel>
      <SendingSettings {...props} />
      <section className={clsx(layout.stack, layout.tight)}>
        <h2>{labels.testing}</h2>
        <SnippetChoice label={labels.testStacks} storageKey="restante.test-framework" snippets={reading} />
        <p className={clsx(layout.faint, layout.small)}>{labels.keyText}</p>
      </section>
    </Page>
  );
}

/** Page of an empty server: a card with its settings and a sample, and settings of frameworks. The first message then appears by itself. */
export function FirstMessagePage(props: ConnectProps): ReactElement {
  const labels = pageStrings.first;
  const lead = (
    <>
      <p className={layout.soft}>{labels.lead}</p>
      <PendingStatus text={labels.waiting} />
    </>
  );
  return (
    <Page title={labels.title} lead={lead}>
      <Panel className={layout.stack}>
        <Credentials {...props} isShort />
        <SampleButton server={props.server} />
      </Panel>
      <div className={styles.first}>
        <SendingSettings {...props} />
      </div>
    </Page>
  );
}

/** Settings of frameworks with the values of the server; nothing while SMTP is disabled. */
function SendingSettings({ session, server }: ConnectProps): ReactElement | null {
  const password = usePassword(server).data ?? pageStrings.connect.passwordUnknown;
  const { smtp, mailDomain } = session;
  const snippets = useMemo(() => {
    if (smtp === null) return [];
    return sendingSnippets({ ...smtp, user: server, password, address: `anyone@${server}.${mailDomain}` });
  }, [smtp, server, password, mailDomain]);
  if (snippets.length === 0) return null;
  const labels = pageStrings.connect;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h2>{labels.sending}</h2>
      <SnippetChoice label={labels.sendingStacks} storageKey="restante.framework" snippets={snippets} />
    </section>
  );
}

/** One of several snippets; the browser remembers the selected one under `storageKey`. */
function SnippetChoice(props: {
  readonly label: string;
  readonly storageKey: string;
  readonly snippets: readonly Snippet[];
}): ReactElement {
  const { label, storageKey, snippets } = props;
  const names = snippets.map(({ name }) => name);
  const [selected, select] = useStoredChoice(storageKey, names);
  const shown = snippets.find(({ name }) => name === selected);
  return (
    <>
      <div className={styles.choice}>
        <SelectField
          label={label}
          value={selected}
          options={names.map((name) => [name, name] as const)}
          onChange={select}
        />
      </div>
      {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
    </>
  );
}

/** Adds a sample to a server: the quickest way to a first email. Nothing for a key that may not send. */
function SampleButton({ server }: { readonly server: string }): ReactElement | null {
  const { canSend } = usePermissions();
  const { mutate, error, isPending } = useCompose(server);
  const labels = pageStrings.first;
  if (!canSend) return null;
  return (
    <>
      <div className={clsx(layout.row, layout.wrap)}>
        <Button variant="primary" disabled={isPending} onClick={() => mutate(sampleEmail, whenDone(labels.sampleSent))}>
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
