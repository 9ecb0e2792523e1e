import { ArrowLeft } from "lucide-react";
import type { ReactElement } from "react";
import { strings } from "../strings.ts";

/** Leads from a message back to its list. */
export function BackButton({ onClick }: { readonly onClick: () => void }): ReactElement {
  const { back } = strings.message;
  return (
    <button type="button" className="icon-button" aria-label={back} title={back} onClick={onClick}>
      <ArrowLeft size={16} aria-hidden />
    </button>
  );
}
