import { useMemo, type ReactElement } from "react";
import { usePassword } from "../api/servers.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { Credentials } from "./credentials.tsx";
import { readingSnippets } from "./reading-snippets.ts";
import { sendingSnippets } from "./sending-snippets.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";

/** How to send mail to a server and how to read it in tests, with the server's own values. */
export function ConnectGuide({
  session,
  server,
}: {
  readonly session: Session;
  readonly server: string;
}): ReactElement {
  const { data: password = "" } = usePassword(server);
  const domain = `${server}.${session.mailDomain}`;
  const { smtp, url } = session;
  const sending = useMemo(() => {
    return smtp === null ? [] : sendingSnippets({ ...smtp, user: server, password, address: `anyone@${domain}` });
  }, [smtp, server, password, domain]);
  const reading = useMemo(() => readingSnippets({ url, server, domain }), [url, server, domain]);
  return (
    <div className="stack" style={{ gap: "var(--space-5)" }}>
      {sending.length > 0 && (
        <section className="stack">
          <h2>{strings.connect.sending}</h2>
          <SnippetTabs snippets={sending} />
        </section>
      )}
      <section className="panel">
        <Credentials session={session} server={server} password={password} />
      </section>
      <section className="stack">
        <h2>{strings.connect.testing}</h2>
        <SnippetTabs snippets={reading} />
        <p className="faint small">{strings.connect.keyText}</p>
      </section>
    </div>
  );
}
