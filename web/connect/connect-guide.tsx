import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { usePassword } from "../api/servers.ts";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { Credentials } from "./credentials.tsx";
import { readingSnippets } from "./reading-snippets.ts";
import { sendingSnippets } from "./sending-snippets.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";

/** Settings for sending to a server and for reading it in tests, with the values of the server. */
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
    <div className={clsx(layout.stack, layout.loose)}>
      {sending.length > 0 && (
        <section className={layout.stack}>
          <h2>{strings.connect.sending}</h2>
          <SnippetTabs snippets={sending} />
        </section>
      )}
      <section className={pageStyles.panel}>
        <Credentials session={session} server={server} password={password} />
      </section>
      <section className={layout.stack}>
        <h2>{strings.connect.testing}</h2>
        <SnippetTabs snippets={reading} />
        <p className={clsx(layout.faint, layout.small)}>{strings.connect.keyText}</p>
      </section>
    </div>
  );
}
