/**
 * Mails in the shapes that mail libraries of several languages make of one message: a text, an HTML with a picture in
 * it, and a picture beside it. Written for this purpose; what is odd about each is what those libraries do.
 */

/** The two pictures; any bytes do. */
export const pictures: { readonly cat: Buffer; readonly dog: Buffer } = {
  cat: Buffer.from("the cat ".repeat(64)),
  dog: Buffer.from("the dog ".repeat(96)),
};

/** What a mail says about itself. */
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

/** Lines and parts behind one another, with CRLF between. */
const join = (...lines: readonly string[]): string => lines.join("\r\n");

/** A leaf or a container: its fields and its content. */
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

/** The shapes by the language whose mail library makes them. */
export const mailShapes: Readonly<Record<string, (letter: Letter) => string>> = {
  // Mixed around alternative around related, as the field's books have it.
  node: (letter) =>
    join(
      ...fieldsOf(letter),
      ...dated,
      container("mixed", "m", [
        container("alternative", "a", [textPart, container("related", "r", [htmlPart, catWithId("<cat-1>")])]),
        dog,
      ]),
    ),
  // Neither Date nor Message-ID, and a Content-ID without brackets.
  python: (letter) =>
    join(
      ...fieldsOf(letter),
      "MIME-Version: 1.0",
      container("related", "r", [container("alternative", "a", [textPart, htmlPart]), catWithId("cat-1"), dog]),
    ),
  // Everything an alternative, pictures included.
  java: (letter) =>
    join(...fieldsOf(letter), ...dated, container("alternative", "a", [textPart, htmlPart, catWithId("cat-1"), dog])),
  // A picture that has no name but its Content-ID, and one whose name is in the Content-Type only.
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
  // A picture as one line of any length, lower-case fields, and an end without closing boundary or line break.
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
