import { clsx } from "clsx";
import { Monitor, Smartphone, AppWindow } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePreview } from "../../api/previews.ts";
import badgeStyles from "../../shared/badge.module.css";
import { Button } from "../../shared/button.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import layout from "../../shared/layout.module.css";
import { PendingStatus } from "../../shared/pending-status.tsx";
import { strings } from "../../strings.ts";
import type { EmailClient } from "../../wire.ts";
import styles from "./previews-view.module.css";
import { SignedImage } from "../attachments/signed-image.tsx";

const icons = { Mobile: Smartphone, Desktop: Monitor, Web: AppWindow } as const;

/** Card of one email client: its preview, or a button that requests it, and what is emulated. */
export function PreviewCard(props: {
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
