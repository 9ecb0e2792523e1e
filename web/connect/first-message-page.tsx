import type { ReactElement } from "react";
import layout from "../shared/layout.module.css";
import { Page } from "../shared/page.tsx";
import { PendingStatus } from "../shared/pending-status.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Session } from "../wire.ts";
import { ConnectGuide } from "./connect-guide.tsx";

/** Page of an empty server: a sample, and how to send it the first message, which then appears by itself. */
export function FirstMessagePage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const lead = (
    <>
      <p className={layout.soft}>{pageStrings.first.lead}</p>
      <PendingStatus text={pageStrings.first.waiting} />
    </>
  );
  return (
    <Page title={pageStrings.first.title} lead={lead}>
      <ConnectGuide {...props} />
    </Page>
  );
}
