/**
 * Pages of PDF files as pictures. The only file that knows pdf.js. It parses on a worker thread of its own, without scripts,
 * forms, XFA, WebAssembly and `eval`, and requests nothing but character maps and fonts of this origin; see
 * docs/decisions/0082.
 */
import { AnnotationMode, getDocument, PDFWorker, VerbosityLevel, version, type PDFDocumentProxy } from "pdfjs-dist";
import { addressOf } from "../../base-path.ts";

/** Reason why a file has no preview. */
export type PdfFault = "password" | "invalid" | "slow";

/** A file that cannot be shown. */
export class PdfError extends Error {
  override readonly name: string = "PdfError";
  readonly fault: PdfFault;

  constructor(fault: PdfFault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/** An open file. */
export interface OpenPdf {
  readonly pageCount: number;
  /** Draws a page, counted from 1, as wide as `width` CSS pixels; rejects with {@link PdfError}. */
  readonly draw: (page: number, canvas: HTMLCanvasElement, width: number) => Promise<void>;
  /** Ends the thread of the file, whatever it does. */
  readonly close: () => void;
}

/** Longest time for opening the file, and for each page. */
const msMax = 20_000;
/** Pixels of a page that is drawn, and of a picture in it. */
const pixelsMax = 4_000_000;
const imagePixelsMax = 16_000_000;
const bytesPerPixel = 4;
/** Folder of the character maps and fonts that files need and do not embed. */
const resources = addressOf(`/assets/pdf.js-${version}`);

/** Opens a file; rejects with {@link PdfError}. */
export async function openPdf(data: ArrayBuffer): Promise<OpenPdf> {
  const thread = new Worker(new URL("./pdf-worker.ts", import.meta.url), { type: "module" });
  const worker = PDFWorker.create({ port: thread });
  const loading = getDocument({
    data: new Uint8Array(data),
    worker,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    cMapUrl: `${resources}/cmaps/`,
    standardFontDataUrl: `${resources}/standard_fonts/`,
    maxImageSize: imagePixelsMax,
    canvasMaxAreaInBytes: imagePixelsMax * bytesPerPixel,
  });
  const close = (): void => {
    thread.terminate();
    worker.destroy();
  };
  try {
    const file = await limited(loading.promise);
    return {
      pageCount: file.numPages,
      draw: async (page, canvas, width) => draw(file, page, { canvas, width }),
      close,
    };
  } catch (error) {
    close();
    throw faultOf(error);
  }
}

async function draw(
  file: PDFDocumentProxy,
  number: number,
  { canvas, width }: { readonly canvas: HTMLCanvasElement; readonly width: number },
): Promise<void> {
  try {
    const page = await limited(file.getPage(number));
    const whole = page.getViewport({ scale: 1 });
    const density = Math.min(devicePixelRatio, 2);
    const wanted = (width * density) / whole.width;
    const scale = Math.min(wanted, Math.sqrt(pixelsMax / (whole.width * whole.height)));
    const viewport = page.getViewport({ scale });
    canvas.width = Math.max(1, Math.floor(viewport.width));
    canvas.height = Math.max(1, Math.floor(viewport.height));
    const drawing = page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
    try {
      await limited(drawing.promise);
    } catch (error) {
      drawing.cancel();
      throw error;
    }
    page.cleanup();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): PdfError {
  if (error instanceof PdfError) return error;
  return new PdfError(error instanceof Error && error.name === "PasswordException" ? "password" : "invalid", error);
}

async function limited<Result>(work: Promise<Result>): Promise<Result> {
  let timer = 0;
  const late = new Promise<never>((_resolve, reject) => {
    timer = window.setTimeout(() => reject(new PdfError("slow")), msMax);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
