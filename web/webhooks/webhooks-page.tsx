import type { ReactElement } from "react";
import type { TargetCollection } from "../api/callbacks.ts";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { Deliveries } from "./deliveries.tsx";
import { TargetSection } from "./target-section.tsx";

const collections: readonly TargetCollection[] = ["webhooks", "event-webhooks", "inbound-routes"];

/** Requests of a server to the application: receivers of each kind, and deliveries. */
export function WebhooksPage({ server }: { readonly server: string }): ReactElement {
  return (
    <Page title={pageStrings.webhooks.title} lead={pageStrings.webhooks.lead}>
      {collections.map((collection) => (
        <Panel key={collection} className={layout.stack}>
          <TargetSection server={server} collection={collection} />
        </Panel>
      ))}
      <Panel className={layout.stack}>
        <Deliveries server={server} />
      </Panel>
    </Page>
  );
}
