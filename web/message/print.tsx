/** Printing an open message: the frame of an email has an unknown height, so its HTML is printed from a page of its own. */
import { useEffect, useState, type ReactElement } from "react";
import { useSignedUrl } from "../api/signed-urls.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";

/** Prints what is shown of the message better than the browser does; null for views that it prints as they are. */
let shownPrinter: (() => void) | null = null;

/** Prints the view of the open message. */
export function printMessage(): void {
  (shownPrinter ?? print)();
}

/** Frame with the page of an email for printing, which is loaded and printed for the control and for Ctrl+P, not before. */
export function PrintFrame({ url }: { readonly url: string }): ReactElement | null {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const begin = (): void => setCount((before) => before + 1);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      begin();
    };
    shownPrinter = begin;
    addEventListener("keydown", onKeyDown);
    return () => {
      if (shownPrinter === begin) shownPrinter = null;
      removeEventListener("keydown", onKeyDown);
    };
  }, []);
  return count === 0 ? null : <LoadedFrame key={`${url} ${String(count)}`} url={url} />;
}

function LoadedFrame({ url }: { readonly url: string }): ReactElement | null {
  const { data: src, error, refetch } = useSignedUrl(url);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (src === undefined) return null;
  return (
    <iframe
      className={layout.visuallyHidden}
      title={pageStrings.print.frame}
      src={src}
      sandbox="allow-same-origin allow-modals"
      referrerPolicy="no-referrer"
      tabIndex={-1}
      aria-hidden
      onLoad={({ currentTarget }) => currentTarget.contentWindow?.print()}
    />
  );
}
