import { decodeCharset } from "../../mime/charset.ts";

/** Elements in elements, and characters of one element's text; beyond, texts are cut. */
const depthMax = 20;
const textLengthMax = 2000;
/** Errors of syntax after which the rest is not read. */
const errorCountMax = 100;
const chunkLength = 64 * 1024;

/** Receiver of the elements of a document. Names are in lower case and have no prefix. */
export interface XmlHandlers {
  /** Receives the start of an element with its default namespace or that of its prefix, where it declares one. */
  readonly open: (name: string, namespace: string | null) => void;
  /** Receives the end of an element with its own text, trimmed, at most 2,000 characters. */
  readonly close: (name: string, text: string) => void;
}

/** Ends the reading of a document. */
class ReadingEnded extends Error {
  override readonly name: string = "ReadingEnded";
}

/**
 * Reads an XML document and returns its first error of syntax, null without one. Reads on after errors: reports contain stray
 * angle brackets and elements that are never closed. Stops at the limits. Only the entities of HTML and references of
 * characters are replaced; a document type is skipped, so no entity is declared, and nothing is fetched. Never rejects; linear in the document.
 */
export async function readXml(bytes: Buffer, { open, close }: XmlHandlers): Promise<string | null> {
  const { default: sax } = await import("sax");
  const parser = sax.parser(true, { position: false });
  const texts: string[] = [];
  let [firstError, errorCount]: [string | null, number] = [null, 0];
  const fail = (message: string): void => {
    firstError ??= message.split("\n", 1)[0] ?? message;
    errorCount += 1;
    if (errorCount > errorCountMax) throw new ReadingEnded();
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the parser has handlers only
  parser.onerror = (error) => {
    fail(error.message);
    // The parser continues only without an error.
    (parser as { error: Error | null }).error = null;
  };
  parser.onopentag = ({ name, attributes }) => {
    if (texts.length >= depthMax) {
      firstError ??= `Has more than ${String(depthMax)} elements in elements`;
      throw new ReadingEnded();
    }
    texts.push("");
    const colon = name.indexOf(":");
    const declared = attributes[colon === -1 ? "xmlns" : `xmlns:${name.slice(0, colon)}`];
    open(localName(name), typeof declared === "string" ? declared.slice(0, textLengthMax) : null);
  };
  parser.onclosetag = (name) => {
    close(localName(name), (texts.pop() ?? "").trim());
  };
  const addText = (text: string): void => {
    const own = texts.at(-1);
    if (own !== undefined && own.length < textLengthMax) texts[texts.length - 1] = (own + text).slice(0, textLengthMax);
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the parser has handlers only
  parser.ontext = addText;
  parser.oncdata = addText;
  try {
    const text = decodeXml(bytes);
    for (let at = 0; at < text.length; at += chunkLength) parser.write(text.slice(at, at + chunkLength));
    parser.close();
  } catch (error) {
    if (!(error instanceof ReadingEnded)) throw error;
  }
  return firstError;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

/** Decodes a document by its byte order mark, else by its declaration, else as UTF-8 where it is that. */
function decodeXml(bytes: Buffer): string {
  const [first = 0, second = 0] = bytes;
  if (first + second === 0xfe + 0xff && first >= 0xfe) return decodeCharset(bytes, "utf-16");
  const declared = /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(
    bytes.toString("latin1", 0, 300),
  );
  return decodeCharset(bytes, declared?.[1]?.toLowerCase() ?? null);
}
