import { clsx } from "clsx";
import { Images } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useEmailClients, useRequestPreviews } from "../../api/previews.ts";
import { Button } from "../../shared/button.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { Segments } from "../../shared/field.tsx";
import layout from "../../shared/layout.module.css";
import { strings } from "../../strings.ts";
import type { EmailClient } from "../../wire.ts";
import { PreviewCard } from "./preview-card.tsx";
import styles from "./previews-view.module.css";

type Group = "All" | EmailClient["group"];
const groups: readonly Group[] = ["All", "Mobile", "Desktop", "Web"];

/** Previews of an email in email clients; each is rendered on request. */
export function PreviewsView({ id }: { readonly id: string }): ReactElement {
  const { data: clients = [], error } = useEmailClients();
  const [group, setGroup] = useState<Group>("All");
  const [images, setImages] = useState<EmailClient["images"]>("shown");
  const [requested, setRequested] = useState<ReadonlyMap<string, string>>(new Map());
  const request = useRequestPreviews(id);
  const shown = clients.filter((client) => client.images === images && (group === "All" || client.group === group));
  const missing = shown.filter(({ label }) => !requested.has(label)).map(({ label }) => label);
  const show = (labels: readonly string[]): void => {
    request.mutate(labels, {
      onSuccess: (previews) => {
        const added = previews.map(({ emailClient, id: preview }) => [emailClient, preview] as const);
        setRequested((before) => new Map([...before, ...added]));
      },
    });
  };
  const labels = strings.previews;
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{labels.lead}</p>
      <div className={clsx(layout.row, layout.wrap)}>
        <Segments
          label={labels.group}
          value={group}
          options={groups.map((one) => [one, labels.groups[one]])}
          onChange={setGroup}
        />
        <Segments
          label={labels.images}
          value={images}
          options={[
            ["shown", labels.imagesShown],
            ["blocked", labels.imagesBlocked],
          ]}
          onChange={setImages}
        />
        <Button
          variant="primary"
          className={layout.push}
          disabled={request.isPending || missing.length === 0}
          onClick={() => {
            show(missing);
          }}
        >
          <Images size={15} aria-hidden />
          {labels.showAll(missing.length)}
        </Button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {request.error !== null && <ErrorNotice error={request.error} />}
      <ul className={styles.previews}>
        {shown.map((client) => (
          <PreviewCard key={client.label} client={client} preview={requested.get(client.label) ?? null} onShow={show} />
        ))}
      </ul>
    </div>
  );
}
