/** The only importer of nodemailer's MIME code, which writes the names of files in all their forms (RFC 2231, RFC 2047). */
import MimeNode from "nodemailer/lib/mime-node";
import { singleLine } from "./header-text.ts";
import type { Leaf } from "./write-mail.ts";

/** Returns the header section of a file as lines with their line ends. */
export function writeFileFields({ contentType, transferEncoding, disposition, fileName, contentId }: Leaf): string {
  const node = new MimeNode("multipart/mixed").createChild(contentType, {
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(fileName !== null && { filename: singleLine(fileName) }),
  });
  if (contentId !== null) node.setHeader("Content-ID", `<${contentId}>`);
  if (disposition !== null) node.setHeader("Content-Disposition", disposition);
  if (transferEncoding !== null) node.setHeader("Content-Transfer-Encoding", transferEncoding);
  return `${node.buildHeaders()}\r\n`;
}
