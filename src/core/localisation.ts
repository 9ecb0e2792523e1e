/** Comparison of the same mail in several locales. */
import { build, orNull, refer, refusal, type ValueOf } from "./schema.ts";

/** Most locales of a comparison. */
export const localeCountMax = 30;
/** Most texts that are equal in all languages. */
export const keptTextCountMax = 200;

const localeTag = {
  maxLength: 35,
  pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$",
  [refusal]: { text: "Must be a language tag such as de or pt-BR" },
} as const;

/** Schema of a comparison. */
export const localeComparisonSchema = build.object({
  messages: build.array(
    build.object({
      id: build.string("Id of the mail."),
      locale: build.optional(
        build.string({
          ...localeTag,
          description: "Language tag (BCP 47). Default: `Content-Language` of the mail, else `lang` of its HTML.",
        }),
      ),
    }),
    { minItems: 1, maxItems: localeCountMax, description: "The mail in each locale." },
  ),
  default: build.optional(
    build.string({
      ...localeTag,
      description: "Locale that the others are compared with. Default: that of the first mail.",
    }),
  ),
  keep: build.optional(
    build.array(build.string({ maxLength: 200 }), {
      maxItems: keptTextCountMax,
      description: "Texts that are equal in all languages, besides names, numbers, codes and URLs.",
    }),
  ),
});

/** Rules about translations. */
const localisationRules = ["missing-translation", "direction", "date", "plural", "overflow"] as const;

/** Schema of a fault of a translation. */
export const localisationFindingSchema = build.object(
  {
    rule: build.enum(localisationRules, "Rule."),
    message: build.string("Fault in words."),
    subject: build.string("Text that has the fault, at most 200 characters."),
  },
  { $id: "LocalisationFinding" },
);

/** Fault of a translation. */
export type LocalisationFinding = ValueOf<typeof localisationFindingSchema>;

/** Schema of a comparison's result. */
export const localisationReportSchema = build.object(
  {
    isMet: build.boolean("Whether no mail has a fault."),
    default: build.string("Locale that the others are compared with."),
    locales: build.array(
      build.object({
        locale: build.string("Language tag."),
        id: build.string("Id of the mail."),
        subject: build.string("Subject."),
        direction: build.enum(["ltr", "rtl"], "Direction of the language."),
        findings: build.array(refer(localisationFindingSchema), "Faults, at most 100."),
      }),
      "Mails in the order of the request.",
    ),
    overflowProblem: orNull(build.string("Why overflowing text was not measured; null when it was.")),
  },
  { $id: "LocalisationReport" },
);

/** Result of a comparison of locales. */
export type LocalisationReport = ValueOf<typeof localisationReportSchema>;
