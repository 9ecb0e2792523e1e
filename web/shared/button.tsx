import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactElement } from "react";
import styles from "./button.module.css";

/** Weight of a button; `dangerPrimary` confirms what cannot be undone. */
export type ButtonVariant = "plain" | "primary" | "danger" | "dangerPrimary" | "quiet";

/** Returns the classes that make a link look like a button. */
export function buttonClass(variant: ButtonVariant = "plain"): string {
  return clsx(
    styles.button,
    (variant === "primary" || variant === "dangerPrimary") && styles.primary,
    (variant === "danger" || variant === "dangerPrimary") && styles.danger,
    variant === "quiet" && styles.quiet,
  );
}

/** A button with a text; it submits a form only with `type="submit"`. */
export function Button({
  variant,
  className,
  ...props
}: ComponentProps<"button"> & { readonly variant?: ButtonVariant }): ReactElement {
  return <button type="button" {...props} className={clsx(buttonClass(variant), className)} />;
}

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
