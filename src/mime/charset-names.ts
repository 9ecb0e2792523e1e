/** Names of charsets in mail without punctuation, by a label that the Encoding standard lists or `charset.ts` decodes. */
const namesByLabel: Readonly<Record<string, string>> = {
  shift_jis: "cp932 cp943 cp943c shiftjis xshiftjis shiftjisx0213 shiftjis2004 pck",
  "euc-jp": "eucjp eucjpms eucjpwin ujis cp20932 cp51932",
  "euc-kr": "euckr uhc cp949 cp51949 ksc56011992 ksx1001",
  gb18030: "cp936 cp51936 cp54936 euccn xeuccn eucgb2312cn gb231280 gb180302000 gb180302005 gb180302022",
  big5: "cp950 cp951 big5hkscs big5hkscs1999 big5hkscs2001 big5hkscs2004 big5hkscs2008 hkscs big5eten",
  "iso-2022-jp": "iso2022jp csiso2022jp",
  "iso-2022-jp-2":
    "iso2022jp1 iso2022jp2 csiso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms iso2022jpesc iso2022jpsio cp50220 cp50221 cp50222",
  "iso-2022-kr": "iso2022kr csiso2022kr cp50225",
  "iso-2022-cn": "iso2022cn iso2022cnext csiso2022cn csiso2022cnext",
  "hz-gb-2312": "hz hzgb2312 cp52936",
  "utf-8": "utf8 utf8mb4 xutf8 cp65001",
  "utf-7": "utf7 xutf7 csutf7 unicode11utf7 csunicode11utf7 cp65000",
  "koi8-r": "cp20866",
  "koi8-u": "koi8u cp21866",
  "windows-874": "cp874",
  macintosh: "macroman xmacroman macosroman",
  "x-mac-cyrillic": "maccyrillic macukrainian xmaccyrillic",
};

const labels: ReadonlyMap<string, string> = new Map(
  Object.entries(namesByLabel).flatMap(([label, names]) => names.split(" ").map((name) => [name, label])),
);

/** Code pages under the names of several vendors: cp949, ms949, windows-949. */
const codePage = /^x?(?:cp|ms|mscp|windows|win|mswin|ansi|ibm)(\d{3,5})$/;
const yearOrPunctuation = /:\d{4}$|[^0-9a-z]/g;

/** Returns a label in lower case without punctuation and year, in which spellings of one name are equal. */
export function strippedLabel(label: string): string {
  return label.replaceAll(yearOrPunctuation, "");
}

/** Returns the usual label of the charset that a stripped label names; null if the label is not in the table. */
export function usualLabel(stripped: string): string | null {
  const page = codePage.exec(stripped)?.[1];
  if (page !== undefined && /^125[0-8]$/.test(page)) return `windows-${page}`;
  return labels.get(page === undefined ? stripped : `cp${page}`) ?? null;
}
