import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { ConnectGuide } from "./connect-guide.tsx";

/** What an empty server shows: how to send it its first mail, which appears by itself. */
export function FirstMessagePage(props: { readonly session: Session; readonly server: string }): ReactElement {
  return (
    <main className="page" id="content">
      <div className="page-inner">
        <div className="stack tight">
          <h1>{strings.first.title}</h1>
          <p className="soft">{strings.first.lead}</p>
          <p className="waiting" role="status">
            {strings.first.waiting}
          </p>
        </div>
        <ConnectGuide {...props} />
      </div>
    </main>
  );
}
