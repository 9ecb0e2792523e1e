/** Everything that can be copied says so, and says when it was. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactElement } from "react";
import { strings } from "../strings.ts";

const shownMs = 1500;

/**
 * Puts text on the clipboard. On pages that browsers do not trust (HTTP under a name that is not this machine's) there is
 * no clipboard but the old command.
 */
export async function copyText(text: string): Promise<void> {
  if (typeof navigator.clipboard === "object") {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way there
  document.execCommand("copy");
  area.remove();
}

/** A button with a word on it that copies a text. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }): ReactElement {
  const [isCopied, copy] = useCopy(text);
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={strings.copyNamed(name)}
      title={strings.copyNamed(name)}
      onClick={copy}
    >
      <Icon size={15} aria-hidden />
      <CopiedNote isShown={isCopied} />
    </button>
  );
}

/** A one-time code as a chip; one click copies it. */
export function CodeChip({
  code,
  isLarge = false,
}: {
  readonly code: string;
  readonly isLarge?: boolean;
}): ReactElement {
  const [isCopied, copy] = useCopy(code);
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      className={isLarge ? "code-chip large" : "code-chip"}
      data-copied={isCopied}
      aria-label={strings.list.copyCode(code)}
      title={strings.list.copyCode(code)}
      onClick={copy}
    >
      <span className="clip">{code}</span>
      <Icon size={isLarge ? 15 : 12} aria-hidden />
      <CopiedNote isShown={isCopied} />
    </button>
  );
}

function CopiedNote({ isShown }: { readonly isShown: boolean }): ReactElement {
  return (
    <span className="visually-hidden" role="status">
      {isShown ? strings.copied : ""}
    </span>
  );
}

function useCopy(text: string): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = window.setTimeout(() => {
      setCopied(false);
    }, shownMs);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);
  const copy = (): void => {
    void copyText(text).then(setCopied.bind(null, true));
  };
  return [isCopied, copy];
}
