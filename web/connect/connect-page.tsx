import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { usePassword } from "../api/passwords.ts";
import { pageStrings } from "../page-strings.ts";
import { CodeBox } from "../shared/code-box.tsx";
import { SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { PendingStatus } from "../shared/pending-status.tsx";
import { useStoredChoice } from "../shared/stored-choice.ts";
import type { Session } from "../wire.ts";
import styles from "./connect-page.module.css";
import { Credentials } from "./credentials.tsx";
import { readingSnippets } from "./reading-snippets.ts";
import { SampleButton } from "./sample-button.tsx";
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
