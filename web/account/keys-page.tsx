import type { ReactElement } from "react";
import { KeyTable } from "../keys/key-table.tsx";
import { Page, Panel } from "../shared/page.tsx";
import { strings } from "../strings.ts";

/** All API keys of the account. */
export function KeysPage(): ReactElement {
  return (
    <Page title={strings.keys.title} lead={strings.keys.lead}>
      <Panel>
        <KeyTable server={null} />
      </Panel>
    </Page>
  );
}
