/** A mail in several languages, with faults, for the screenshot of its comparison. */
import { createTransport } from "nodemailer";
import type { RestanteSmtp } from "../src/testing/restante-options.ts";

interface Translation {
  readonly locale: string;
  readonly subject: string;
  readonly lines: readonly string[];
  readonly button: string;
}

const translations: readonly Translation[] = [
  {
    locale: "en",
    subject: "Your parcel arrives on Friday",
    lines: ["Your parcel arrives on Friday, 4 December 2026.", "You have 30 days to return it."],
    button: "Track parcel",
  },
  {
    locale: "de",
    subject: "Deine Sendung kommt am Freitag",
    lines: ["Deine Sendung kommt am Friday, 4 December 2026.", "Du hast 30 Tag für die Rückgabe."],
    button: "Sendung jetzt verfolgen",
  },
  {
    locale: "fr",
    subject: "Votre colis arrive vendredi",
    lines: ["Votre colis arrive le vendredi 4 décembre 2026.", "Vous avez 30 jours pour le renvoyer."],
    button: "Track parcel",
  },
  {
    locale: "pl",
    subject: "Twoja paczka dotrze w piątek",
    lines: ["Paczka dotrze w piątek, 4 grudnia 2026.", "Masz 30 dni na zwrot."],
    button: "Śledź paczkę",
  },
  {
    locale: "ar",
    subject: "يصل طردك يوم الجمعة",
    lines: ["يصل طردك يوم الجمعة 4 ديسمبر 2026.", "لديك 30 يومًا لإعادته."],
    button: "تتبع الطرد",
  },
];

/** Sends the mails to a server, in the order in which they are compared. */
export async function sendTranslations(
  { smtp }: { readonly smtp: Pick<RestanteSmtp, "host" | "port"> },
  server: string,
): Promise<void> {
  const transport = createTransport({ ...smtp, tls: { rejectUnauthorized: false } });
  for (const { locale, subject, lines, button } of translations) {
    const style = "display: inline-block; width: 150px; overflow: hidden; white-space: nowrap; font-size: 18px";
    const text = lines.map((line) => `<p>${line}</p>`).join("");
    await transport.sendMail({
      from: "Harbour orders <orders@harbour.example>",
      to: `shipping-${locale}@${server}.restante.test`,
      subject,
      html: `<html lang="${locale}"><body>${text}<a href="https://harbour.example/track" style="${style}">${button}</a></body></html>`,
    });
  }
  transport.close();
}
