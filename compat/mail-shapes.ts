/**
 * One message in the MIME structures that mail libraries of several languages generate: a text body, an HTML body with an
 * inline image, and an attached image. Written for these tests; the irregularities are those of the libraries.
 */

/** Content of both images; any bytes work. */
export const pictures: { readonly cat: Buffer; readonly dog: Buffer } = {
  cat: Buffer.from("the cat ".repeat(64)),
  dog: Buffer.from("the dog ".repeat(96)),
};

/** Header fields of a mail. */
export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
}

const text = "Your code is 804 219\r\n\r\nhttps://app.example/confirm\r\n";
const html =
  '<p>Your code is <b>804 219</b></p><p><a href="https://app.example/confirm?x=1&amp;y=2">Confirm</a> <img src="cid:cat-1"></p>\r\n';

const folded = (content: Buffer): string => content.toString("base64").replace(/.{76}/g, "$&\r\n");
const fieldsOf = ({ from, to, subject }: Letter): string[] => [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`];
const dated = ["Date: Fri, 20 Nov 2026 10:00:00 +0000", "Message-ID: <letter@app.example>", "MIME-Version: 1.0"];

/** Joins lines and parts by CRLF. */
const join = (...lines: readonly string[]): string => lines.join("\r\n");

/** Returns a MIME part with its header fields and content. */
const part = (fields: readonly string[], content: string): string => join(...fields, "", content);

const container = (type: string, boundary: string, parts: readonly string[]): string =>
  part(
    [`Content-Type: multipart/${type}; boundary="${boundary}"`],
    `${parts.map((one) => `--${boundary}\r\n${one}\r\n`).join("")}--${boundary}--\r\n`,
  );

const textPart = part(["Content-Type: text/plain; charset=utf-8"], text);
const htmlPart = part(["Content-Type: text/html; charset=utf-8"], html);
const picture = (fields: readonly string[], content: Buffer): string =>
  part(["Content-Type: image/png", "Content-Transfer-Encoding: base64", ...fields], folded(content));

const dog = picture(['Content-Disposition: attachment; filename="dog.png"'], pictures.dog);
const catWithId = (id: string): string =>
  picture(['Content-Disposition: inline; filename="cat.png"', `Content-ID: ${id}`], pictures.cat);

/** Generators by the language of the mail library. */
export const mailShapes: Readonly<Record<string, (letter: Letter) => string>> = {
  // Mixed, alternative, related: the recommended nesting.
  node: (letter) =>
    join(
      ...fieldsOf(letter),
      ...dated,
      container("mixed", "m", [
        container("alternative", "a", [textPart, container("related", "r", [htmlPart, catWithId("<cat-1>")])]),
        dog,
      ]),
    ),
  // No Date, no Message-ID, and a Content-ID without angle brackets.
  python: (letter) =>
    join(
      ...fieldsOf(letter),
      "MIME-Version: 1.0",
      container("related", "r", [container("alternative", "a", [textPart, htmlPart]), catWithId("cat-1"), dog]),
    ),
  // All parts, including the images, are in one multipart/alternative.
  java: (letter) =>
    join(...fieldsOf(letter), ...dated, container("alternative", "a", [textPart, htmlPart, catWithId("cat-1"), dog])),
  // An image without a name besides its Content-ID, and one with its name in Content-Type only.
  dotnet: (letter) =>
    join(
      ...fieldsOf(letter),
      ...dated,
      container("mixed", "m", [
        container("alternative", "a", [
          textPart,
          container("related", "r", [htmlPart, picture(["Content-ID: <cat.png>"], pictures.cat)]),
        ]),
        part(
          [
            'Content-Type: image/png; name="dog.png"',
            "Content-Transfer-Encoding: base64",
            "Content-Disposition: attachment",
          ],
          folded(pictures.dog),
        ),
      ]),
    ),
  // Base64 in one long line, lower-case field names, and no closing boundary or final line end.
  go: (letter) =>
    join(
      ...fieldsOf(letter),
      "MIME-Version: 1.0",
      'Content-Type: multipart/alternative; boundary="a"',
      "",
      `--a\r\n${textPart}`,
      `--a\r\n${htmlPart}`,
      "--a",
      "content-type: image/png; filename=cat.png",
      "content-transfer-encoding: base64",
      'content-disposition: inline; filename="cat.png"',
      "content-id: cat-1",
      "",
      pictures.cat.toString("base64"),
      "--a",
      "content-type: image/png",
      "content-transfer-encoding: base64",
      'content-disposition: attachment; filename="dog.png"',
      "",
      pictures.dog.toString("base64"),
    ),
};
