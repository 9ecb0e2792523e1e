/** Worker thread that parses PDF files. The order matters: pdf.js allocates with the bounded constructor. */
// oxlint-disable-next-line import/no-unassigned-import -- replaces a global
import "./bound-allocations.ts";
// oxlint-disable-next-line import/no-unassigned-import -- starts the worker of pdf.js
import "pdfjs-dist/build/pdf.worker.min.mjs";
