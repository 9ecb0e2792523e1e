import { describe, expect, it } from "vitest";
import { decodeEncodedWords } from "./encoded-word.ts";

describe("decodeEncodedWords", () => {
  it.each([
    ["B", "=?utf-8?B?R3LDvMOfZQ==?=", "Grüße"],
    ["Q", "=?iso-8859-1?Q?Gr=FC=DFe?=", "Grüße"],
    ["lower case", "=?UTF-8?b?R3LDvMOfZQ==?= =?utf-8?q?_x?=", "Grüße x"],
    ["underscores and escaped ones", "=?utf-8?Q?a_b=5Fc?=", "a b_c"],
    ["text around", "Re: =?utf-8?Q?=C3=BC?= x", "Re: ü x"],
    ["white space between adjacent words", "=?utf-8?Q?a?=\t  =?utf-8?Q?b?=", "ab"],
    ["white space next to other text", "=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"],
    ["adjacent words without white space", "=?utf-8?Q?a?==?utf-8?Q?b?=", "ab"],
    ["a character in two words", "=?utf-8?Q?=E6=97?= =?utf-8?B?pQ==?=", "日"],
    ["a character in two words of different case", "=?UTF-8?Q?=E6=97?= =?utf-8?Q?=A5?=", "日"],
    ["adjacent words in different charsets", "=?iso-8859-1?Q?=FC?= =?utf-8?Q?=C3=BC?=", "üü"],
    [
      "ISO-2022-JP in several words, each shifted by itself",
      "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?B?GyRCOGwbKEI=?=",
      "日本語",
    ],
    ["ISO-2022-JP split inside of a character", "=?iso-2022-jp?B?GyRCRnxL?= =?iso-2022-jp?B?XDhsGyhC?=", "日本語"],
    [
      "ISO-2022-JP split at one joint and not at the next",
      "=?iso-2022-jp?B?GyRCRnxL?= =?iso-2022-jp?B?XBsoQg==?= =?iso-2022-jp?B?GyRCOGwbKEI=?=",
      "日本語",
    ],
    ["a word that does not shift back before one in ASCII", "=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?Q?a?=", "日a"],
    ["a language", "=?utf-8*de-CH?Q?=C3=BC?=", "ü"],
    ["an unknown charset in UTF-8", "=?x-foo?Q?=C3=BC?=", "ü"],
    ["an unknown charset in windows-1252", "=?x-foo?Q?=FC=93?=", "ü“"],
    ["missing padding", "=?utf-8?B?R3LDvMOfZQ?=", "Grüße"],
    ["blanks inside", "=?utf-8?Q?a b c?=", "a b c"],
    ["a question mark inside", "=?utf-8?Q?Really??=", "Really?"],
    ["an escape first", "=?utf-8?Q?=41bc?=", "Abc"],
    ["a malformed escape", "=?utf-8?Q?100=ZZ?=", "100=ZZ"],
    ["no text", "a =?utf-8?Q??= b", "a  b"],
    ["a word next to letters", "x=?utf-8?Q?=C3=BC?=y", "xüy"],
    ["raw characters in a word of another charset", "=?iso-8859-1?Q?ü=FC?=", "üü"],
    ["raw characters in a UTF-8 word", "=?utf-8?Q?ü=C3=BC?=", "üü"],
    ["raw characters beyond Latin", "=?utf-8?Q?日=C3=BC?=", "日ü"],
  ])("decodes %s", (_what, text, expected) => {
    expect(decodeEncodedWords(text)).toBe(expected);
  });

  it.each([
    "",
    "plain",
    "=?",
    "=??=",
    "=?utf-8?=",
    "=?utf-8?X?a?=",
    "=?utf-8?Q?never ends",
    "a =?b c?Q?d?=",
    "1=?2",
    `=?${"x".repeat(65)}?Q?a?=`,
  ])("returns %j unchanged", (text) => {
    expect(decodeEncodedWords(text)).toBe(text);
  });
});
