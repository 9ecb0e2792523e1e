import type { Defect } from "../../mime/part.ts";
import { hasElement, isEmpty } from "../mail-facts.ts";
import { hostOf, isMisleading, isShortLink } from "../content-checks.ts";
import type { SpamRule, SpamRules } from "./judge-spam.ts";

const executable = /\.(?:exe|scr|com|pif|bat|cmd|vbs|vbe|jse?|wsf|hta|msi|jar|lnk|ps1|cpl|iso|img)$/i;
const gtube = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
/** Visible characters below which a mail with images counts as having no text. */
const imageMailTextLengthMax = 40;

/** Rules about structure, links, images and words. */
export const contentRules: SpamRules = {
  GTUBE: {
    score: 1000,
    description: "The generic test for unsolicited bulk mail",
    matches: ({ text, html, visibleText }) => [text, html, visibleText].some((body) => body?.includes(gtube) === true),
  },
  EXECUTABLE_ATTACHMENT: {
    score: 3,
    description: "An attachment has the name of an executable",
    matches: ({ mail }) => mail.attachments.some(({ fileName }) => executable.test(fileName ?? "")),
  },
  EMPTY_BODY: {
    score: 1.5,
    description: "The mail has no text, image or attachment",
    matches: isEmpty,
  },
  HTML_WITHOUT_TEXT_TWIN: {
    score: 0.7,
    description: "There is HTML without a plain-text alternative",
    matches: ({ html, text }) => html !== null && (text === null || text.trim() === ""),
  },
  PICTURES_INSTEAD_OF_TEXT: {
    score: 1.5,
    description: "The HTML has images and almost no text",
    matches: ({ images, visibleText }) => images.length > 0 && visibleText.trim().length < imageMailTextLengthMax,
  },
  BROKEN_STRUCTURE: {
    score: 0.6,
    description: "The MIME structure has errors that ordinary mailers do not make",
    matches: ({ mail }) => mail.defects.some((defect) => structural.has(defect)),
  },
  SCRIPT_IN_HTML: {
    score: 1.5,
    description: "The HTML contains a script",
    matches: (subject) => hasElement(subject, "script"),
  },
  FRAME_OR_OBJECT_IN_HTML: {
    score: 1.2,
    description: "The HTML embeds a frame, an object or a plug-in",
    matches: (subject) => hasElement(subject, "iframe", "frame", "object", "embed", "applet"),
  },
  FORM_IN_HTML: {
    score: 1,
    description: "The HTML contains a form",
    matches: (subject) => hasElement(subject, "form"),
  },
  SHORTENED_LINK: {
    score: 1,
    description: "A link uses a URL shortener, which hides its target",
    matches: ({ links }) => links.some(({ href }) => isShortLink(href)),
  },
  LINK_TO_ADDRESS: {
    score: 1.5,
    description: "A link points to a bare IP address",
    matches: ({ links }) => links.some(({ href }) => /^(?:\[.*\]|\d{1,3}(?:\.\d{1,3}){3})$/.test(hostOf(href) ?? "")),
  },
  PUNYCODE_LINK: {
    score: 0.8,
    description: "The host of a link is written in punycode, which may look like another",
    matches: ({ links }) => links.some(({ href }) => /(?:^|\.)xn--/.test(hostOf(href) ?? "")),
  },
  LINK_SHOWS_ANOTHER_HOST: {
    score: 2,
    description: "The text of a link shows another host than its target",
    matches: ({ links }) => links.some(isMisleading),
  },
  MOSTLY_CAPITALS: {
    score: 1,
    description: "At least 100 letters, more than half of them capitals",
    matches: ({ visibleText }) => {
      const letters = visibleText.match(/\p{L}/gu)?.length ?? 0;
      return letters >= 100 && (visibleText.match(/\p{Lu}/gu)?.length ?? 0) > letters / 2;
    },
  },
  MONEY_FOR_NOTHING: {
    score: 1.5,
    description: "Promises money",
    matches: hasPhrase(
      "make money fast",
      "earn extra cash",
      "double your income",
      "risk free investment",
      "million dollars",
      "million usd",
      "guaranteed income",
      "work from home and earn",
      "get rich",
    ),
  },
  PRIZE_WITHOUT_A_GAME: {
    score: 2,
    description: "Mentions a prize or an inheritance",
    matches: hasPhrase(
      "you have won",
      "you are a winner",
      "lottery winner",
      "claim your prize",
      "unclaimed inheritance",
      "next of kin",
      "beneficiary of",
      "congratulations you won",
    ),
  },
  PILLS: {
    score: 2,
    description: "Offers drugs in the wording of spam",
    matches: hasPhrase(
      "viagra",
      "cialis",
      "online pharmacy",
      "without prescription",
      "weight loss pills",
      "male enhancement",
    ),
  },
  THREATENS_ACCOUNT: {
    score: 1.2,
    description: "Threatens to close an account and urges to act",
    matches: hasPhrase(
      "your account will be closed",
      "your account has been suspended",
      "verify your account immediately",
      "act now or",
      "final warning",
      "unusual sign in detected click",
    ),
  },
  SELLS_HARD: {
    score: 0.8,
    description: "Advertises in the wording of spam",
    matches: hasPhrase(
      "100% free",
      "act now",
      "buy now",
      "limited time offer",
      "click here now",
      "no obligation",
      "order now",
      "special promotion",
      "this is not spam",
      "while supplies last",
    ),
  },
};

const structural: ReadonlySet<Defect> = new Set<Defect>([
  "missing_boundary",
  "boundary_not_found",
  "missing_closing_boundary",
  "part_after_closing_boundary",
  "encoded_multipart",
  "unknown_transfer_encoding",
  "too_many_parts",
  "too_deep",
]);

/** Returns the condition that the subject or the visible text contains one of the phrases, in any case. */
function hasPhrase(...phrases: readonly string[]): SpamRule["matches"] {
  return ({ mail, visibleText }) => {
    const text = `${mail.subject} ${visibleText}`.toLowerCase().replaceAll(/[^\p{L}\p{N}%]+/gu, " ");
    return phrases.some((phrase) => text.includes(phrase));
  };
}
