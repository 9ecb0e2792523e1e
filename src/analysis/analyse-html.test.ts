import { describe, expect, test } from "vitest";
import { analyseHtml } from "./analyse-html.ts";
import { imageCountMax, linkCountMax, visibleTextLengthMax } from "./bounds.ts";

const textOf = (html: string): string => analyseHtml(html).visibleText;
const linksOf = (html: string): unknown => analyseHtml(html).links.map(({ href, text }) => [href, text]);
const imagesOf = (html: string): unknown => analyseHtml(html).images.map(({ src, alt }) => [src, alt]);
const codesOf = (html: string): string[] => analyseHtml(html).codes.map(({ value }) => value);

describe("visible text", () => {
  test.each([
    ["inline elements join", "8<b>04</b>2<i>1</i>9", "804219"],
    ["blocks are separate lines", "a<p>b</p><div>c</div>d", "a\nb\nc\nd"],
    ["nested blocks give one line end", "<div><div><p>a</p></div></div><div><p>b</p></div>", "a\nb"],
    ["a line break ends a line", "a<br>b<br/><br>c", "a\nb\nc"],
    ["cells are separated by a tab, rows by a line end", "<table><tr><td>a<td>b<tr><th>c</th><th>d</th>", "a\tb\nc\td"],
    ["white space between cells adds nothing", "<table> <tr> <td> a </td> <td>b</td>\n</tr></table>", "a\tb"],
    ["list items are lines", "<ul><li>a<li>b</ul>", "a\nb"],
    ["white space collapses", " a \n\t b&nbsp;&nbsp; c ", "a b c"],
    ["white space between inline elements is one space", "<b>a</b> <i> b</i>", "a b"],
    ["white space in separate texts is one space", "a <b> <i>\n</i></b>\tb", "a b"],
    ["preformatted text keeps line ends that are references", "<pre>a&#10;b</pre>", "a\nb"],
    ["preformatted text keeps its lines", "<pre>a  b\nc\r\nd</pre>e\nf", "a b\nc\nd\ne f"],
    ["references are decoded", "a &lt;b&gt; &amp; &eacute;", "a <b> & é"],
    ["zero-width characters are removed", "a\u200bb&shy;c\ufeffd&#847; &zwnj; e", "abcd e"],
    ["joiners that shape a script are kept", "می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"],
    [
      "script, style, title, template are not text",
      "<title>t</title><style>s</style>a<script>x</script><template>y</template>",
      "a",
    ],
    ["comments are not text", "a<!-- b --><!--[if mso]>c<![endif]-->d", "ad"],
    ["downlevel-revealed conditional content is text", "<![if !mso]>a<![endif]>", "a"],
    ["noscript is text", "<noscript>a</noscript>", "a"],
    ["a hidden preheader is not text", '<div style="display:none;max-height:0">Hello&zwnj;&nbsp;</div><p>a', "a"],
    ["an unclosed hidden element ends with its parent", '<td><span style="display:none">x</td><td>a', "a"],
    ["text of font size zero is not text", '<td style="font-size:0">x<p style="font-size:9px">a</p>y</td>', "a"],
    ["text hidden from Outlook only is text", '<a href="x" style="mso-hide:all">Go</a>', "Go"],
    ["an invisible body has no text", "<p> &nbsp; <img src=x alt=y></p>", ""],
  ])("%s", (_, html, expected) => {
    expect(textOf(html)).toBe(expected);
  });
});

describe("links", () => {
  test.each<[string, string, [string, string | null][]]>([
    [
      "in document order, including repetitions",
      "<a href=1>x</a><a href=2>y</a><a href=1>x</a>",
      [
        ["1", "x"],
        ["2", "y"],
        ["1", "x"],
      ],
    ],
    ["href is decoded", '<a href="?a=1&amp;b=%20&#233;">x', [["?a=1&b=%20é", "x"]]],
    ["href is not normalised", '<a href=" HTTP://EXAMPLE.com:80/../a ">x', [[" HTTP://EXAMPLE.com:80/../a ", "x"]]],
    ["href is not resolved", '<base href="https://example.com/"><a href="a/b">x', [["a/b", "x"]]],
    ["an empty href is a link", '<a href="">x</a>', [["", "x"]]],
    ["an anchor without href is not a link", "<a name=x>x</a>", []],
    ["text is on one line", "<a href=1> a\n<br><b>b</b><div>c</div> </a>", [["1", "a b c"]]],
    [
      "text is null for anchors without text",
      "<a href=1></a><a href=2> &nbsp;&zwnj;</a>",
      [
        ["1", null],
        ["2", null],
      ],
    ],
    ["an image is not text", "<a href=1><img src=x alt=y></a>", [["1", null]]],
    ["hidden text is not text", '<a href=1><span style="display:none">x</span></a>', [["1", null]]],
    ["a hidden link is listed", '<div style="display:none"><a href=1>x</a></div>', [["1", null]]],
    ["areas are links without text", "<map><area href=1 alt=x></map>", [["1", null]]],
    ["links in comments are not listed", "<!-- <a href=1>x</a> -->", []],
    ["stylesheets are not links", "<link rel=stylesheet href=x.css>", []],
    [
      "a new anchor ends the previous one",
      "<a href=1>x<a href=2>y",
      [
        ["1", "x"],
        ["2", "y"],
      ],
    ],
    ["an unclosed anchor ends with the mail", "<a href=1>x<p>y", [["1", "x y"]]],
    [
      "mailto and tel are links",
      "<a href=mailto:a@b.example>x</a><a href=tel:+1>y</a>",
      [
        ["mailto:a@b.example", "x"],
        ["tel:+1", "y"],
      ],
    ],
  ])("%s", (_, html, expected) => {
    expect(linksOf(html)).toEqual(expected);
  });
});

