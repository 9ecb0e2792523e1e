import type { LucideIcon } from "lucide-react";
import { useState, type ReactElement } from "react";
import { Button, type ButtonVariant } from "./button.tsx";

/** A button that opens a dialog: `children` renders it with the function that closes it. */
export function DialogButton(props: {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly variant?: ButtonVariant;
  readonly children: (close: () => void) => ReactElement;
}): ReactElement {
  const { label, icon: Icon, variant = "plain", children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={variant}
        onClick={() => {
          setOpen(true);
        }}
      >
        {Icon !== undefined && <Icon size={15} aria-hidden />}
        {label}
      </Button>
      {isOpen &&
        children(() => {
          setOpen(false);
        })}
    </>
  );
}
