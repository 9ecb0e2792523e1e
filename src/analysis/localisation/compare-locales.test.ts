import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { composeMail } from "../../mime/compose/compose.ts";
import { compareLocales } from "./compare-locales.ts";
import type { MailOfLocale } from "./missing-translations.ts";
import { readLocalisedMail } from "./read-localised-mail.ts";
import { directionOf } from "./text-direction.ts";

interface Copy {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly button: string;
}

/** An order mail as shops write it, in eleven locales. */
const copies: Readonly<Record<string, Copy>> = {
  en: {
    subject: "Your order A-4711 is on its way",
    lines: [
      "Hello Ada,",
      "your parcel arrives on December 24, 2026. You have 30 days to return it.",
      "1 item, 2 items",
    ],
    button: "Track your order",
  },
  de: {
    subject: "Ihre Bestellung A-4711 ist unterwegs",
    lines: [
      "Hallo Ada,",
      "Ihr Paket kommt am 24. Dezember 2026 an. Sie können es innerhalb von 30 Tagen zurückgeben.",
      "1 Produkt, 2 Produkte",
    ],
    button: "Bestellung verfolgen",
  },
  fr: {
    subject: "Votre commande A-4711 est en route",
    lines: [
      "Bonjour Ada,",
      "votre colis arrive le 24/12/2026, soit le 24 décembre 2026. Vous avez 30 jours pour le renvoyer.",
      "1 article, 2 articles",
    ],
    button: "Suivre ma commande",
  },
  pl: {
    subject: "Twoje zamówienie A-4711 jest w drodze",
    lines: [
      "Cześć Ada,",
      "paczka dotrze 24 grudnia 2026. Link wygaśnie w ciągu 24 godzin, a zwrot jest możliwy przez 30 dni.",
      "1 plik, 2 pliki, 5 plików, w ciągu 1 godziny",
    ],
    button: "Śledź przesyłkę",
  },
  ar: {
    subject: "طلبك A-4711 في الطريق إليك",
    lines: ["مرحبًا Ada،", "يصل طردك في ٢٤ ديسمبر ٢٠٢٦، أي ٢٤‏/١٢‏/٢٠٢٦. يمكنك إرجاعه خلال 30 يومًا.", "3 أيام"],
    button: "تتبّع طلبك",
  },
  he: {
    subject: "ההזמנה שלך A-4711 בדרך אליך",
    lines: ["שלום Ada,", "החבילה תגיע ב-24 בדצמבר 2026. אפשר להחזיר אותה תוך 30 ימים.", "2 שעות"],
    button: "מעקב אחר ההזמנה",
  },
  ja: {
    subject: "ご注文 A-4711 を発送しました",
    lines: ["Ada 様", "お荷物は2026年12月24日に届きます。30日以内であれば返品できます。", "2026/12/24"],
    button: "配送状況を確認する",
  },
  zh: {
    subject: "您的订单 A-4711 已发货",
    lines: ["Ada，您好", "包裹将于2026年12月24日送达，30天内可以退货。", "2026/12/24"],
    button: "跟踪订单",
  },
  hi: {
    subject: "आपका ऑर्डर A-4711 रास्ते में है",
    lines: ["नमस्ते Ada,", "आपका पैकेट 24 दिसंबर 2026 को पहुँचेगा। आप इसे 30 दिन के अंदर लौटा सकते हैं।", "1 घंटे में, 5 घंटे"],
    button: "ऑर्डर ट्रैक करें",
  },
  tr: {
    subject: "A-4711 numaralı siparişiniz yolda",
    lines: [
      "Merhaba Ada,",
      "paketiniz 24 Aralık 2026 tarihinde ulaşacak. 30 gün içinde iade edebilirsiniz.",
      "24.12.2026",
    ],
    button: "Siparişi takip et",
  },
  "pt-BR": {
    subject: "Seu pedido A-4711 está a caminho",
    lines: [
      "Olá, Ada,",
      "seu pacote chega em 24 de dezembro de 2026. Você tem 30 dias para devolver.",
      "1 produto, 2 produtos, 24/12/2026",
    ],
    button: "Acompanhar pedido",
  },
};

/** Texts that are the same in all languages: a brand, a product, an address, a code, URLs, an amount. */
const constant = `<p>Trail Runner 2 by The North Road</p><p>Acme Store of London Ltd, 12 Mill Lane, Bristol BS1 4DJ</p>
<p>SAVE20-XK42</p><p>1,299.00 €</p><p>https://shop.example.com/orders/track</p><p>support@shop.example.com</p>
<p><a href="https://instagram.com/acme">Instagram</a> <a href="https://apps.example.com">App Store</a></p>`;