describe("images", () => {
  test.each<[string, string, [string, string][]]>([
    [
      "icons and images in document order",
      '<link rel="shortcut icon" href=f.ico><img src=cid:a@b alt=A>',
      [
        ["f.ico", ""],
        ["cid:a@b", "A"],
      ],
    ],
    ["a missing alt is empty", "<img src=x>", [["x", ""]]],
    ["src and alt are decoded", '<img src="?a&amp;b" alt="&quot;A&quot;">', [["?a&b", '"A"']]],
    [
      "data addresses are unchanged",
      "<img src='data:image/gif;base64,R0lGOD//'>",
      [["data:image/gif;base64,R0lGOD//", ""]],
    ],
    ["without src there is no image", "<img alt=x><img src=''>", []],
    ["hidden images are listed", '<img style="display:none" src=pixel.gif>', [["pixel.gif", ""]]],
    ["other links are not icons", "<link rel=stylesheet href=x><link rel=apple-touch-icon href=y>", []],
    ["images in comments are not listed", "<!--[if mso]><img src=x><![endif]-->", []],
  ])("%s", (_, html, expected) => {
    expect(imagesOf(html)).toEqual(expected);
  });
});

describe("codes", () => {
  test.each<[string, string, string[]]>([
    ["across inline elements", "<p>Your code is 8<b>04</b>219.</p>", ["804219"]],
    [
      "across cells",
      "<p>Your code:</p><table><tr><td>6</td><td>0</td><td>1</td><td>9</td><td>2</td><td>8</td></tr></table>",
      ["601928"],
    ],
    [
      "across spans with spaces",
      "<p>Your code:</p><span>6</span> <span>0</span> <span>1</span> <span>9</span>",
      ["6019"],
    ],
    ["across blocks", "<h1>Your code</h1><div>6</div><div>0</div><div>1</div><div>9</div>", ["6019"]],
    ["in a heading", "<p>Use this code to sign in to Merlin:</p><h1>118-402</h1><p>It expires soon.</p>", ["118402"]],
    ["in a cell beside its label", "<table><tr><td>Verification code<td>5521<tr><td>Order<td>482910</table>", ["5521"]],
    ["not in style", "<style>.code{color:#123456} /* code 482910 */</style><p>Your code has been sent.</p>", []],
    ["not in script", "<script>var code = 482910;</script><p>Your code has been sent.</p>", []],
    ["not in comments", "<!-- your code is 482910 --><p>Hello</p>", []],
    ["not in hidden text", '<p style="display:none">Your code is 482910</p>', []],
    ["not in attributes", '<a href="https://x.example/code/482910" title="code 482910">Verify</a>', []],
    ["not in a URL that is shown", "<p>Your code link: https://x.example/code/482910</p>", []],
  ])("%s", (_, html, expected) => {
    expect(codesOf(html)).toEqual(expected);
  });
});

describe("limits", () => {
  test(`lists ${linkCountMax} links and omits the next one`, () => {
    expect(analyseHtml("<a href=x>y</a>".repeat(linkCountMax)).links).toHaveLength(linkCountMax);
    expect(analyseHtml("<a href=x>y</a>".repeat(linkCountMax + 1)).links).toHaveLength(linkCountMax);
  });

  test("keeps the text of the last link when more links follow", () => {
    const { links } = analyseHtml(`${"<a href=x>y</a>".repeat(linkCountMax)}<a href=z>other</a>`);
    expect(links.at(-1)).toEqual({ href: "x", text: "y" });
  });

  test(`lists ${imageCountMax} images and omits the next one`, () => {
    expect(analyseHtml("<img src=x>".repeat(imageCountMax)).images).toHaveLength(imageCountMax);
    expect(analyseHtml("<img src=x>".repeat(imageCountMax + 1)).images).toHaveLength(imageCountMax);
  });

  test(`cuts visible text at ${visibleTextLengthMax} code units and lists links after it`, () => {
    const within = "a".repeat(visibleTextLengthMax);
    expect(textOf(within)).toBe(within);
    const past = analyseHtml(`${within}a<p>b<a href=x>c</a>`);
    expect(past.visibleText).toBe(within);
    expect(past.links).toEqual([{ href: "x", text: null }]);
  });
});

test("returns no findings for an empty body", () => {
  expect(analyseHtml("")).toEqual({ links: [], images: [], codes: [], visibleText: "" });
});
