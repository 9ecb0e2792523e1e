import type { ReactElement } from "react";
import { Page } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Session } from "../wire.ts";
import { ConnectGuide } from "./connect-guide.tsx";

/** Connection settings of a server, ready to copy. */
export function ConnectPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  return (
    <Page title={pageStrings.connect.title} lead={pageStrings.connect.lead}>
      <ConnectGuide {...props} />
    </Page>
  );
}
