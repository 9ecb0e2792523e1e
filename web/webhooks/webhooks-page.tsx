import { useState, type ReactElement } from "react";
import type { TargetCollection } from "../api/callbacks.ts";
import { usePermissions } from "../api/permissions.ts";
import layout from "../shared/layout.module.css";
import { Cards, Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { Deliveries } from "./deliveries.tsx";
import { SaveTargetDialog } from "./save-target-dialog.tsx";
import { TargetSection } from "./target-section.tsx";

const collections: readonly TargetCollection[] = ["webhooks", "event-webhooks", "inbound-routes"];

/** Requests of a server to the application: receivers of each kind, and deliveries. */
export function WebhooksPage({ server }: { readonly server: string }): ReactElement {
  const { canManage } = usePermissions();
  const [added, setAdded] = useState<TargetCollection | null>(null);
  const labels = pageStrings.webhooks;
  const cards = collections.map((collection) => ({
    name: labels.sections[collection].add,
    text: labels.sections[collection].hint,
    onSelect: () => {
      setAdded(collection);
    },
  }));
  return (
    <Page title={labels.title} lead={labels.lead}>
      {canManage && <Cards label={labels.title} cards={cards} />}
      {collections.map((collection) => (
        <TargetSection key={collection} server={server} collection={collection} />
      ))}
      <Panel className={layout.stack}>
        <Deliveries server={server} />
      </Panel>
      {added !== null && (
        <SaveTargetDialog
          server={server}
          collection={added}
          target={null}
          onClose={() => {
            setAdded(null);
          }}
        />
      )}
    </Page>
  );
}
