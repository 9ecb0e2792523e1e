import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactElement } from "react";
import styles from "./button.module.css";

/** Classes that make a link look like an icon button. */
export const iconButtonClass: string = clsx(styles.iconButton);

/** A button that shows an icon; `name` is its accessible name and its tooltip. */
export function IconButton({
  name,
  icon: Icon,
  className,
  children,
  ...props
}: ComponentProps<"button"> & { readonly name: string; readonly icon: LucideIcon }): ReactElement {
  return (
    <button type="button" {...props} className={clsx(iconButtonClass, className)} aria-label={name} title={name}>
      <Icon size={16} aria-hidden />
      {children}
    </button>
  );
}
