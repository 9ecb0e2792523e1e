import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { usePassword } from "../api/servers.ts";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { useStoredChoice } from "../shared/stored-choice.ts";
import { Tabs } from "../shared/tabs.tsx";
import type { Session } from "../wire.ts";
import { Credentials } from "./credentials.tsx";
import { readingSnippets } from "./reading-snippets.ts";
import { sendingSnippets } from "./sending-snippets.ts";
import styles from "./snippet-tabs.module.css";
import type { Snippet } from "./snippet.ts";
import { TryNow } from "./try-now.tsx";

/** Settings for sending to a server and for reading it in tests, with the values of the server. */
export function ConnectGuide({
  session,
  server,
}: {
  readonly session: Session;
  readonly server: string;
}): ReactElement {
  const password = usePassword(server).data ?? pageStrings.connect.passwordUnknown;
  const domain = `${server}.${session.mailDomain}`;
  const { smtp, url } = session;
  const sending = useMemo(() => {
    return smtp === null ? [] : sendingSnippets({ ...smtp, user: server, password, address: `anyone@${domain}` });
  }, [smtp, server, password, domain]);
  const reading = useMemo(() => readingSnippets({ url, server, domain }), [url, server, domain]);
  return (
    <div className={clsx(layout.stack, layout.loose)}>
      <Panel className={layout.stack}>
        <TryNow session={session} server={server} />
      </Panel>
      {sending.length > 0 && (
        <section className={layout.stack}>
          <h2>{pageStrings.connect.sending}</h2>
          <SnippetTabs label={pageStrings.connect.sendingStacks} storageKey="restante.framework" snippets={sending} />
        </section>
      )}
      <Panel>
        <Credentials session={session} server={server} />
      </Panel>
      <section className={layout.stack}>
        <h2>{pageStrings.connect.testing}</h2>
        <SnippetTabs label={pageStrings.connect.testStacks} storageKey="restante.test-framework" snippets={reading} />
        <p className={clsx(layout.faint, layout.small)}>{pageStrings.connect.keyText}</p>
      </section>
    </div>
  );
}

/** Snippets, one tab per framework; the browser remembers the selected one under `storageKey`. */
function SnippetTabs(props: {
  readonly label: string;
  readonly storageKey: string;
  readonly snippets: readonly Snippet[];
}): ReactElement {
  const { label, storageKey, snippets } = props;
  const names = snippets.map(({ name }) => name);
  const [selected, select] = useStoredChoice(storageKey, names);
  const shown = snippets.find(({ name }) => name === selected);
  return (
    <Tabs
      className={styles.connect}
      isVertical
      label={label}
      items={names.map((name) => ({ name, text: name }))}
      selected={selected}
      onSelect={select}
    >
      {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
    </Tabs>
  );
}
