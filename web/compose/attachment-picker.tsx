import { clsx } from "clsx";
import { Paperclip, X } from "lucide-react";
import { useRef, useState, type ReactElement } from "react";
import { Button } from "../shared/button.tsx";
import chipStyles from "../shared/chip.module.css";
import { formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./compose.module.css";

interface FilesProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

/** Files to attach: chosen or dropped, listed, and removable. */
export function AttachmentPicker(props: FilesProps): ReactElement {
  const { files, onChange } = props;
  const ref = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const labels = strings.reply;
  const add = (list: FileList | null): void => {
    onChange([...files, ...(list ?? [])]);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping files is optional; the button does the same
    <div
      className={styles.attach}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        add(event.dataTransfer.files);
      }}
    >
      <div className={clsx(layout.row, layout.wrap)}>
        <Button onClick={() => ref.current?.click()}>
          <Paperclip size={14} aria-hidden />
          {labels.attach}
        </Button>
        <span className={clsx(layout.faint, layout.small)}>{labels.attachHint}</span>
        <input
          ref={ref}
          type="file"
          multiple
          hidden
          aria-label={labels.attach}
          onChange={(event) => {
            add(event.target.files);
            event.target.value = "";
          }}
        />
      </div>
      {files.length > 0 && <Chosen files={files} onChange={onChange} />}
    </div>
  );
}

function Chosen({ files, onChange }: FilesProps): ReactElement {
  const labels = strings.reply;
  return (
    <ul className={clsx(layout.row, layout.wrap)} aria-label={labels.attached}>
      {files.map((file, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a file can be attached twice
        <li key={at} className={chipStyles.chip}>
          <span className={layout.clip}>{file.name}</span>
          <span className={clsx(layout.faint, layout.small)}>{formatBytes(file.size)}</span>
          <button
            type="button"
            aria-label={labels.detach(file.name)}
            onClick={() => {
              onChange(files.toSpliced(at, 1));
            }}
          >
            <X size={13} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
