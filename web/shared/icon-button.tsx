import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";

/** A button that is a picture; its name is said on pointing, and to those who do not see it. */
export function IconButton(props: {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly onClick: () => void;
}): ReactElement {
  const { name, icon: Icon, onClick } = props;
  return (
    <button type="button" className="icon-button" aria-label={name} title={name} onClick={onClick}>
      <Icon size={16} aria-hidden />
    </button>
  );
}