async function mailOf(locale: string, copy: Copy, direction: string = directionOf(locale)): Promise<MailOfLocale> {
  const { subject, lines, button } = copy;
  const html = `<!doctype html><html lang="${locale}" dir="${direction}"><head><title>${subject}</title></head><body>
${lines.map((line) => `<p>${line}</p>`).join("\n")}<p><a href="https://shop.example.com">${button}</a></p>${constant}
<p style="display:none">a hidden text that nobody translated</p></body></html>`;
  const raw = await composeMail({
    messageId: "<1@shop.example.com>",
    date: 0,
    boundarySeed: "seed",
    from: { address: "a@shop.example.com" },
    to: [{ address: "b@shop.example.com" }],
    subject,
    text: null,
    html,
  });
  return { locale, mail: readLocalisedMail(raw, defaultLimits) };
}

type Changes = Readonly<Record<string, { readonly copy?: Partial<Copy>; readonly direction?: string }>>;

/** Returns the findings by locale, without locales that have none. */
async function findingsOf(
  changes: Changes,
  locales: readonly string[] = Object.keys(copies),
): Promise<Record<string, string[]>> {
  const mails = await Promise.all(
    locales.map(async (locale) => {
      const { copy, direction } = changes[locale] ?? {};
      return mailOf(locale, { ...(copies[locale] as Copy), ...copy }, direction);
    }),
  );
  const found = compareLocales({ mails, original: 0, keep: [] });
  return Object.fromEntries(
    locales.flatMap((locale, at) => {
      const words = (found[at] ?? []).map(({ rule, message }) => `${rule}: ${message}`);
      return words.length === 0 ? [] : [[locale, words]];
    }),
  );
}

const lineOf = (locale: string, at: number, line: string): { readonly copy: Partial<Copy> } => ({
  copy: { lines: (copies[locale]?.lines ?? []).with(at, line) },
});

