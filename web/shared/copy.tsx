/** Buttons that copy a text to the clipboard and confirm it. */
import { clsx } from "clsx";
import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactElement } from "react";
import { strings } from "../strings.ts";
import styles from "./copy.module.css";
import { IconButton } from "./button.tsx";
import layout from "./layout.module.css";

const confirmationMs = 1500;

/** Copies a text to the clipboard. Insecure contexts (HTTP under another name than localhost) have only `execCommand`. */
export async function copyText(text: string): Promise<void> {
  if (typeof navigator.clipboard === "object") {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = layout.visuallyHidden ?? "";
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- insecure contexts have no other API
  document.execCommand("copy");
  area.remove();
}

/** An icon button that copies a text; `name` says what the text is. */
export function CopyButton(props: {
  readonly text: string;
  readonly name: string;
  readonly onCopied?: () => void;
}): ReactElement {
  const { text, name, onCopied } = props;
  const [isCopied, copy] = useCopy(text, onCopied);
  return (
    <IconButton name={strings.copyNamed(name)} icon={isCopied ? Check : Copy} onClick={copy}>
      <Confirmation isShown={isCopied} />
    </IconButton>
  );
}

/** A one-time code that is copied by a click. */
export function CodeChip({
  code,
  isLarge = false,
  tabIndex = 0,
}: {
  readonly code: string;
  readonly isLarge?: boolean;
  readonly tabIndex?: 0 | -1;
}): ReactElement {
  const [isCopied, copy] = useCopy(code);
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      className={clsx(styles.codeChip, isLarge && styles.large)}
      data-copied={isCopied}
      data-inline
      tabIndex={tabIndex}
      aria-label={strings.list.copyCode(code)}
      title={strings.list.copyCode(code)}
      onClick={copy}
    >
      <span className={layout.clip} data-field="code">
        {code}
      </span>
      <Icon size={isLarge ? 15 : 12} aria-hidden />
      <Confirmation isShown={isCopied} />
    </button>
  );
}

function Confirmation({ isShown }: { readonly isShown: boolean }): ReactElement {
  return (
    <span className={layout.visuallyHidden} role="status">
      {isShown ? strings.copied : ""}
    </span>
  );
}

function useCopy(text: string, onCopied?: () => void): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = window.setTimeout(() => setCopied(false), confirmationMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    onCopied?.();
  };
  return [isCopied, () => void copy()];
}
