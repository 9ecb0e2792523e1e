import { clsx } from "clsx";
import { Paperclip, X } from "lucide-react";
import { useState, type ReactElement, useRef } from "react";
import { Button } from "../shared/button.tsx";
import chipStyles from "../shared/chip.module.css";
import fieldStyles from "../shared/field.module.css";
import { Segments } from "../shared/field.tsx";
import { formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import styles from "./compose.module.css";
import type { Draft } from "./draft.ts";

const labels = pageStrings.reply;

/** Editor of the text and HTML bodies and, optionally, attachments. */
export function ContentEditor(props: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly rows: number;
  readonly hasFiles: boolean;
}): ReactElement {
  const { draft, onChange, rows, hasFiles } = props;
  const [format, setFormat] = useState<"text" | "html">("text");
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <Segments
        label={labels.format}
        value={format}
        options={[
          ["text", labels.text],
          ["html", labels.html],
        ]}
        onChange={setFormat}
      />
      <textarea
        className={clsx(fieldStyles.input, format === "html" && layout.mono)}
        aria-label={labels[format]}
        spellCheck={format === "text"}
        rows={rows}
        value={draft[format]}
        onChange={(event) => onChange({ ...draft, [format]: event.target.value })}
      />
      {hasFiles && <AttachmentPicker files={draft.files} onChange={(files) => onChange({ ...draft, files })} />}
    </div>
  );
}

interface FilesProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

/** Files to attach: chosen or dropped, listed, and removable. */
function AttachmentPicker(props: FilesProps): ReactElement {
  const { files, onChange } = props;
  const ref = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const add = (list: FileList | null): void => onChange([...files, ...(list ?? [])]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping files is optional; the button does the same
    <div
      className={styles.attach}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
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
  return (
    <ul className={clsx(layout.row, layout.wrap)} aria-label={labels.attached}>
      {files.map((file, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a file can be attached twice
        <li key={at} className={chipStyles.chip}>
          <span className={layout.clip}>{file.name}</span>
          <span className={clsx(layout.faint, layout.small)}>{formatBytes(file.size)}</span>
          <button type="button" aria-label={labels.detach(file.name)} onClick={() => onChange(files.toSpliced(at, 1))}>
            <X size={13} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
