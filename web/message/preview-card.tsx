import { Monitor, Smartphone, AppWindow } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePreview } from "../api/previews.ts";
import { Dialog } from "../shared/dialog.tsx";
import { SignedImage } from "./signed-image.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { EmailClient } from "../wire.ts";

const icons = { Mobile: Smartphone, Desktop: Monitor, Web: AppWindow } as const;

/** One program: its picture, or a button that has it made, and what of the program is emulated. */
export function PreviewCard(props: {
  readonly client: EmailClient;
  /** Null where none was asked for. */
  readonly preview: string | null;
  readonly onShow: (labels: readonly string[]) => void;
}): ReactElement {
  const { client, preview, onShow } = props;
  const { label, name, group, viewport, dark, emulates } = client;
  const words = strings.previews;
  const Icon = icons[group];
  return (
    <li className="preview-card" data-group={group}>
      <div className="preview-stage" data-dark={dark !== "no"}>
        {preview === null ? (
          <button
            type="button"
            className="button"
            aria-label={words.showNamed(name)}
            onClick={() => {
              onShow([label]);
            }}
          >
            {words.show}
          </button>
        ) : (
          <Picture id={preview} name={name} />
        )}
      </div>
      <div className="stack tight">
        <h3 className="row">
          <Icon size={14} className="faint" aria-hidden />
          {name}
        </h3>
        <div className="row wrap">
          <span className="badge">{words.size(viewport.width, viewport.height)}</span>
          {dark !== "no" && <span className="badge">{words.dark[dark]}</span>}
        </div>
        <details className="small">
          <summary className="faint">{words.emulates}</summary>
          <p className="soft">{emulates}</p>
        </details>
      </div>
    </li>
  );
}

function Picture({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const { data: address, error, refetch } = usePreview(id);
  const [isLarge, setLarge] = useState(false);
  const words = strings.previews;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (address === undefined) {
    return (
      <span className="waiting small" role="status">
        {words.making}
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        className="thumbnail"
        aria-label={words.enlarge(name)}
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
          <SignedImage className="large-preview" url={address} alt={words.picture(name)} />
        </Dialog>
      )}
    </>
  );
}
