import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import fieldStyles from "../shared/field.module.css";
import { Segments } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import { AttachmentPicker } from "./attachment-picker.tsx";
import type { Draft } from "./draft.ts";

/** Editor of the text and HTML bodies and, optionally, attachments. */
export function ContentEditor(props: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly rows: number;
  readonly hasFiles: boolean;
}): ReactElement {
  const { draft, onChange, rows, hasFiles } = props;
  const [format, setFormat] = useState<"text" | "html">("text");
  const labels = strings.reply;
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
        onChange={(event) => {
          onChange({ ...draft, [format]: event.target.value });
        }}
      />
      {hasFiles && (
        <AttachmentPicker
          files={draft.files}
          onChange={(files) => {
            onChange({ ...draft, files });
          }}
        />
      )}
    </div>
  );
}