describe("compareLocales", () => {
  test("finds nothing in eleven right translations", async () => {
    expect(await findingsOf({})).toEqual({});
  });

  test("finds nothing in pairs of a translation with the default", async () => {
    for (const locale of Object.keys(copies)) expect(await findingsOf({}, ["en", locale])).toEqual({});
  });

  test("names texts, labels and subjects in the language of the default", async () => {
    const english = copies["en"] as Copy;
    expect(
      await findingsOf({
        de: { copy: { button: english.button } },
        fr: lineOf("fr", 1, english.lines[1] ?? ""),
        ja: { copy: { button: "Unsubscribe", subject: english.subject } },
        en: {
          copy: {
            button: english.button,
            lines: [...english.lines, "<a href='https://a.example.com'>Unsubscribe</a>"],
          },
        },
      }),
    ).toEqual({
      de: ["missing-translation: The label of a link is that of en: it is not translated into de"],
      fr: [
        "missing-translation: The text is that of en: it is not translated into fr",
        "date: The date December 24, 2026 names the month in en",
      ],
      ja: [
        "missing-translation: The subject is that of en: it is not translated into ja",
        "missing-translation: The label of a link is that of en: it is not translated into ja",
      ],
    });
    expect(
      await findingsOf(
        { ja: { copy: { button: "कृपया अपना पता जाँचें" } }, hi: { copy: { button: "कृपया अपना पता जाँचें" } } },
        ["hi", "ja"],
      ),
    ).toEqual({
      ja: ["missing-translation: The label of a link is that of hi: it is not translated into ja"],
    });
  });

  test("compares only other languages, and leaves out texts to keep", async () => {
    const [original, british, german] = await Promise.all([
      mailOf("en", copies["en"] as Copy),
      mailOf("en-GB", copies["en"] as Copy),
      mailOf("de", { ...(copies["de"] as Copy), button: "Track your order" }),
    ]);
    const found = compareLocales({ mails: [original, british, german], original: 0, keep: ["Track your order"] });
    expect(found.map((one) => one.filter(({ rule }) => rule === "missing-translation"))).toEqual([[], [], []]);
  });

  test("finds the direction of another language", async () => {
    expect(await findingsOf({ ar: { direction: "ltr" }, he: { direction: "" }, de: { direction: "rtl" } })).toEqual({
      ar: [
        expect.stringMatching(
          /^direction: \d+ texts have no dir="rtl" on an element around, and ar is written from right/,
        ),
      ],
      he: [expect.stringMatching(/^direction: \d+ texts have no dir="rtl"/)],
      de: [
        expect.stringMatching(/^direction: \d+ texts have dir="rtl" on an element around, and de is written from left/),
      ],
    });
    expect(await findingsOf({ ar: { direction: "auto" } })).toEqual({});
  });

  test("finds dates in the form of another language", async () => {
    expect(
      await findingsOf({
        de: lineOf("de", 2, "Ankunft: December 24, 2026"),
        fr: lineOf("fr", 2, "Le 12/24/2026"),
        pl: lineOf("pl", 2, "Dnia Grudzień 24, 2026"),
        ar: lineOf("ar", 2, "١٢/٢٤/٢٠٢٦"),
        ja: lineOf("ja", 2, "24/12/2026"),
        zh: lineOf("zh", 2, "24 December 2026"),
        "pt-BR": lineOf("pt-BR", 2, "Até 24 de December de 2026"),
      }),
    ).toEqual({
      de: ["date: The date December 24, 2026 names the month in en"],
      fr: ["date: The date 12/24/2026 has the month first, and fr writes the day first"],
      pl: ["date: The date Grudzień 24, 2026 has the month first, and pl writes the day first"],
      ar: ["date: The date 12/24/2026 has the month first, and ar writes the day first"],
      ja: ["date: The date 24/12/2026 has the year last, and ja writes it first"],
      zh: ["date: The date 24 December 2026 names the month in en"],
      "pt-BR": ["date: The date 24 de December de 2026 names the month in en"],
    });
    const copied = {
      "en-US": lineOf("en", 2, "11/05/2026"),
      fr: lineOf("fr", 2, "11/05/2026"),
      "en-GB": lineOf("en", 2, "Version 1.2.2026, 24/12/2026"),
    };
    const mails = await Promise.all(
      Object.entries(copied).map(async ([locale, { copy }]) =>
        mailOf(locale, { ...(copies[locale.slice(0, 2)] as Copy), ...copy }),
      ),
    );
    const found = compareLocales({ mails, original: 0, keep: [] });
    expect(found.flat().map(({ message }) => message)).toEqual([
      "The date 11/05/2026 is that of en-US, and another day for readers of fr",
    ]);
  });

  test("finds nouns in the form of another number", async () => {
    expect(
      await findingsOf({
        en: lineOf("en", 2, "1 items, 3 day. A 30 day trial, 2 item(s), {count, plural, one {# file} other {# files}}"),
        de: lineOf("de", 2, "1 Tage, 2 Produkt, in 30 Tagen"),
        fr: lineOf("fr", 2, "1 jours, 3 article, 0 article"),
        pl: lineOf("pl", 2, "5 pliki, 2 godzina, od 2 godzin, po 5 godzinach"),
        ar: lineOf("ar", 2, "11 أيام"),
        hi: lineOf("hi", 2, "5 घंटा"),
        tr: lineOf("tr", 2, "1 gün, 5 gün"),
        "pt-BR": lineOf("pt-BR", 2, "1 dias, 2 mensagem"),
      }),
    ).toEqual({
      en: ["plural: The text shows the placeholder of a plural"],
      de: ["plural: 1 Tage has the form of another number", "plural: 2 Produkt has the form of another number"],
      fr: ["plural: 1 jours has the form of another number", "plural: 3 article has the form of another number"],
      pl: ["plural: 5 pliki has the form of another number", "plural: 2 godzina has the form of another number"],
      ar: ["plural: 11 أيام has the form of another number"],
      hi: ["plural: 5 घंटा has the form of another number"],
      "pt-BR": ["plural: 1 dias has the form of another number", "plural: 2 mensagem has the form of another number"],
    });
    expect(await findingsOf({ en: lineOf("en", 2, "1 items, 3 day. A 30 day trial, 2 item(s)") }, ["en"])).toEqual({
      en: [
        "plural: 1 items has the form of another number",
        "plural: 3 day has the form of another number",
        "plural: 2 item(s) is neither singular nor plural",
      ],
    });
  });

  test("never throws for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("en", "ar", "ja", "pl", "zh-Hant-TW"),
        (text, locale) => {
          const mail = readLocalisedMail(Buffer.from(`Subject: ${text}\r\n\r\n${text}`), defaultLimits);
          compareLocales({
            mails: [
              { locale: "de", mail },
              { locale, mail },
            ],
            original: 0,
            keep: [text],
          });
        },
      ),
      { numRuns: 50 },
    );
  });
});

test("reads the language of the header field, else that of the HTML", () => {
  const read = (raw: string): string | null => readLocalisedMail(Buffer.from(raw), defaultLimits).language;
  expect(read("Content-Language: pt_br\r\nContent-Type: text/html\r\n\r\n<html lang=de>")).toBe("pt-BR");
  expect(read("Content-Type: text/html\r\n\r\n<html lang=de>")).toBe("de");
  expect(read("Content-Language: not a language\r\n\r\nHello")).toBeNull();
});
