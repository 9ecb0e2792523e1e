import { useState, type ReactElement } from "react";
import { Segments } from "../shared/field.tsx";
import { strings } from "../strings.ts";
import { AttachmentPicker } from "./attachment-picker.tsx";
import type { Draft } from "./draft.ts";

/** Text, HTML or both, and files where the mail may have new ones. */
export function ContentEditor(props: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly rows: number;
  readonly hasFiles: boolean;
}): ReactElement {
  const { draft, onChange, rows, hasFiles } = props;
  const [format, setFormat] = useState<"text" | "html">("text");
  const words = strings.answer;
  return (
    <div className="stack tight">
      <Segments
        label={words.format}
        value={format}
        options={[
          ["text", words.text],
          ["html", words.html],
        ]}
        onChange={setFormat}
      />
      <textarea
        className={format === "html" ? "input mono" : "input"}
        aria-label={words[format]}
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
