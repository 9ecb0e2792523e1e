import { clsx } from "clsx";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import { useFileBytes } from "../../api/messages.ts";
import { ErrorNotice } from "../../shared/notice.tsx";
import { IconButton } from "../../shared/button.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import styles from "./attachments-view.module.css";
import { openPdf, PdfError, type OpenPdf, type PdfFault } from "./open-pdf.ts";

/** Pages of an attached PDF, one at a time. */
export function PdfPreview({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const { data, error } = useFileBytes(`/api/files/attachments/${id}`);
  const [file, setFile] = useState<OpenPdf | null>(null);
  const [fault, setFault] = useState<PdfFault | null>(null);
  useEffect(() => {
    if (data === undefined) return undefined;
    let opened: OpenPdf | null = null;
    let isEnded = false;
    const open = async (): Promise<void> => {
      // The thread takes the bytes; the cache keeps its own.
      opened = await openPdf(data.slice(0));
      if (isEnded) opened.close();
      else setFile(opened);
    };
    open().catch((reason: unknown) => {
      if (!isEnded) setFault(faultOf(reason));
    });
    return () => {
      isEnded = true;
      opened?.close();
      setFile(null);
    };
  }, [data]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (fault !== null) return <p className={clsx(styles.preview, layout.faint)}>{pageStrings.attachments.pdf[fault]}</p>;
  if (file === null) return <p className={clsx(styles.preview, layout.faint)}>{strings.loading}</p>;
  return <Pages file={file} name={name} onFault={setFault} />;
}

function Pages(props: {
  readonly file: OpenPdf;
  readonly name: string;
  readonly onFault: (fault: PdfFault) => void;
}): ReactElement {
  const { file, name, onFault } = props;
  const { pageCount } = file;
  const [page, setPage] = useState(1);
  const ref = useRef<HTMLDivElement>(null);
  const labels = pageStrings.attachments;
  useEffect(() => {
    const stage = ref.current;
    if (stage === null) return undefined;
    let isEnded = false;
    // A page is drawn on a canvas of its own: the former one may still be drawn on.
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", labels.page(name, page, pageCount));
    const draw = async (): Promise<void> => {
      await file.draw(page, canvas, stage.clientWidth);
      if (!isEnded) stage.replaceChildren(canvas);
    };
    draw().catch((reason: unknown) => {
      if (!isEnded) onFault(faultOf(reason));
    });
    return () => {
      isEnded = true;
    };
  }, [file, labels, name, onFault, page, pageCount]);
  const step = (by: 1 | -1) => () => setPage(Math.min(Math.max(page + by, 1), pageCount));
  return (
    <div className={clsx(styles.preview, layout.stack, layout.tight)}>
      {/* Disabled buttons would lose the focus at the first and the last page. */}
      {pageCount > 1 && (
        <div className={layout.row}>
          <IconButton name={labels.previousPage} icon={ChevronLeft} aria-disabled={page === 1} onClick={step(-1)} />
          <span aria-live="polite">{labels.pageOf(page, pageCount)}</span>
          <IconButton name={labels.nextPage} icon={ChevronRight} aria-disabled={page === pageCount} onClick={step(1)} />
        </div>
      )}
      <div ref={ref} className={styles.pdf} />
    </div>
  );
}

function faultOf(reason: unknown): PdfFault {
  return reason instanceof PdfError ? reason.fault : "invalid";
}
