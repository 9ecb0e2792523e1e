import type { ReactElement } from "react";
import { KeyTable } from "../keys/key-table.tsx";
import { Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";

/** All API keys of the account. */
export function KeysPage(): ReactElement {
  return (
    <Page title={pageStrings.keys.title} lead={pageStrings.keys.lead}>
      <Panel>
        <KeyTable server={null} />
      </Panel>
    </Page>
  );
}
