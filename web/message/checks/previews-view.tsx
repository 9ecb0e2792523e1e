import { clsx } from "clsx";
import { Images, Monitor, Smartphone, AppWindow } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useEmailClients, usePreview, useRenderingCount, useRequestPreviews } from "../../api/previews.ts";
import badgeStyles from "../../shared/badge.module.css";
import { Button } from "../../shared/button.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { Segments } from "../../shared/field.tsx";
import layout from "../../shared/layout.module.css";
import { PendingStatus } from "../../shared/pending-status.tsx";
import { strings } from "../../strings.ts";
import type { EmailClient } from "../../wire.ts";
import { SignedImage } from "../attachments/signed-image.tsx";
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
  const renderingCount = useRenderingCount();
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
          {missing.length === 0 && renderingCount > 0 ? labels.rendering : labels.showAll(missing.length)}
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

const icons = { Mobile: Smartphone, Desktop: Monitor, Web: AppWindow } as const;

/** Card of one email client: its preview, or a button that requests it, and what is emulated. */
function PreviewCard(props: {
  readonly client: EmailClient;
  /** Id of the preview; null until one is requested. */
  readonly preview: string | null;
  readonly onShow: (labels: readonly string[]) => void;
}): ReactElement {
  const { client, preview, onShow } = props;
  const { label, name, group, viewport, dark, emulates } = client;
  const labels = strings.previews;
  const Icon = icons[group];
  return (
    <li className={styles.previewCard} data-group={group}>
      <div className={styles.previewStage} data-dark={dark !== "no"}>
        {preview === null ? (
          <Button
            aria-label={labels.showNamed(name)}
            onClick={() => {
              onShow([label]);
            }}
          >
            {labels.show}
          </Button>
        ) : (
          <PreviewImage id={preview} name={name} />
        )}
      </div>
      <div className={clsx(layout.stack, layout.tight)}>
        <h3 className={layout.row}>
          <Icon size={14} className={layout.faint} aria-hidden />
          {name}
        </h3>
        <div className={clsx(layout.row, layout.wrap)}>
          <span className={badgeStyles.badge}>{labels.size(viewport.width, viewport.height)}</span>
          {dark !== "no" && <span className={badgeStyles.badge}>{labels.dark[dark]}</span>}
        </div>
        <details className={layout.small}>
          <summary className={layout.faint}>{labels.emulates}</summary>
          <p className={layout.soft}>{emulates}</p>
        </details>
      </div>
    </li>
  );
}

function PreviewImage({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const { data: address, error, refetch } = usePreview(id);
  const [isLarge, setLarge] = useState(false);
  const labels = strings.previews;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (address === undefined) {
    return <PendingStatus text={labels.rendering} isSmall />;
  }
  return (
    <>
      <button
        type="button"
        className={styles.thumbnail}
        aria-label={labels.enlarge(name)}
        onClick={() => {
          setLarge(true);
        }}
      >
        <SignedImage url={address} alt="" />
      </button>
      {isLarge && (
        <Dialog
          title={name}
          isLarge
          onClose={() => {
            setLarge(false);
          }}
        >
          <SignedImage className={styles.largePreview} url={address} alt={labels.image(name)} />
        </Dialog>
      )}
    </>
  );
}
