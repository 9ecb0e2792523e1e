import { Paperclip, X } from "lucide-react";
import { useRef, useState, type ReactElement } from "react";
import { formatBytes } from "../shared/format.ts";
import { strings } from "../strings.ts";

interface FilesProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

/** Files that shall go with a mail: chosen, dropped, and taken away again. */
export function AttachmentPicker(props: FilesProps): ReactElement {
  const { files, onChange } = props;
  const ref = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const words = strings.answer;
  const add = (list: FileList | null): void => {
    onChange([...files, ...(list ?? [])]);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping is an extra; the button does the same
    <div
      className="attach"
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
      <div className="row wrap">
        <button type="button" className="button" onClick={() => ref.current?.click()}>
          <Paperclip size={14} aria-hidden />
          {words.attach}
        </button>
        <span className="faint small">{words.attachHint}</span>
        <input
          ref={ref}
          type="file"
          multiple
          hidden
          aria-label={words.attach}
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
  const words = strings.answer;
  return (
    <ul className="row wrap" aria-label={words.attached}>
      {files.map((file, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a file may be there twice
        <li key={at} className="criterion">
          <span className="clip">{file.name}</span>
          <span className="faint small">{formatBytes(file.size)}</span>
          <button
            type="button"
            aria-label={words.detach(file.name)}
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
