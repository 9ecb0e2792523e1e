import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { ConnectGuide } from "./connect-guide.tsx";

/** Copy-paste settings of a server. */
export function ConnectPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  return (
    <main className="page" id="content">
      <div className="page-inner">
        <div className="stack tight">
          <h1>{strings.connect.title}</h1>
          <p className="soft">{strings.connect.lead}</p>
        </div>
        <ConnectGuide {...props} />
      </div>
    </main>
  );
}
