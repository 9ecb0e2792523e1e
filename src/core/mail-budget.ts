/** Budgets of mails: limits that a mail has to meet, judged in one verdict. */
import { build, orNull, refer, refusal, type ValueOf } from "./schema.ts";

const countMax = 100_000;
const most = (description: string): ReturnType<typeof build.number> =>
  build.number({ minimum: 0, maximum: countMax, description });

/** Schema of the limit of an email client. */
const clientSupportSchema = build.object({
  client: build.string({
    maxLength: 100,
    description: "Email client of caniemail.com, or the beginning of the name of several: `outlook`.",
  }),
  percentMin: build.number({ minimum: 0, maximum: 100, description: "Least share of the used features." }),
});

/** Schema of a budget. */
export const mailBudgetSchema = build.partial({
  maxHtmlKb: most("Most kilobytes (1,024 bytes) of HTML. Gmail clips a mail after 102."),
  maxImages: most("Most images of the HTML."),
  maxLinks: most("Most links."),
  maxAttachmentsKb: most("Most kilobytes of all attachments, decoded."),
  contrast: build.enum(["AA"], "Contrast of texts, by WCAG 2.2."),
  support: build.array(clientSupportSchema, {
    description: "Shares of the used features that email clients support; partial support counts half.",
    maxItems: 50,
  }),
  spamScore: build.number({
    minimum: -1000,
    maximum: 1000,
    description: "Most points of the spam filter.",
    [refusal]: { text: "Must be a number from -1000 to 1000" },
  }),
  links: build.enum(
    ["valid", "reachable"],
    "`valid`: no finding of lint about links; `reachable`: every web link also responds, where the operator allows it.",
  ),
  lint: build.enum(["error", "warning"], "No finding of lint with this severity or a higher one."),
});

/** Budget of a mail. */
export type MailBudget = ValueOf<typeof mailBudgetSchema>;

/** Schema of a reason why a limit is not met. */
const budgetFindingSchema = build.object({
  message: build.string("Reason in words."),
  subject: orNull(build.string("Part of the mail, at most 200 characters.")),
  line: orNull(build.integer("Line of the part in the HTML, from 1; null outside of it.")),
});

/** Reason why a limit is not met, and its place. */
export type BudgetFinding = ValueOf<typeof budgetFindingSchema>;

/** Schema of one limit, judged. */
export const budgetVerdictSchema = build.object(
  {
    rule: build.string("Member of the budget; of an email client, `support` and its name."),
    limit: build.string("Limit in words."),
    actual: build.string("Value of the mail in words."),
    isMet: build.boolean("Whether the mail meets the limit."),
    findings: build.array(budgetFindingSchema, "Reasons, at most 20; none for a limit that is met."),
  },
  { $id: "BudgetVerdict" },
);

/** One limit, judged. */
export type BudgetVerdict = ValueOf<typeof budgetVerdictSchema>;

/** Schema of a budget, judged. */
export const budgetReportSchema = build.object(
  {
    isMet: build.boolean("Whether the mail meets all limits."),
    verdicts: build.array(refer(budgetVerdictSchema), "Verdicts in the order of the members above."),
  },
  { $id: "BudgetReport" },
);

/** A budget, judged. */
export type BudgetReport = ValueOf<typeof budgetReportSchema>;
