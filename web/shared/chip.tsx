import { X } from "lucide-react";
import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import chipStyles from "./chip.module.css";
import layout from "./layout.module.css";

/** Condition of a search that can be removed. */
export function Chip(props: {
  readonly label?: string | undefined;
  readonly text: string;
  /** Accessible name of what the button removes. */
  readonly name: string;
  readonly onRemove: () => void;
}): ReactElement {
  const { label, text, name, onRemove } = props;
  return (
    <span className={chipStyles.chip}>
      {label !== undefined && <b>{label}</b>}
      <span className={layout.clip}>{text}</span>
      <button type="button" aria-label={strings.list.remove(name)} onClick={onRemove}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
